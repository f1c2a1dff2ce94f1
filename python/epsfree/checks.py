"""Whether to trust an answer: checks with verdicts, the report, and distances between samples."""
from __future__ import annotations

import json
import os
from typing import Any, Iterator, NamedTuple

from . import _core, display
from .arrays import checked_seed, table
from .errors import InputError
from .kinds import Path, Seed, Watch
from .progress import Progress

_HEADER = ("check", "verdict", "quantity", "value", "meaning", "advice")
_WORSE = {"pass": 0, "warn": 1, "fail": 2}


class Diagnosis(dict):
    """One check: a dictionary, as check.json has it (docs/formats.md), with `name`, `verdict` ("pass",
    "warn" or "fail"), `value`, `threshold`, `meaning`, `advice`, `citation` and `tables`."""

    @property
    def verdict(self) -> str:
        """"pass", "warn" or "fail"."""
        return self["verdict"]

    def __repr__(self) -> str:
        advice = "" if self.verdict == "pass" else " " + self["advice"]
        return (f"{self.verdict}  {self['name']}: {self['quantity']} {float(self['value']):.4g}. "
                f"{self['meaning']}{advice}")

    def _row(self) -> tuple[object, ...]:
        return (self["name"], self.verdict, self["quantity"], float(self["value"]), self["meaning"],
                "" if self.verdict == "pass" else self["advice"])

    def _repr_html_(self) -> str:
        return display.table("Diagnosis", [self._row()], _HEADER)


class Check:
    """What the checks of an answer found. Prints itself; true unless one of them failed.

    >>> import epsfree
    >>> posterior = epsfree.infer("mixture", num_simulations=500, seed=1, check=True)
    >>> posterior.check.verdict
    'pass'
    >>> posterior.check["posterior-predictive"].verdict
    'pass'
    """

    def __init__(self, record: dict[str, Any]) -> None:
        #: All of check.json.
        self.record = record
        #: Every check made.
        self.diagnoses = [Diagnosis(each) for each in record["diagnoses"]]
        #: What could not be checked, and why.
        self.notes = list(record["notes"])

    @property
    def verdict(self) -> str:
        """The worst of all: "pass", "warn" or "fail"."""
        return max((each.verdict for each in self.diagnoses), key=_WORSE.__getitem__, default="pass")

    def __bool__(self) -> bool:
        return self.verdict != "fail"

    def __len__(self) -> int:
        return len(self.diagnoses)

    def __iter__(self) -> Iterator[Diagnosis]:
        return iter(self.diagnoses)

    def __getitem__(self, name: str) -> Diagnosis:
        for each in self.diagnoses:
            if each["name"] == name:
                return each
        raise KeyError(f"no check {name!r}; there are {', '.join(d['name'] for d in self.diagnoses)}")

    def __repr__(self) -> str:
        return "\n".join([repr(each) for each in self.diagnoses] + self.notes
                         + [f"verdict: {self.verdict}"])

    def _repr_html_(self) -> str:
        return display.table(f"Check: {self.verdict}", [each._row() for each in self.diagnoses], _HEADER,
                             " ".join(self.notes))


def check(run: Path, *, sbc: int = 0, num_simulations: int | None = None, seed: Seed = 1,
          num_threads: int | None = None, trust: bool = False, progress: Watch = None) -> Check:
    """Says whether the answer in a run directory can be trusted, as `epsfree check` does, and writes
    check.json and report.html there.

    Parameters
    ----------
    run
        The directory of a finished run. One whose simulator is a Python function that was passed to
        :func:`infer` can be checked there only: ``infer(..., check=True)``.
    sbc
        Repeat the whole inference for this number of simulated observations (at least 10; 200 is a good
        number), and check whether the posteriors are right on average. After an interruption, the same
        call continues.
    num_simulations
        From the posterior, and as many from the prior; None: a tenth of the run's, 50 to 1000.
    trust
        Run the simulator even if the directory may come from someone else. Without it, only built-in
        models and the simulators of your own directories are run (SECURITY.md).
    """
    with Progress(progress) as watch:
        text = _core.check_run(os.fspath(run), _whole(sbc, "sbc"),
                               None if num_simulations is None else
                               _whole(num_simulations, "num_simulations"),
                               checked_seed(seed), num_threads, bool(trust), watch)
    return Check(json.loads(text))


def report(run: Path, file: Path | None = None) -> str:
    """Writes the page of a run directory for the browser, finished or not, and returns its path.
    Makes no simulations: :func:`check` does."""
    return _core.write_report(os.fspath(run), "" if file is None else os.fspath(file))


class MMD(NamedTuple):
    """Of :func:`mmd`."""
    squared: float
    p_value: float

    def _repr_html_(self) -> str:
        return display.table("MMD", [("squared", self.squared), ("p-value", self.p_value)])


def c2st(first: Any, second: Any, *, num_folds: int = 5, seed: Seed = 1) -> float:
    """How often a classifier tells two sets of samples apart: 0.5, it cannot; 1, always. Two hidden
    layers of ten units per dimension, five folds, z-scored, as the sbibm benchmark has it
    (Lopez-Paz & Oquab 2017; Lueckmann et al. 2021).

    >>> import numpy as np, epsfree
    >>> rng = np.random.default_rng(1)
    >>> 0.45 < epsfree.c2st(rng.normal(size=(500, 2)), rng.normal(size=(500, 2))) < 0.55
    True
    """
    a, b = _pair(first, second)
    return _core.c2st(a, b, _whole(num_folds, "num_folds"), checked_seed(seed))


def mmd(first: Any, second: Any, *, num_permutations: int = 200, seed: Seed = 1) -> MMD:
    """The squared maximum mean discrepancy, unbiased, with a Gaussian kernel of the median distance,
    and its p-value by permutations (Gretton et al. 2012)."""
    a, b = _pair(first, second)
    return MMD(*_core.mmd(a, b, _whole(num_permutations, "num_permutations"), checked_seed(seed)))


def sliced_wasserstein(first: Any, second: Any, *, num_projections: int = 100, seed: Seed = 1) -> float:
    """The root of the mean squared 2-Wasserstein distance along random directions
    (Bonneel et al. 2015)."""
    a, b = _pair(first, second)
    return _core.sliced_wasserstein(a, b, _whole(num_projections, "num_projections"),
                                    checked_seed(seed))


def compare(reference: Any, samples: Any, *, seed: Seed = 1) -> Check:
    """C2ST, MMD and sliced Wasserstein of samples against a reference's, with verdicts."""
    a, b = _pair(reference, samples)
    return Check(json.loads(_core.compare_samples(a, b, checked_seed(seed))))


def _pair(first, second):
    a, b = table(first, "first"), table(second, "second")
    if a.shape[1] != b.shape[1]:
        raise InputError(f"first has shape {a.shape} and second {b.shape}: expected as many columns, "
                         "one per parameter")
    return a, b


def _whole(value, name):
    if isinstance(value, bool) or int(value) != value or value < 0:
        raise InputError(f"{name} is {value!r}, expected a whole number, 0 or more")
    return int(value)
