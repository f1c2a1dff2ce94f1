"""Docstrings: their examples run, and everything public has one."""
import doctest
import importlib
import inspect
import pkgutil
import re

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


def test_everything_public_says_what_it_is():
    for name in epsfree.__all__:
        item = getattr(epsfree, name)
        if name == "models":
            continue
        assert inspect.getdoc(item), name
        if inspect.isclass(item):
            for key, member in vars(item).items():
                if key.startswith("_") or not (callable(member) or isinstance(member, property)):
                    continue
                assert inspect.getdoc(getattr(item, key)) or inspect.getdoc(member), f"{name}.{key}"


def test_stubs_are_there():
    import pathlib
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
