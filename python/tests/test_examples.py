"""The examples run, and find what they look for."""
import importlib
import json
import sys

import numpy as np
import pytest

from conftest import ROOT

FOLDER = ROOT / "examples" / "python"


@pytest.fixture(autouse=True)
def at_home(monkeypatch, tmp_path):
    monkeypatch.syspath_prepend(str(FOLDER))
    monkeypatch.chdir(tmp_path)
    yield
    for name in ("sir", "mixture", "linear_regression", "lotka_volterra", "mg1_queue", "paper_models"):
        sys.modules.pop(name, None)


def test_mixture():
    learnt, exact = importlib.import_module("mixture").main()
    draws = exact.sample((2000,), seed=1)
    assert (exact.log_prob(draws) - learnt.log_prob(draws)).mean() < 0.2


def test_linear_regression():
    posterior, mean, covariance = importlib.import_module("linear_regression").main()
    std = np.sqrt(np.diagonal(covariance))
    assert (np.abs(posterior.mean() - mean) < 0.5 * std).all()
    assert (np.abs(np.log(posterior.std() / std)) < 0.3).all()


@pytest.mark.filterwarnings("ignore::epsfree.EpsfreeWarning")
def test_lotka_volterra():
    module = importlib.import_module("lotka_volterra")
    posterior = module.main(num_simulations=60, num_workers=2)
    assert (np.abs(posterior.mean() - module.TRUTH) < 4 * posterior.std() + 0.1).all()


def test_mg1_queue():
    posterior = importlib.import_module("mg1_queue").main()
    assert (np.abs(posterior.mean() - [1, 5, 0.2]) < 4 * posterior.std()).all()


def test_sir():
    module = importlib.import_module("sir")
    posterior = module.main(num_simulations=400)
    assert (np.abs(posterior.mean() - module.TRUTH) < 4 * posterior.std()).all()


def test_paper_models(capsys):
    importlib.import_module("paper_models").main()
    assert "log_theta4" in capsys.readouterr().out


def test_notebook():
    pytest.importorskip("matplotlib").use("agg")
    notebook = json.loads((FOLDER / "sir.ipynb").read_text())
    names = {}
    for cell in notebook["cells"]:
        if cell["cell_type"] == "code":
            assert not cell["outputs"], "notebooks are kept without outputs"
            exec("".join(cell["source"]), names)
    assert names["posterior"].dim == 3
    import matplotlib.pyplot
    matplotlib.pyplot.close("all")


def test_side_by_side_without_the_peer(tmp_path):
    """bench/peers without sbi and without reference posteriors, which it says."""
    import subprocess
    done = subprocess.run([sys.executable, str(ROOT / "bench" / "peers" / "run.py"), "--alone", "--seeds", "1", "2",
                           "--problems", "lotka-volterra", "--budget", "400", "--methods", "default",
                           "--reference", str(tmp_path / "none"), "--out", str(tmp_path / "results.jsonl")],
                          capture_output=True, text=True, check=True)
    assert "reference posteriors: none" in done.stdout
    assert "lotka-volterra: nothing: nats are those of the true parameters" in done.stdout
    row = [line for line in done.stdout.splitlines() if line.startswith("| lotka-volterra | epsfree")][0]
    assert row.split(" | ")[3] == "400" and row.endswith("0 of 2 |")
    results = [json.loads(line) for line in (tmp_path / "results.jsonl").read_text().splitlines()]
    assert [r["seed"] for r in results] == [1, 2] and all(np.isfinite(r["nats"]) for r in results)
