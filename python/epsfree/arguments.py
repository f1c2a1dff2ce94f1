"""Messages of the library name keys of a problem file, but the caller of a function never wrote one. This module
rewrites them so that they name the function's arguments."""
from __future__ import annotations

import contextlib
import re
from typing import Iterator

from .errors import Error, InputError

_MESSAGE = re.compile(r"^(?:[^\n']*?)(?::\d+)?: key '(?P<key>[^']*)': (?P<reason>.*)$", re.DOTALL)
#: Keys whose argument has another name.
_ARGUMENTS = {"method.name": "method", "observed.values": "observed", "observed.truth": "truth",
              "simulator.model": "simulator", "method.abc.distance": "distance"}
_WORDS = [("unknown key", "there is no such option"), ("known here: name, ", "there are "),
          ("known here", "there are"), ("a table", "a dictionary"), ("true or false", "True or False"),
          ("an array", "a list")]
_FAMILY = re.compile(r"^(?:linear-image prior|Gaussian|[a-z]+(?:-[a-z]+)?): ")


def argument_of(key: str, group: str = "") -> str:
    """The argument that a caller uses for a key. Options of `group` are arguments of the function itself.

    >>> argument_of("method.training.num_steps"), argument_of("method.training.num_steps", "training")
    ('training["num_steps"]', 'num_steps')
    >>> argument_of("prior.parameter[2].low")
    'low of parameter 2'
    """
    if key in _ARGUMENTS:
        return _ARGUMENTS[key]
    of_parameter = re.match(r"prior\.parameter\[(\d+)\](?:\.(\w+))?$", key)
    if of_parameter:
        number, name = of_parameter.groups()
        return f"parameter {number}" if name is None else f"{name} of parameter {number}"
    parts = key.split(".")
    if len(parts) > 1 and parts[0] in ("method", "simulator", "prior", "observed"):
        parts = parts[1:]
    if len(parts) > 1 and parts[0] == group:
        parts = parts[1:]
    return parts[0] + "".join(f'["{part}"]' for part in parts[1:])


def spoken(function: str, message: str, group: str = "") -> str:
    """Turns a message about a problem file into one about a call of `function`.

    >>> spoken("infer", "infer():5: key 'method.num_simulations': num_simulations is 3; it must be 40")
    'infer: num_simulations is 3; it must be 40'
    >>> spoken("infer", "infer():6: key 'method.rounds': is not for the method \\"auto\\"")
    'infer: rounds is not for the method "auto"'
    """
    match = _MESSAGE.match(message)
    if match is None:
        return message
    argument, reason = argument_of(match["key"], group), match["reason"]
    for theirs, ours in _WORDS:
        reason = reason.replace(theirs, ours)
    if match["key"].startswith("prior"):
        reason = re.sub("^A is ", "it is ", _FAMILY.sub("", reason))
    if reason.startswith(f"{match['key'].split('.')[-1]} is "):
        reason = reason.partition(" ")[2]
        return f"{function}: {argument} {reason}"
    return f"{function}: {argument}{'' if reason.startswith('is ') else ':'} {reason}"


@contextlib.contextmanager
def speaking_of_arguments(function: str, group: str = "") -> Iterator[None]:
    """Rewrites errors inside the block so that they name the arguments of `function`."""
    try:
        yield
    except InputError as error:
        message = str(error)
        changed = spoken(function, message, group)
        if changed == message:
            raise
        raise InputError(changed) from None


#: What the program calls by other names than Python.
_CALLS = [("--force", "force=True"), ("--keep-simulations", "keep_simulations=True"),
          ("--retry-failed", "retry_failed=True"), ("--out ", "directory="),
          ("run the same command again", "make the same call again"),
          ("Run the same command again", "Make the same call again"),
          ("The same command", "The same call"), ("the same command", "the same call")]


def as_call(message: str) -> str:
    """Turns advice for users of the program into advice for callers.

    >>> as_call("To start over, use --force")
    'To start over, use force=True'
    """
    for theirs, ours in _CALLS:
        message = message.replace(theirs, ours)
    return message


@contextlib.contextmanager
def speaking_of_calls() -> Iterator[None]:
    """Rewrites errors inside the block that advise options of the program."""
    try:
        yield
    except Error as error:
        changed = as_call(str(error))
        if changed == str(error):
            raise
        raise type(error)(changed) from None
