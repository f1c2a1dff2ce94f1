"""Going on with a run directory after its simulator was mended or changed."""
import functools
import time

import numpy as np
import pytest

import epsfree
from epsfree.fingerprint import simulator_parts

PRIOR = epsfree.Uniform([0.0], [1.0])
SCALE = 0.1


def helper(theta, rng):
    return theta[0] + SCALE * rng.normal()


def calls_helper(theta, rng):
    return helper(theta, rng)


def digests(function):
    return {what: digest for what, _, digest in simulator_parts(function)}


def make(source, **names):
    """A function of a source text: one without a file, of which only the bytecode is known."""
    exec(source, names)
    return names["simulator"]


def infer(simulator, directory, **options):
    options.setdefault("num_simulations", 60)
    return epsfree.infer(simulator, PRIOR, [0.4], seed=1, directory=directory, check=False,
                         batch=False, method="mdn-with-prior", training={"num_steps": 50},
                         network={"hidden_units": [5], "num_components": 1},
                         pilot={"scaling": "as-is"}, **options)


def test_fingerprint_has_the_functions_that_are_called_and_their_numbers(monkeypatch):
    before = digests(calls_helper)
    assert set(before) == {"function calls_helper", "function helper"}
    monkeypatch.setitem(globals(), "SCALE", 0.2)
    after = digests(calls_helper)
    assert after["function helper"] != before["function helper"]
    assert after["function calls_helper"] == before["function calls_helper"]


def test_fingerprint_of_bytecode_closures_and_objects():
    first = make("def simulator(theta):\n    return theta * 2")
    same = make("def simulator(theta):\n\n    return theta * 2  # a comment")
    other = make("def simulator(theta):\n    return theta * 3")
    assert digests(first) == digests(same) != digests(other)

    def closure(table):
        return lambda theta: theta @ table

    assert digests(closure(np.eye(2))) == digests(closure(np.eye(2)))
    assert digests(closure(np.eye(2))) != digests(closure(np.ones((2, 2))))

    class Simulator:
        def __init__(self, rate):
            self.rate = rate

        def __call__(self, theta):
            return self.rate * theta

    assert digests(Simulator(1)) == digests(Simulator(1)) != digests(Simulator(2))
    assert digests(functools.partial(helper, rng=1)) != digests(functools.partial(helper, rng=2))
    assert simulator_parts(len) == []


def test_counters_and_caches_are_no_part_of_a_fingerprint():
    calls, seen, count = [], {}, 0

    def simulator(theta):
        nonlocal count
        count += 1
        calls.append(theta)
        seen[count] = theta
        return theta

    before = digests(simulator)
    simulator(1)
    assert digests(simulator) == before


def test_a_changed_function_is_refused(tmp_path):
    state = {"calls": 0}

    def stops(theta, rng):
        state["calls"] += 1
        if state["calls"] > 150:  # in the second round: the first is recorded
            raise KeyboardInterrupt
        time.sleep(0.001)  # simulations that are faster than recording are not recorded
        return theta[0] + 0.1 * rng.normal()

    def changed(theta, rng):
        return theta[0] + 0.5 + 0.1 * rng.normal()

    changed.__qualname__ = stops.__qualname__
    with pytest.raises(KeyboardInterrupt):
        infer(stops, tmp_path / "run", num_simulations=400)
    with pytest.raises(epsfree.Error, match="the simulator has changed") as refused:
        infer(changed, tmp_path / "run", num_simulations=400)
    assert "test_continue.py" in str(refused.value)
    assert "use force=True" in str(refused.value) and "--" not in str(refused.value)
    kept = infer(changed, tmp_path / "run", num_simulations=400, keep_simulations=True)
    assert any("the simulator changed" in warning for warning in kept.summary["warnings"])
    fresh = infer(changed, tmp_path / "run", num_simulations=400, force=True)
    assert not fresh.summary["warnings"]


def test_failed_simulations_are_made_again_on_request(tmp_path):
    broken = [True]

    def simulator(theta, rng):
        if broken[0] and theta[0] > 0.7:
            raise ValueError("no license")
        return theta[0] + 0.1 * rng.normal()

    first = infer(simulator, tmp_path / "run")
    failed = first.summary["simulations"]["failed"]
    assert failed > 5
    broken[0] = False
    again = infer(simulator, tmp_path / "run", retry_failed=True)
    assert again.summary["simulations"]["failed"] == 0
    assert again.summary["recording"]["simulated"] == failed
    fresh = infer(simulator, tmp_path / "fresh")
    assert (again.sample((20,), seed=1) == fresh.sample((20,), seed=1)).all()
    with pytest.raises(epsfree.InputError, match="retry_failed"):
        epsfree.infer(simulator, PRIOR, [0.4], num_simulations=60, retry_failed=True)


COUNT = np.zeros(1)


def counts(theta, rng):
    COUNT[0] += 1
    return theta[0]


def test_an_array_that_the_simulator_fills_is_no_part_of_it():
    before = digests(counts)
    counts([1.0], None)
    assert digests(counts) == before
