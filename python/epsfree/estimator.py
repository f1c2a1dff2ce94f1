"""Trained networks, and posteriors that hold for any observation."""
from __future__ import annotations

import json
import os
from typing import Any, Callable

import numpy as np

from . import _core
from .arrays import checked_seed, checked_shape, table, vector
from .errors import InputError
from .kinds import Array, Numbers, Path, PriorLike, Seed, Shape
from .posterior import Posterior, combine
from .reweighted import ReweightedPosterior
from .summary import Summary


class Estimator:
    """A trained network q(theta | x) with all that is needed to use it."""

    def __init__(self, core: Any, prior: PriorLike = None) -> None:
        self._core = core
        self._prior = prior

    @property
    def amortised(self) -> bool:
        """Whether it holds for any observation: it was trained on parameters from the prior."""
        return self._core.amortised

    @property
    def names(self) -> list[str]:
        """Of the parameters."""
        return self._core.names

    @property
    def num_statistics(self) -> int:
        """The length of an observation."""
        return self._core.num_statistics

    def posterior(self, x: Numbers) -> Posterior:
        """The posterior at an observation, without new simulations."""
        x = vector(x, "x", self.num_statistics)
        posterior = Posterior(self._core.posterior(x), estimator=self, observed=x)
        if self._prior is not None and self._prior.kind == "custom":
            return ReweightedPosterior(posterior, self._prior, estimator=self, observed=x)
        return posterior

    def save(self, path: Path) -> None:
        """Writes estimator.json, which :func:`load_estimator` and the program read."""
        self._core.save(os.fspath(path))

    def __reduce__(self):
        return _restore_estimator, (self._core.to_text(), self._prior)

    def __repr__(self):
        return (f"<epsfree.Estimator of {', '.join(self.names)} given {self.num_statistics} "
                f"statistics, learnt with {self._core.method!r}>")


def _restore_estimator(text, prior):
    return Estimator(_core.parse_estimator(text), prior)


def load_estimator(path: Path) -> Estimator:
    """Reads estimator.json, of Python or of the program: a file, or the run directory that holds it."""
    path = os.fspath(path)
    if os.path.isdir(path):
        path = os.path.join(path, "estimator.json")
    return Estimator(_core.load_estimator(path))


class AmortisedPosterior:
    """A posterior for any observation: of a network that was trained on the prior, or of fits to the
    same simulations.

    It has all methods of :class:`Posterior`, each with `x`, the observation; `set_default_x` sets it
    once.

    >>> import epsfree
    >>> model = epsfree.models["mixture"]
    >>> theta = model.prior.sample((500,), seed=1)
    >>> npe = epsfree.NPE(model.prior).append_simulations(theta, model.simulate(theta, seed=1))
    >>> _ = npe.train(num_steps=500)
    >>> posterior = npe.build_posterior().set_default_x([0.0])
    >>> posterior.sample((100,), seed=1).shape
    (100, 1)
    >>> posterior.sample_batched((100,), x=[[0.0], [1.0], [2.0]], seed=1).shape
    (100, 3, 1)
    """

    _MOST_KEPT = 64
    #: What the checks of the answer found (:class:`epsfree.Check`); None where there were none.
    check: Any = None

    def __init__(self, at: Callable[[Array], Posterior], num_statistics: int, names: list[str],
                 default_x: Numbers | None = None, estimator: Estimator | None = None,
                 summary: Any = None) -> None:
        self._at = at
        self.num_statistics = num_statistics
        self.names = names
        self.estimator = estimator
        self._summary = summary
        self._kept = {}
        self.default_x = None
        if default_x is not None:
            self.set_default_x(default_x)

    @property
    def dim(self) -> int:
        """The number of parameters."""
        return len(self.names)

    @property
    def summary(self) -> Summary | None:
        """What the run or the training did and cost, or None."""
        if callable(self._summary):
            self._summary = Summary(json.loads(self._summary()))
        return self._summary

    def set_default_x(self, x: Numbers) -> AmortisedPosterior:
        """Sets the observation that is meant where none is given; several rows are independent
        observations of the same parameters. Returns itself."""
        self.default_x = self._checked(x)
        return self

    def _checked(self, x):
        if x is None:
            if self.default_x is None:
                raise InputError("x: there is no observation; give x, or call set_default_x first")
            return self.default_x
        if np.ndim(x) == 2 and np.shape(x)[0] != 1:
            x = table(x, "x")
            if x.shape[1] != self.num_statistics:
                raise InputError(f"x has shape {x.shape}, expected (N, {self.num_statistics})")
            if not np.isfinite(x).all():
                raise InputError("x holds a value that is not a finite number")
            return x
        return vector(x, "x", self.num_statistics)

    def at(self, x: Numbers | None = None) -> Posterior:
        """The posterior at an observation, or given several independent ones (rows)."""
        x = self._checked(x)
        if x.ndim == 2 and len(x) == 0:
            raise InputError(f"x has shape {x.shape}, expected at least one row")
        if x.ndim == 2:
            return combine([self.at(row) for row in x])
        key = x.tobytes()
        if key not in self._kept:
            if len(self._kept) >= self._MOST_KEPT:
                self._kept.pop(next(iter(self._kept)))
            self._kept[key] = self._at(x)
        return self._kept[key]

    def sample(self, sample_shape: Shape = (1,), x: Numbers | None = None, seed: Seed = None,
               show_progress_bars: bool | None = None) -> Array:
        """Draws at x; see :meth:`Posterior.sample`."""
        return self.at(x).sample(sample_shape, seed=seed)

    def log_prob(self, theta: Numbers, x: Numbers | None = None,
                 show_progress_bars: bool | None = None) -> Array:
        """The log density at x; see :meth:`Posterior.log_prob`."""
        return self.at(x).log_prob(theta)

    def map(self, x: Numbers | None = None, show_progress_bars: bool | None = None) -> Array:
        """The theta of the highest density at x."""
        return self.at(x).map()

    def sample_batched(self, sample_shape: Shape, x: Numbers, seed: Seed = None,
                       show_progress_bars: bool | None = None) -> Array:
        """Draws at each row of x: an array of shape `sample_shape` + (number of rows, dim)."""
        x = table(x, "x")
        shape, count = checked_shape(sample_shape)
        seed = checked_seed(seed)
        draws = [self.at(row)._sample(count, (seed + i) % 2**63).reshape(shape + (self.dim,))
                 for i, row in enumerate(x)]
        return np.stack(draws, axis=len(shape)) if draws else np.empty(shape + (0, self.dim))

    def log_prob_batched(self, theta: Numbers, x: Numbers,
                         show_progress_bars: bool | None = None) -> Array:
        """The log density of theta, of shape (N, number of rows, dim), at each row of x."""
        x = table(x, "x")
        theta = np.asarray(theta, dtype=float)
        if theta.ndim != 3 or theta.shape[1:] != (len(x), self.dim):
            raise InputError(f"theta has shape {theta.shape}, expected (N, {len(x)}, {self.dim})")
        return np.stack([self.at(row).log_prob(theta[:, i]) for i, row in enumerate(x)], axis=1)

    def __getattr__(self, name: str) -> Any:
        # mean, quantile, marginal, plot, ...: of the posterior at the default observation.
        if name.startswith("_") or not hasattr(Posterior, name):
            raise AttributeError(f"AmortisedPosterior has no attribute {name!r}")
        return getattr(self.at(), name)

    def __mul__(self, other: Posterior | AmortisedPosterior) -> Posterior:
        other = other.at() if isinstance(other, AmortisedPosterior) else other
        return self.at() * other

    def __getstate__(self):
        return dict(self.__dict__, _kept={}, _summary=self.summary)

    def __setstate__(self, state):
        self.__dict__.update(state)

    def __repr__(self):
        where = "no default x" if self.default_x is None else f"default x {self.default_x.tolist()}"
        return f"<epsfree.AmortisedPosterior of {', '.join(self.names)}: {where}>"
