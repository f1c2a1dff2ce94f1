"""Progress bars: in terminals and in notebooks."""
import io
import re
import sys
import types

import pytest

import epsfree
from conftest import OBSERVED, gaussian
from epsfree.progress import Progress


class Terminal(io.StringIO):
    def isatty(self):
        return True


def test_bar_of_a_terminal(prior, monkeypatch):
    terminal = Terminal()
    monkeypatch.setattr(sys, "stderr", terminal)
    epsfree.infer(gaussian, prior, OBSERVED, num_simulations=100, seed=1, batch=False)
    text = terminal.getvalue()
    assert re.search(r"simulating \[#*\.*\] \d+/\d+", text)
    assert text.endswith("\r\033[K")  # and it is gone
    monkeypatch.setattr(sys, "stderr", Terminal())
    epsfree.infer(gaussian, prior, OBSERVED, num_simulations=100, seed=1, batch=False, progress=False)
    assert sys.stderr.getvalue() == ""


def test_no_bar_where_nobody_watches(prior, capsys):
    epsfree.infer(gaussian, prior, OBSERVED, num_simulations=100, seed=1, batch=False)
    assert capsys.readouterr().err == ""


@pytest.fixture
def shown(monkeypatch):
    """What a notebook would be told to display, in order."""
    told = []

    class Handle:
        def update(self, item):
            told.append(("update", item))

    def display(item, display_id=False):
        assert display_id
        told.append(("display", item))
        return Handle()

    shell = types.SimpleNamespace(config={"IPKernelApp": {}})
    monkeypatch.setitem(sys.modules, "IPython", types.SimpleNamespace(get_ipython=lambda: shell))
    monkeypatch.setitem(sys.modules, "IPython.display", types.SimpleNamespace(HTML=str, display=display))
    return told


def test_bar_of_a_notebook(prior, shown, capsys):
    """One element that changes, not one below the other, and none at the end."""
    epsfree.infer(gaussian, prior, OBSERVED, num_simulations=100, seed=1, batch=False)
    assert [kind for kind, _ in shown] == ["display"] + ["update"] * (len(shown) - 1)
    shares = [float(share) for _, item in shown[:-1] for share in re.findall(r"<progress value='([\d.]+)'", item)]
    assert len(shares) == len(shown) - 1 and max(shares) == 1.0
    assert "simulating" in shown[0][1] and shown[-1][1] == ""
    assert capsys.readouterr().err == ""


def test_training_and_failures_are_told(shown):
    with Progress(True) as watch:
        fields = dict(phase="round", round=2, num_rounds=3, done=50, total=100)
        watch("simulation", num_bad=7, **fields)
        watch("training", loss=1.25, **dict(fields, done=100))
    assert "round 2/3 simulating" in shown[0][1] and "7 not ok" in shown[0][1]
    assert "training" in shown[1][1] and "loss 1.25" in shown[1][1]


def test_in_a_kernel(tmp_path, monkeypatch):
    """The same, in a real notebook."""
    nbclient, nbformat = pytest.importorskip("nbclient"), pytest.importorskip("nbformat")
    pytest.importorskip("ipykernel")
    import pathlib
    folder = pathlib.Path(epsfree.__file__).parents[1]
    code = f"""
import sys
sys.path.insert(0, {str(folder)!r})
import epsfree
publisher, published = get_ipython().display_pub, []
publish = publisher.publish
publisher.publish = lambda data, *a, **k: (published.append(data.get("text/html", "")), publish(data, *a, **k))
epsfree.infer("mixture", num_simulations=300, seed=1)
publisher.publish = publish
print(sum("<progress" in p for p in published) > 0, published[-1] == "")
"""
    book = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(code)])
    nbclient.NotebookClient(book, timeout=120, kernel_name="python3",
                            resources={"metadata": {"path": str(tmp_path)}}).execute()
    printed = [output["text"] for output in book.cells[0].outputs if output["output_type"] == "stream"]
    assert printed == ["True True\n"]
