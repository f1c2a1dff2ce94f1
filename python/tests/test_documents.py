"""Docstrings: their examples run, and everything public has one."""
import doctest
import importlib
import inspect
import os
import pathlib
import pkgutil
import re
import subprocess
import sys

import pytest

import epsfree
from conftest import ROOT

MODULES = [m.name for m in pkgutil.iter_modules(epsfree.__path__)
           if not m.name.startswith("_") and m.name != "epsfree_worker"]


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", ["", *MODULES])
def test_examples_run(name, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    module = importlib.import_module("epsfree" + (f".{name}" if name else ""))
    if name == "plots":
        pytest.importorskip("matplotlib")
    result = doctest.testmod(module)
    assert result.failed == 0


def public_callables():
    """Name and function of all that users call: functions, constructors, methods and properties."""
    for name in epsfree.__all__:
        item = getattr(epsfree, name)
        if inspect.isfunction(item):
            yield name, item
        for key, member in vars(item).items() if inspect.isclass(item) else ():
            member = getattr(member, "__func__", getattr(member, "fget", member))  # classmethod, property
            if inspect.isfunction(member) and (key == "__init__" or not key.startswith("_")):
                yield f"{name}.{key}", member


CALLABLES = dict(public_callables())


def test_public_callables_are_found():
    assert {"infer", "run", "pairplot", "NPE.__init__", "NPE.train", "Posterior.mixture", "Posterior.sample",
            "Uniform.__init__", "Model.simulate", "CustomPrior.log_prob"} <= set(CALLABLES)
    assert len(CALLABLES) > 80


@pytest.mark.parametrize("name", CALLABLES)
def test_everything_public_says_what_it_is(name):
    function = CALLABLES[name]
    owner = getattr(epsfree, name.split(".")[0])
    if name.endswith(".__init__"):
        assert inspect.getdoc(owner)
    elif "." in name:
        assert inspect.getdoc(getattr(owner, name.split(".")[1]))
    else:
        assert inspect.getdoc(function)


@pytest.mark.parametrize("name", CALLABLES)
def test_everything_public_is_annotated(name):
    function = CALLABLES[name]
    signature = inspect.signature(function)
    missing = [p.name for p in signature.parameters.values()
               if p.annotation is p.empty and p.name not in ("self", "cls")]
    assert not missing
    assert signature.return_annotation is not signature.empty


USER_SCRIPT = """
import numpy as np
import epsfree

def simulator(theta: np.ndarray, rng: np.random.Generator) -> list[float]:
    return [float(theta[0] + rng.normal())]

prior = epsfree.Independent({"a": epsfree.Normal(0, 1)})
posterior = epsfree.infer(simulator, prior, [0.5], num_simulations=200, seed=1, num_workers=2)
draws: np.ndarray = posterior.sample((1000,))
one = epsfree.models["mixture"].exact_posterior()
assert one is not None
height: float = float((one * one).log_prob([[0.0]])[0])
weights, means, covariances = one.mixture
npe = epsfree.NPE(prior).append_simulations(draws, draws)
npe.train(num_steps=100)
many = npe.build_posterior().set_default_x([0.5])
many.sample_batched((10,), [[0.0], [1.0]]).mean()
many.marginal("a").quantile([0.1, 0.9])
names: list[str] = posterior.names
"""


def mypy_of(text, folder):
    """What mypy says of a script."""
    (folder / "script.py").write_text(text)
    environment = dict(os.environ, MYPYPATH=str(pathlib.Path(epsfree.__file__).parents[1])) if (
        "site-packages" not in epsfree.__file__) else None
    return subprocess.run([sys.executable, "-m", "mypy", "--strict", "--cache-dir", str(folder / "cache"),
                           str(folder / "script.py")], capture_output=True, text=True, env=environment).stdout


def test_type_checkers_know_the_package(tmp_path):
    """A script of a user's is accepted, and what is wrong in one is found."""
    pytest.importorskip("mypy")

    def complaints(text):
        # --strict is about the script, not about generics of NumPy that it leaves open.
        return [line for line in mypy_of(text, tmp_path).splitlines()
                if line.startswith(str(tmp_path)) and "[type-arg]" not in line]

    assert complaints(USER_SCRIPT) == []
    wrong = complaints(USER_SCRIPT + "posterior.smaple((1,))\nepsfree.infer(simulator, prior, [0.5], seeds=1)\n"
                                     "epsfree.Uniform(0, 1, names=3)\none.quantile()\n")
    # By line: each class of a union may be complained about. `seeds` may be an option of a method.
    assert len({line.split(":")[1] for line in wrong}) == 3


def test_stubs_are_there():
    folder = pathlib.Path(epsfree.__file__).parent
    assert (folder / "py.typed").exists()
    assert "def parse_prior" in (folder / "_core.pyi").read_text()


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("document", ["README.md", "docs/python.md"])
def test_blocks_of_documents_run(document):
    pytest.importorskip("matplotlib").use("agg")
    blocks = re.findall(r"```python\n(.*?)```", (ROOT / document).read_text(encoding="utf-8"), re.DOTALL)
    assert blocks
    names = {}
    for block in blocks:
        exec(block, names)
    assert names["posterior"].dim == 2
    import matplotlib.pyplot
    matplotlib.pyplot.close("all")
