#!/usr/bin/env python3
"""A worker for epsfree in Python: reads simulations to do from standard input, answers on standard
output, one line of JSON each (docs/worker-protocol.md). Only the standard library is needed.

    epsfree_worker.py module:function

calls function(theta, seed) or function(theta, rng) of module.py. What a second parameter is called
says what it gets: `rng` or `generator` a numpy Generator, `random` a random.Random, anything else the
seed, an integer of 64 bits. A function of theta alone finds Python's and numpy's global generators
seeded. theta is a numpy array if numpy is installed, else a list.

It returns the statistics: a number, or a sequence or array of numbers. None means that the simulation
is invalid, as do NaN and infinities. An exception means that it failed.

Or in a program of one's own:

    import epsfree_worker
    epsfree_worker.run(function)

What the function prints goes to standard error, so that it does not disturb the conversation.
"""
import importlib
import inspect
import json
import os
import random
import sys
import traceback

PROTOCOL = 1

try:
    import numpy
except ImportError:
    numpy = None


def _take_streams():
    """The real streams of the conversation. Whatever else runs in this process, C libraries too, finds
    an empty standard input and its standard output joined to standard error."""
    requests = os.fdopen(os.dup(0), "rb")
    answers = os.fdopen(os.dup(1), "wb")
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.close(nothing)
    sys.stdout.flush()
    os.dup2(2, 1)
    return requests, answers


def _caller(function):
    """A function of theta and seed."""
    try:
        parameters = [p for p in inspect.signature(function).parameters.values()
                      if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD, p.KEYWORD_ONLY)]
    except (TypeError, ValueError):  # some functions of C have no signature
        return function
    needed = [p for p in parameters[1:]
              if p.default is p.empty or p.name in ("seed", "rng", "generator", "random")]
    if len(needed) > 1:
        names = ", ".join(p.name for p in needed)
        raise TypeError(f"the simulator needs {names} besides theta; give all but one a default")
    if not needed:
        def call(theta, seed):
            random.seed(seed)
            if numpy is not None:
                numpy.random.seed([seed & 0xFFFFFFFF, seed >> 32])
            return function(theta)
        return call
    name = needed[0].name
    if name in ("rng", "generator"):
        if numpy is None:
            raise TypeError(f"the simulator takes {name}, a numpy Generator, but numpy is not installed")
        make = numpy.random.default_rng
    elif name == "random":
        make = random.Random
    else:
        make = int
    if needed[0].kind is needed[0].KEYWORD_ONLY or parameters[1] is not needed[0]:
        return lambda theta, seed: function(theta, **{name: make(seed)})
    return lambda theta, seed: function(theta, make(seed))


def _numbers(result):
    """The statistics as a list of floats."""
    if numpy is not None:
        return numpy.asarray(result, dtype=float).reshape(-1).tolist()
    try:
        return [float(value) for value in result]
    except TypeError:
        return [float(result)]


def _answer(call, request):
    identity = request["id"]
    try:
        theta = request["theta"]
        if numpy is not None:
            theta = numpy.array(theta, dtype=float)
        result = call(theta, int(request["seed"]))
        if result is None:
            return {"id": identity, "invalid": "the function returned None"}
        return {"id": identity, "x": _numbers(result)}
    except Exception as error:  # the simulation's fault, not the worker's
        traceback.print_exc(file=sys.stderr)
        return {"id": identity, "error": f"{type(error).__name__}: {error}"}


def run(function, num_parameters=None, num_statistics=None):
    """Answers requests until there are no more."""
    requests, answers = _take_streams()

    def say(message):
        # repr of a float is the shortest that reads back as the same number; NaN is understood.
        answers.write(json.dumps(message, separators=(",", ":")).encode() + b"\n")
        answers.flush()

    def dimension(given, variable):
        return given if given is not None else int(os.environ.get(variable, 0)) or None

    call = _caller(function)
    say({"epsfree_worker": PROTOCOL,
         "num_parameters": dimension(num_parameters, "EPSFREE_NUM_PARAMETERS"),
         "num_statistics": dimension(num_statistics, "EPSFREE_NUM_STATISTICS")})
    for line in requests:
        say(_answer(call, json.loads(line)))


def load(target):
    """The function that "module:function" names, the module looked for in the working directory first."""
    module, colon, name = target.partition(":")
    if not module or not colon or not name:
        raise SystemExit(f"epsfree_worker.py: '{target}' is not module:function")
    sys.path[0] = os.getcwd()  # instead of this file's own directory
    # A module that imports epsfree_worker gets this one.
    sys.modules.setdefault("epsfree_worker", sys.modules[__name__])
    function = importlib.import_module(module)
    for part in name.split("."):
        function = getattr(function, part)
    return function


def main(arguments):
    if len(arguments) != 1:
        raise SystemExit("usage: epsfree_worker.py module:function")
    # What the module prints while it is loaded must not get into the conversation either.
    real = os.dup(1)
    os.dup2(2, 1)
    try:
        function = load(arguments[0])
    finally:
        sys.stdout.flush()
        os.dup2(real, 1)
        os.close(real)
    run(function)


if __name__ == "__main__":
    main(sys.argv[1:])
