"""Problem files and run directories: the same as the program's."""
from __future__ import annotations

import json
import os
from typing import Any

from . import _core, toml_text
from .arrays import checked_seed
from .checks import Check
from .errors import FileError, InputError
from .estimator import AmortisedPosterior, load_estimator
from .infer import _At
from .kinds import Path, Seed, Watch
from .posterior import Posterior
from .progress import Progress
from .summary import Summary


def run(problem: Path, directory: Path | None = None, *, seed: Seed = None,
        options: dict[str, Any] | None = None, observed: Path | None = None, force: bool = False,
        retry_failed: bool = False, keep_simulations: bool = False, progress: Watch = None) -> Posterior | AmortisedPosterior:
    """Runs a problem file, as `epsfree run` does, and returns the posterior.

    Parameters
    ----------
    problem
        The path of a problem file.
    directory
        The run directory; by default runs/<name of the problem>. The same call goes on with an
        interrupted run, and only reads a finished one.
    seed, options, observed
        Over what the file says, as --seed, --set and --observed: `options` maps keys to values,
        ``{"method.num_simulations": 500}``; `observed` is the path of a data file.
    force
        Start over, replacing an earlier run in the directory.
    retry_failed, keep_simulations
        `retry_failed` runs failed simulations again, and everything that depends on them.
        `keep_simulations` continues with the recorded simulations even if the simulator has changed;
        without it, that is an error.

    >>> import epsfree, tempfile, pathlib
    >>> folder = pathlib.Path(tempfile.mkdtemp())
    >>> _ = (folder / "problem.toml").write_text('[simulator]\\nmodel = "mixture"\\n')
    >>> posterior = epsfree.run(folder / "problem.toml", folder / "run", seed=3,
    ...                         options={"method.num_simulations": 200})
    >>> (posterior.sample((5,), seed=1) == epsfree.load(folder / "run").sample((5,), seed=1)).all()
    np.True_
    """
    # For simulators that are Python functions: the wheel brings the worker along.
    worker = os.path.join(os.path.dirname(__file__), "epsfree_worker.py")
    if os.path.exists(worker):
        os.environ.setdefault("EPSFREE_WORKER_PY", worker)
    options = options or {}
    if not isinstance(options, dict):
        raise InputError(f"options is {type(options).__name__}, expected a dictionary such as "
                         "{\"method.num_simulations\": 500}")
    assignments = [line.replace(" = ", "=", 1) for line in toml_text.assignments(options, "")]
    core = _core.load_problem(os.fspath(problem), assignments,
                              None if seed is None else checked_seed(seed),
                              None if observed is None else os.fspath(observed))
    directory = core.default_directory if directory is None else os.fspath(directory)
    with Progress(progress) as watch:
        core.run(directory, force, retry_failed, keep_simulations, watch)
    return load(directory)


def load(path: Path) -> Posterior | AmortisedPosterior:
    """The posterior of a run directory or a posterior file, of Python or of the program. One whose
    network holds for any observation comes as an :class:`AmortisedPosterior`."""
    path = os.fspath(path)
    if not os.path.exists(path):
        raise FileError(f"there is nothing at {path!r}")
    core = _core.open_posterior(path)
    if not os.path.isdir(path):
        return Posterior(core)
    posterior = _of_directory(path, core)
    posterior.check = _check_of(path, posterior.summary)
    return posterior


def _check_of(path, summary):
    """What check.json says, if it is of this posterior."""
    try:
        with open(os.path.join(path, "check.json"), encoding="utf-8") as file:
            record = json.load(file)
        return Check(record) if record["digest"] == summary["digest"] else None
    except (OSError, ValueError, KeyError):
        return None


def _of_directory(path, core):
    with open(os.path.join(path, "summary.json"), encoding="utf-8") as file:
        summary = Summary(json.load(file))
    estimator = None
    if os.path.exists(os.path.join(path, "estimator.json")):
        estimator = load_estimator(path)
        if estimator.amortised:
            return AmortisedPosterior(_At(estimator), estimator.num_statistics, core.names,
                                      estimator._core.observed, estimator, summary)
    return Posterior(core, summary=summary, estimator=estimator)
