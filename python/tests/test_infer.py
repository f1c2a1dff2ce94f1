"""Inference in one call, with simulators of every kind."""
import concurrent.futures
import signal
import subprocess
import sys
import threading
import time

import numpy as np
import pytest

import epsfree
from conftest import OBSERVED, gaussian, gaussian_batch


def draws(posterior):
    return posterior.sample((20,), seed=1)


def run(simulator, prior, **options):
    options.setdefault("num_simulations", 200)
    return epsfree.infer(simulator, prior, OBSERVED, seed=1, **options)


def test_posterior_is_where_it_should_be(posterior):
    # The exact posterior's mean is close to the observed statistics; its spread to 1.3 / sqrt(10).
    assert np.abs(posterior.mean() - OBSERVED).max() < 0.25
    assert 0.25 < posterior.std()[0] < 0.65
    assert posterior.names == ["mu", "log_sigma"]
    assert posterior.summary["simulations"]["total"] <= 400


def test_same_seed_same_result_for_any_workers(prior):
    alone = draws(run(gaussian, prior))
    assert (draws(run(gaussian, prior)) == alone).all()
    assert (draws(run(gaussian, prior, num_workers=2)) == alone).all()
    with concurrent.futures.ThreadPoolExecutor(3) as pool:
        assert (draws(run(gaussian, prior, executor=pool)) == alone).all()
    with concurrent.futures.ProcessPoolExecutor(2) as pool:
        assert (draws(run(gaussian, prior, executor=pool)) == alone).all()
    assert not (draws(epsfree.infer(gaussian, prior, OBSERVED, num_simulations=200, seed=2)) == alone).all()


def test_batches_are_detected_and_share_out_the_same(prior):
    calls = []

    def batch(thetas, rng):
        calls.append(thetas.shape)
        return gaussian_batch(thetas, rng)

    alone = run(batch, prior, num_simulations=400)
    assert max(shape[0] for shape in calls if len(shape) == 2) > 20
    said = run(gaussian_batch, prior, batch=True, num_simulations=400)
    assert (draws(alone) == draws(said)).all()
    workers = run(gaussian_batch, prior, batch=50, num_workers=2)
    assert (draws(workers) == draws(run(gaussian_batch, prior, batch=50))).all()


def test_a_function_of_one_theta_is_never_given_a_batch(prior):
    def elementwise(theta, rng):
        assert theta.ndim == 1
        return theta + rng.normal(size=2)

    assert not run(elementwise, prior).failures


@pytest.mark.parametrize("answer", [lambda t: [t[0], t[1]], lambda t: (t[0], t[1]), lambda t: t,
                                    lambda t: np.array([t], dtype=np.float32)])
def test_arrays_lists_and_tuples(prior, answer):
    run(lambda theta, rng: answer(theta + 0.1 * rng.normal(size=2)), prior, num_simulations=80)


def test_a_scalar_is_one_statistic():
    posterior = epsfree.infer(lambda theta, rng: theta[0] + rng.normal(), epsfree.Normal(0, 1), 0.5,
                              num_simulations=200, seed=1)
    assert abs(posterior.mean()[0] - 0.25) < 0.2


def test_how_the_generator_is_asked_for(prior):
    def by_seed(theta, seed):
        return gaussian(theta, np.random.default_rng(seed))

    assert (draws(run(by_seed, prior)) == draws(run(gaussian, prior))).all()
    run(lambda theta: theta, prior, num_simulations=80)


def test_failures_keep_their_traceback_and_do_not_end_the_run(prior):
    def fragile(theta, rng):
        if theta[0] > 1:
            raise RuntimeError("too far out")
        if theta[0] < -1:
            return [np.nan, 1]
        return gaussian(theta, rng)

    with pytest.warns(epsfree.EpsfreeWarning, match="failed"):
        posterior = run(fragile, prior)
    theta, seed, text = posterior.failures[0]
    assert theta[0] > 1 and "too far out" in text and "fragile" in text
    counts = posterior.summary["simulations"]
    assert counts["failed"] > 0 and counts["invalid"] > 0
    with pytest.warns(epsfree.EpsfreeWarning):
        others = run(fragile, prior, num_workers=2)
    assert others.summary["simulations"] == counts and "too far out" in others.failures[0][2]


def test_nothing_but_failures_stops_with_the_traceback(prior):
    def broken(theta, rng):
        raise KeyError("missing")

    with pytest.raises(epsfree.StoppedError, match="missing"):
        run(broken, prior, batch=False)


def test_another_length_the_second_time(prior):
    calls = []

    def moody(theta, rng):
        calls.append(1)
        return [0.0, 1.0] if len(calls) < 30 else [0.0, 1.0, 2.0]

    with pytest.raises(ValueError, match=r"moody.*\(3,\).*\(2,\)"):
        run(moody, prior)


def test_pickling_trouble_is_explained(prior):
    with concurrent.futures.ProcessPoolExecutor(1) as pool:
        with pytest.raises(ValueError, match="pickled"):
            run(lambda theta, rng: gaussian(theta, rng), prior, executor=pool)
    # The built-in pool inherits what it cannot be sent.
    run(lambda theta, rng: gaussian(theta, rng), prior, num_workers=2, num_simulations=80)


def test_a_process_that_dies_is_said(prior):
    def deadly(theta, rng):
        import os
        os._exit(3)

    with pytest.raises(epsfree.Error, match="died"):
        run(deadly, prior, batch=10, num_workers=2)


def test_progress_is_told(prior):
    events = []
    run(gaussian, prior, progress=lambda event, **fields: events.append((event, fields)))
    simulated = [f for e, f in events if e == "simulation"]
    assert simulated[-1]["done"] == simulated[-1]["total"] == 200
    assert any(event == "round" for event, _ in events)


def test_what_progress_raises_ends_the_run(prior):
    def stop(event, **fields):
        raise OverflowError("enough")

    with pytest.raises(OverflowError, match="enough"):
        run(gaussian, prior, progress=stop)


CTRL_C_SCRIPT = """
import epsfree, numpy, time, sys
def slow(theta, rng):
    time.sleep(0.05)
    return theta
def busy(theta, rng):
    end = time.monotonic() + 0.3
    while time.monotonic() < end:
        pass
    return theta
kind = sys.argv[1]
prior = epsfree.Normal(0, 1)
print("ready", flush=True)
try:
    if kind == "training":
        epsfree.infer("mixture", method="mdn-with-prior", num_simulations=1000, training={"num_steps": 10000000})
    elif kind == "one at a time":  # a chain asks for single simulations
        epsfree.infer(busy, prior, 0.0, method="mcmc-abc", num_simulations=100000, batch=False)
    elif kind == "few":
        epsfree.infer(busy, prior, 0.0, num_simulations=40, batch=False)
    elif kind == "batch":
        epsfree.infer(lambda thetas: [slow(thetas, None)] and thetas, prior, 0.0, num_simulations=10000000, batch=10)
    elif kind == "NPE":
        draws = prior.sample((500,), seed=1)
        epsfree.NPE(prior).append_simulations(draws, draws).train(num_steps=10000000)
    else:
        epsfree.infer(slow, prior, 0.0, num_simulations=100000, batch=False,
                      num_workers=2 if kind == "pool" else None)
except KeyboardInterrupt:
    print("stopped", flush=True)
"""


def test_ctrl_c_stops(tmp_path):
    """In a process of its own: while simulators of all kinds, a pool and a training run."""
    script = tmp_path / "slow.py"
    script.write_text(CTRL_C_SCRIPT)
    for kind in ("alone", "pool", "few", "one at a time", "batch", "training", "NPE"):
        process = subprocess.Popen([sys.executable, str(script), kind], stdout=subprocess.PIPE, text=True)
        assert process.stdout.readline() == "ready\n"
        time.sleep(0.7)
        started = time.monotonic()
        process.send_signal(signal.SIGINT)
        out, _ = process.communicate(timeout=30)
        assert out == "stopped\n" and process.returncode == 0, kind
        assert time.monotonic() - started < 5, kind  # half a second on a machine that is not busy


def test_the_gil_is_released(prior):
    """Another Python thread gets on while the library trains."""
    ticks, done = [], threading.Event()

    def tick():
        while not done.is_set():
            ticks.append(1)
            time.sleep(0.005)

    thread = threading.Thread(target=tick)
    thread.start()
    started = time.monotonic()
    epsfree.infer("mixture", method="mdn-with-prior", num_simulations=200,
                  training={"num_steps": 3000})
    seconds = time.monotonic() - started
    done.set()
    thread.join()
    assert len(ticks) > 20 * seconds


@pytest.mark.filterwarnings("ignore::epsfree.EpsfreeWarning")  # so few simulations are little to go by
@pytest.mark.parametrize("method, options", [
    ("mdn-with-prior", {"training": {"num_steps": 300}}),
    ("proposal-prior", {"rounds": {"max_rounds": 2, "num_simulations": 100,
                                   "training": {"num_steps": 200}}}),
    ("rejection-abc", {"rejection": {"fraction": 0.2}}), ("smc-abc", {"smc": {"population": 30}}),
    ("mcmc-abc", {}), ("synthetic-likelihood", {"synthetic": {"num_chains": 2, "num_replicates": 10}})])
def test_every_method(prior, method, options):
    budget = 600 if method == "mdn-with-prior" else 400  # of which the pilot run takes 200
    posterior = run(gaussian, prior, method=method, num_simulations=budget, **options)
    assert posterior.sample((10,), seed=1).shape == (10, 2)
    assert posterior.summary["method"] == method


@pytest.mark.filterwarnings("ignore::epsfree.EpsfreeWarning")
def test_distances_of_abc(prior):
    calls = []

    def distance(simulated, observed):
        calls.append(1)
        return abs(simulated[0] - observed[0])

    posterior = run(gaussian, prior, method="rejection-abc", distance=distance)
    assert len(calls) >= 200 and posterior.kind == "samples"
    by_name = run(gaussian, prior, method="rejection-abc", distance="mad",
                  pilot={"num_simulations": 50})
    assert by_name.kind == "samples"

    def bad(simulated, observed):
        raise ArithmeticError("no distance")

    with pytest.raises(ArithmeticError):
        run(gaussian, prior, method="rejection-abc", distance=bad)


@pytest.mark.parametrize("distance", ["mad", lambda simulated, observed: 1.0])
@pytest.mark.parametrize("method", [name for name in epsfree.methods() if not name.endswith("-abc")])
def test_a_distance_is_refused_where_it_would_have_no_effect(prior, method, distance):
    with pytest.raises(epsfree.InputError, match=f'^infer: distance is not for the method "{method}"; the methods '
                                                 '"rejection-abc", "mcmc-abc" and "smc-abc" have one$'):
        run(gaussian, prior, method=method, distance=distance)
    with pytest.raises(epsfree.InputError, match="has no distance"):
        core = epsfree._core.parse_problem(f'method.name = "{method}"\n[simulator]\nmodel = "mixture"', "x", None, 0)
        core.set_distance(distance)
    with pytest.raises(epsfree.InputError, match='got "magic"'):
        run(gaussian, prior, method="magic", distance=distance)


def calls_of(prior, num_simulations, **options):
    calls = []

    def counted(theta, rng):
        calls.append(1)
        return gaussian(theta, rng)

    posterior = epsfree.infer(counted, prior, OBSERVED, num_simulations=num_simulations, seed=1, batch=False, **options)
    assert posterior.summary["simulations"]["total"] == len(calls) - 1  # one call tries the function beforehand
    return len(calls) - 1


@pytest.mark.filterwarnings("ignore::epsfree.EpsfreeWarning")
@pytest.mark.parametrize("method, options", [
    ("mdn-with-prior", {"training": {"num_steps": 50}}),
    ("proposal-prior", {"rounds": {"tolerance": 0.0, "training": {"num_steps": 50}}}),
    ("mdn-with-proposal", {"rounds": {"tolerance": 0.0, "training": {"num_steps": 50}}, "training": {"num_steps": 50}})])
def test_the_budget_is_all_calls_of_the_simulator(prior, method, options):
    """Pilot run, rounds and final training: nothing is simulated beside the budget."""
    assert 500 - 6 < calls_of(prior, 500, method=method, **options) <= 500  # six rounds of the same size
    with pytest.raises(epsfree.InputError, match=r"^infer: num_simulations is 150; it must be .*pilot run"):
        calls_of(prior, 150, method=method, **options)


def test_several_observations_of_the_same_parameters(prior):
    options = {"method": "mdn-with-prior", "num_simulations": 800, "training": {"num_steps": 1500}}
    one = epsfree.infer(gaussian, prior, OBSERVED, **options)
    four = epsfree.infer(gaussian, prior, [OBSERVED] * 4, **options)
    assert four.std()[0] < 0.75 * one.std()[0]
    with pytest.raises(ValueError, match="mdn-with-prior"):
        epsfree.infer(gaussian, prior, [OBSERVED] * 4)


@pytest.mark.parametrize("wrong, message", [
    (dict(observed=[0.5, np.nan]), r"observed\[1\] is nan"),
    (dict(observed=[[0.5], [0.2]], method="auto"), r"\(2, 1\)"),
    (dict(observed=["a", "b"]), "observed"),
    (dict(observed=[1.0, 2.0, 3.0]), r"\(2,\).*3 statistics"),
    (dict(num_simulations=-1), "num_simulations"),
    (dict(num_simulations="many"), "num_simulations"),
    (dict(method="magic"), "magic"),
    (dict(traning={"num_steps": 1}), "traning"),
    (dict(training={"num_step": 1}, method="mdn-with-prior", num_simulations=250), "num_step"),
    (dict(seed=-1), "seed"),
    (dict(seed=1.5), "seed"),
    (dict(names=["a"]), "names"),
    (dict(num_workers=-2), "num_workers"),
    (dict(executor=3), "executor"),
    (dict(prior=3), "prior"),
    (dict(prior=epsfree.Normal([0, 0, 0], 1), simulator=lambda t: [t[0] + t[1], t[2][3]]), "simulator"),
    (dict(simulator=lambda t: t[5]), "number of parameters"),
    (dict(simulator="lotka"), "lotka"),
    (dict(simulator=7), "simulator")])
def test_bad_input_is_named(prior, wrong, message):
    arguments = dict(simulator=gaussian, prior=prior, observed=OBSERVED, num_simulations=50)
    arguments.update(wrong)
    with pytest.raises(ValueError, match=message):
        epsfree.infer(arguments.pop("simulator"), arguments.pop("prior"), arguments.pop("observed"),
                      **arguments)


def test_import_is_light():
    code = ("import sys, time; t = time.perf_counter(); import numpy; n = time.perf_counter(); "
            "import epsfree; print(time.perf_counter() - n); "
            "assert not {'scipy', 'matplotlib', 'pandas', 'torch'} & set(sys.modules)")
    best = min(float(subprocess.run([sys.executable, "-c", code], check=True, capture_output=True,
                                    text=True).stdout) for _ in range(3))
    assert best < 0.5


