"""Problem files and run directories, shared with the program."""
import contextlib
import csv
import io
import json
import signal
import sqlite3
import subprocess
import time

import numpy as np
import pytest

import epsfree
from conftest import OBSERVED, gaussian

PROBLEM = """
seed = 7
[simulator]
model = "mixture"
[method]
num_simulations = 300
"""


def call(program, *arguments):
    return subprocess.run([program, *map(str, arguments)], check=True, capture_output=True, text=True).stdout


def samples_of(program, directory):
    rows = list(csv.reader(io.StringIO(call(program, "sample", directory, "-n", 10, "--seed", 5))))
    return np.array(rows[1:], dtype=float)


@pytest.mark.parametrize("model, method", [("mixture", "auto"), ("linear-regression", "auto"),
                                           ("mg1-queue", "auto"), ("lotka-volterra", "auto"),
                                           ("mixture", "mdn-with-prior"),
                                           ("mixture", "mdn-with-proposal")])
def test_the_same_numbers_as_the_program(program, tmp_path, model, method):
    """Same seed: the same bits, without and with a run directory."""
    budget = 350 if method == "mdn-with-proposal" else 150  # the rounds are part of it
    options = {} if method == "auto" else {"training": {"num_steps": 200}}
    if method == "mdn-with-proposal":
        options["rounds"] = {"max_rounds": 2, "num_simulations": 100, "training": {"num_steps": 100}}
    here = epsfree.infer(model, num_simulations=budget, seed=7, method=method, **options)
    problem = tmp_path / "problem.toml"
    lines = [f'seed = 7\n[simulator]\nmodel = "{model}"\n[method]\nname = "{method}"\nnum_simulations = {budget}']
    if "training" in options:
        lines.append("training.num_steps = 200")
    if "rounds" in options:
        lines.append("rounds.max_rounds = 2\nrounds.num_simulations = 100\nrounds.training.num_steps = 100")
    problem.write_text("\n".join(lines))
    call(program, "run", problem, "--out", tmp_path / "there", "--quiet")
    there = samples_of(program, tmp_path / "there")
    assert (here.sample((10,), seed=5) == there).all()
    assert (epsfree.load(tmp_path / "there").sample((10,), seed=5) == there).all()
    theirs = epsfree.run(problem, tmp_path / "here")
    assert (theirs.sample((10,), seed=5) == there).all()
    assert "finished already" in subprocess.run([program, "run", str(problem), "--out", str(tmp_path / "here")],
                                                capture_output=True, text=True).stderr


def test_options_over_the_file(tmp_path):
    (tmp_path / "p.toml").write_text(PROBLEM)
    posterior = epsfree.run(tmp_path / "p.toml", tmp_path / "run", seed=9,
                            options={"method": {"num_simulations": 120}})
    assert posterior.summary["seed"] == 9 and posterior.summary["simulations"]["total"] <= 120
    again = epsfree.run(tmp_path / "p.toml", tmp_path / "run", seed=9,
                        options={"method.num_simulations": 120})
    assert (again.mean() == posterior.mean()).all()
    with pytest.raises(ValueError, match="exists already"):
        epsfree.run(tmp_path / "p.toml", tmp_path / "run", seed=10)


def test_a_closure_is_recorded_and_gone_on_with(prior, tmp_path, program):
    calls = []

    def counted(theta, rng):
        calls.append(1)
        return gaussian(theta, rng)

    def interrupted(theta, rng):
        if len(calls) > 120:
            raise KeyboardInterrupt
        return counted(theta, rng)

    # KeyboardInterrupt in a simulator, as Ctrl-C would have it, ends the run.
    whole = epsfree.infer(counted, prior, OBSERVED, num_simulations=200, seed=1, batch=False)
    calls.clear()
    stop = []

    def watch(event, **fields):
        if event == "simulation" and fields["done"] > 100 and not stop:
            stop.append(1)
            raise KeyboardInterrupt

    def slow(theta, rng):
        import time
        time.sleep(0.004)  # slow enough to be recorded
        return counted(theta, rng)

    slow.__qualname__ = "counted"
    arguments = dict(num_simulations=200, seed=1, batch=False, directory=tmp_path / "run")
    with pytest.raises(KeyboardInterrupt):
        epsfree.infer(slow, prior, OBSERVED, progress=watch, **arguments)
    before = len(calls)
    posterior = epsfree.infer(slow, prior, OBSERVED, **arguments)
    assert len(calls) < before + 200
    assert (posterior.sample((5,), seed=1) == whole.sample((5,), seed=1)).all()
    assert (samples_of(program, tmp_path / "run") == posterior.sample((10,), seed=5)).all()
    refused = subprocess.run([program, "run", str(tmp_path / "run" / "run.toml"), "--out",
                              str(tmp_path / "other")], capture_output=True, text=True)
    assert refused.returncode != 0 and "Python function 'counted'" in refused.stderr


SLOW_SIMULATOR = """
import random, time

def simulate(theta, seed):
    time.sleep(0.01)  # slow enough to be recorded
    return [theta[0] + random.Random(seed).gauss(0, 1)]
"""
SLOW_PROBLEM = """
[simulator]
python = "slow_model:simulate"
num_statistics = 1
[prior]
kind = "independent"
[[prior.parameter]]
name = "a"
family = "normal"
mean = 0.0
std = 1.0
[observed]
values = [0.5]
[method]
num_simulations = 150
"""


@pytest.fixture
def slow_problem(tmp_path):
    (tmp_path / "slow_model.py").write_text(SLOW_SIMULATOR)
    (tmp_path / "p.toml").write_text(SLOW_PROBLEM)
    return tmp_path / "p.toml"


def num_recorded(directory):
    """Simulations in the ledger of a run that is not at work."""
    with contextlib.closing(sqlite3.connect(directory / "ledger.sqlite")) as ledger:
        return ledger.execute("SELECT count(*) FROM simulations").fetchone()[0]


def num_done(directory):
    """Simulations of a run that is at work; 0 before it has begun."""
    try:
        return json.loads((directory / "status.json").read_text())["simulations"]["recorded"]
    except (OSError, KeyError, ValueError):
        return 0


def test_a_run_begun_in_one_goes_on_in_the_other(program, slow_problem, tmp_path):
    call(program, "run", slow_problem, "--out", tmp_path / "whole", "--quiet")
    whole = (tmp_path / "whole" / "posterior.json").read_bytes()

    # Begun in Python, gone on with by the program.
    def stop(event, **fields):
        if event == "simulation" and num_done(tmp_path / "python") > 30:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        epsfree.run(slow_problem, tmp_path / "python", progress=stop)
    assert not (tmp_path / "python" / "posterior.json").exists()
    begun = num_recorded(tmp_path / "python")
    assert 30 < begun < 150
    call(program, "run", slow_problem, "--out", tmp_path / "python", "--quiet")
    assert (tmp_path / "python" / "posterior.json").read_bytes() == whole
    assert num_recorded(tmp_path / "python") == 150

    # Begun by the program, gone on with in Python.
    process = subprocess.Popen([program, "run", str(slow_problem), "--out", str(tmp_path / "program"), "--quiet"],
                               stderr=subprocess.PIPE)
    deadline = time.monotonic() + 60
    while num_done(tmp_path / "program") <= 30 and time.monotonic() < deadline:
        time.sleep(0.02)
    process.send_signal(signal.SIGINT)
    process.communicate(timeout=30)
    assert process.returncode == 130
    assert 30 < num_recorded(tmp_path / "program") < 150
    posterior = epsfree.run(slow_problem, tmp_path / "program")
    assert (tmp_path / "program" / "posterior.json").read_bytes() == whole
    assert posterior.summary["simulations"]["total"] == 150


def test_the_program_says_that_a_closure_is_pythons(prior, tmp_path, program):
    """Of a run that was interrupted, in its own directory."""
    def simulator_of_mine(theta, rng):
        time.sleep(0.005)
        return gaussian(theta, rng)

    def stop(event, **fields):
        if event == "simulation" and fields["done"] > 40:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        epsfree.infer(simulator_of_mine, prior, OBSERVED, num_simulations=200, seed=1, batch=False,
                      directory=tmp_path / "run", progress=stop)
    refused = subprocess.run([program, "run", str(tmp_path / "run" / "run.toml"), "--out", str(tmp_path / "run")],
                             capture_output=True, text=True)
    assert refused.returncode == 64
    assert "simulator_of_mine', which only the Python session that made it can call" in refused.stderr
    assert "epsfree.infer(..., directory=...)" in refused.stderr


def test_python_simulators_of_problem_files(tmp_path):
    (tmp_path / "model_of_mine.py").write_text(
        "def simulate(theta, seed):\n    import random\n    return [theta[0] + random.Random(seed).gauss(0, 1)]\n")
    (tmp_path / "p.toml").write_text(
        '[simulator]\npython = "model_of_mine:simulate"\nnum_statistics = 1\n'
        '[prior]\nkind = "independent"\n[[prior.parameter]]\nname = "a"\nfamily = "normal"\nmean = 0.0\n'
        'std = 1.0\n[observed]\nvalues = [0.5]\n[method]\nnum_simulations = 60\n')
    assert epsfree.run(tmp_path / "p.toml", tmp_path / "run").names == ["a"]


def test_amortised_runs_are_loaded_as_such(tmp_path):
    (tmp_path / "p.toml").write_text(PROBLEM.replace('num_simulations = 300',
                                     'name = "mdn-with-prior"\nnum_simulations = 200\ntraining.num_steps = 200'))
    epsfree.run(tmp_path / "p.toml", tmp_path / "run")
    posterior = epsfree.load(tmp_path / "run")
    assert posterior.sample_batched((3,), [[0.0], [1.0]], seed=1).shape == (3, 2, 1)


def test_what_is_not_there(tmp_path):
    with pytest.raises(OSError):
        epsfree.load(tmp_path / "nothing")
    with pytest.raises(OSError):
        epsfree.run(tmp_path / "nothing.toml")
    (tmp_path / "bad.json").write_text("{}")
    with pytest.raises(ValueError, match="bad.json"):
        epsfree.load(tmp_path / "bad.json")
    (tmp_path / "bad.toml").write_text("[simulator]\nmodle = 'x'\n")
    with pytest.raises(ValueError, match="modle"):
        epsfree.run(tmp_path / "bad.toml")
