"""Trained networks, and posteriors that hold for any observation."""
from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING, Any, Callable, Iterable, Mapping

import numpy as np
from numpy.typing import NDArray

from . import _core, display
from .arrays import checked_seed, checked_shape, table, vector
from .errors import InputError
from .kinds import Array, Numbers, Path, Seed, Shape, Watch
from .posterior import Combination, Posterior, checked_words, combine
from .progress import progress
from .summary import Summary

if TYPE_CHECKING:
    import arviz
    import pandas
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from .checks import Check
    from .custom_prior import CustomPrior
    from .priors import Prior
    from .simplex import Dirichlet


class Estimator:
    """A trained network q(theta | x) with all that is needed to use it."""

    def __init__(self, core: Any, prior: Prior | CustomPrior | Dirichlet | None = None,
                 learnt: bool = False) -> None:
        self._core = core
        self._prior = prior
        self._learnt = learnt  # from draws of `prior` itself

    @property
    def amortised(self) -> bool:
        """Whether it holds for any observation: it was trained on parameters from the prior."""
        return self._core.amortised

    @property
    def names(self) -> list[str]:
        """Of the parameters."""
        if self._prior is None or self._prior.dim == len(self._core.names):
            return self._core.names
        return self._prior.names or [f"theta{i + 1}" for i in range(self._prior.dim)]

    @property
    def num_statistics(self) -> int:
        """The length of an observation."""
        return self._core.num_statistics

    def posterior(self, x: Numbers) -> Posterior:
        """The posterior at an observation, without new simulations."""
        x = vector(x, "x", self.num_statistics)
        posterior = Posterior(self._core.posterior(x), estimator=self, observed=x)
        if self._prior is None:
            return posterior
        return self._prior._answer(posterior, learnt=self._learnt, estimator=self, observed=x)

    def save(self, path: Path) -> None:
        """Writes estimator.json, which :func:`load_estimator` and the program read."""
        self._core.save(os.fspath(path))

    def __reduce__(self):
        return _restore_estimator, (type(self), self._core.to_text(), self._prior, self._learnt)

    def __repr__(self):
        return (f"<epsfree.Estimator of {', '.join(self.names)} given {self.num_statistics} "
                f"statistics, learnt with {self._core.method!r}>")

    def _repr_html_(self) -> str:
        return display.table("Estimator", [
            ("parameters", ", ".join(self.names)), ("statistics", self.num_statistics),
            ("method", self._core.method), ("for any observation", "yes" if self.amortised else "no")])


def _restore_estimator(kind, text, prior, learnt):
    return kind(_core.parse_estimator(text), prior, learnt)


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
    check: Check | None = None

    def __init__(self, at: Callable[[Array], Posterior], num_statistics: int, names: list[str],
                 default_x: Numbers | None = None, estimator: Estimator | None = None,
                 summary: Any = None) -> None:
        self._at = at
        self.num_statistics = num_statistics
        self.names = names
        self.estimator = estimator
        self._summary = summary
        self._kept: dict[bytes, Posterior] = {}
        #: The observation that is used if none is given.
        self.default_x: Array | None = None
        #: The first simulations that failed: theta, seed and traceback.
        self.failures: list[tuple[Array, int, str]] = []
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
                raise InputError("x contains a value that is not a finite number")
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
               show_progress_bars: Watch = False) -> Array:
        """Draws at x; see :meth:`Posterior.sample`."""
        return self.at(x).sample(sample_shape, seed=seed, show_progress_bars=show_progress_bars)

    def log_prob(self, theta: Numbers, x: Numbers | None = None) -> Array:
        """The log density at x; see :meth:`Posterior.log_prob`."""
        return self.at(x).log_prob(theta)

    def map(self, x: Numbers | None = None, show_progress_bars: Watch = False) -> Array:
        """The theta of the highest density at x."""
        return self.at(x).map(show_progress_bars=show_progress_bars)

    def sample_batched(self, sample_shape: Shape, x: Numbers, seed: Seed = None,
                       show_progress_bars: Watch = False) -> Array:
        """Draws at each row of x: an array of shape `sample_shape` + (number of rows, dim)."""
        x = table(x, "x")
        shape, count = checked_shape(sample_shape)
        seed = checked_seed(seed)
        if self._draws_at_once() and len(x) and x.shape[1] == self.num_statistics:
            if not np.isfinite(x).all():
                raise InputError("x contains a value that is not a finite number")
            with progress(show_progress_bars, "sampling", len(x)):
                drawn = self.estimator._core.sample_at(x, count, seed)
            drawn = drawn.reshape((len(x),) + shape + (self.dim,))
            return np.ascontiguousarray(np.moveaxis(drawn, 0, len(shape)))
        draws = []
        with progress(show_progress_bars, "sampling", len(x)) as tell:
            for i, row in enumerate(x):
                draws.append(self.at(row)._sample(count, (seed + i) % 2**63).reshape(shape + (self.dim,)))
                tell(i + 1)
        return np.stack(draws, axis=len(shape)) if draws else np.empty(shape + (0, self.dim))

    def _draws_at_once(self):
        """Whether the library can draw at all observations in one call, which is much faster."""
        from .priors import Prior
        estimator = self.estimator
        return (estimator is not None and isinstance(getattr(self._at, "estimator", None), Estimator)
                and self._at.estimator is estimator and estimator.amortised
                and (estimator._prior is None or isinstance(estimator._prior, Prior)))

    def log_prob_batched(self, theta: Numbers, x: Numbers) -> Array:
        """The log density of theta, of shape (N, number of rows, dim), at each row of x."""
        x = table(x, "x")
        theta = np.asarray(theta, dtype=float)
        if theta.ndim != 3 or theta.shape[1:] != (len(x), self.dim):
            raise InputError(f"theta has shape {theta.shape}, expected (N, {len(x)}, {self.dim})")
        return np.stack([self.at(row).log_prob(theta[:, i]) for i, row in enumerate(x)], axis=1)

    # The methods of a posterior, at x or at the default observation if x is not given.

    @property
    def kind(self) -> str:
        """The kind of the posterior at the default observation."""
        return self.at().kind

    @property
    def prior(self) -> Prior | CustomPrior | Dirichlet:
        """The prior."""
        return self.at().prior

    @property
    def has_log_prob(self) -> bool:
        """Whether log_prob and map can be called."""
        return self.at().has_log_prob

    @property
    def mixture(self) -> tuple[Array, Array, Array]:
        """The mixture of the posterior at the default observation; see :attr:`Posterior.mixture`."""
        return self.at().mixture

    @property
    def combination(self) -> Combination | None:
        """With several default observations: how far the product is from the exact one; otherwise None."""
        return self.at().combination

    def mean(self, x: Numbers | None = None) -> Array:
        """The mean of theta at x."""
        return self.at(x).mean()

    def covariance(self, x: Numbers | None = None) -> Array:
        """The covariance of theta at x."""
        return self.at(x).covariance()

    def std(self, x: Numbers | None = None) -> Array:
        """The standard deviations of theta at x."""
        return self.at(x).std()

    def quantile(self, probabilities: Numbers, x: Numbers | None = None) -> Array:
        """Quantiles of each parameter at x; see :meth:`Posterior.quantile`."""
        return self.at(x).quantile(probabilities)

    def describe(self, x: Numbers | None = None) -> dict[str, dict[str, float]]:
        """Mean, standard deviation and central 95% interval of each parameter at x, by name."""
        return self.at(x).describe()

    def named(self, theta: Numbers) -> dict[str, float]:
        """A theta as a dictionary by parameter name."""
        return dict(zip(self.names, vector(theta, "theta", self.dim, finite=False).tolist()))

    def marginal(self, names: str | int | Iterable[str | int], x: Numbers | None = None) -> Posterior:
        """The posterior of some parameters at x; see :meth:`Posterior.marginal`."""
        return self.at(x).marginal(names)

    def conditional(self, given: Mapping[Any, float] | None = None, **values: float) -> Posterior:
        """The posterior of the other parameters where some are known; see
        :meth:`Posterior.conditional`."""
        return self.at().conditional(given, **values)

    def save(self, path: Path) -> None:
        """Writes the posterior at the default observation; `estimator.save` writes the network."""
        self.at().save(path)

    def to_dataframe(self, num_samples: int = 1000, seed: Seed = 1) -> pandas.DataFrame:
        """Samples as a pandas DataFrame; see :meth:`Posterior.to_dataframe`."""
        return self.at().to_dataframe(num_samples, seed)

    def to_arviz(self, num_samples: int = 4000, seed: Seed = 1) -> arviz.InferenceData:
        """Samples as ArviZ's InferenceData; see :meth:`Posterior.to_arviz`."""
        return self.at().to_arviz(num_samples, seed)

    def plot(self, **options: Any) -> tuple[Figure, NDArray[np.object_]]:
        """A corner plot; see :func:`epsfree.pairplot`."""
        return self.at().plot(**options)

    def plot_history(self, **options: Any) -> tuple[Figure, tuple[Axes, Axes]]:
        """How training went; see :func:`epsfree.plots.plot_history`."""
        from .plots import plot_history
        return plot_history(self.summary, **options)

    def __mul__(self, other: Posterior | AmortisedPosterior) -> Posterior:
        other = other.at() if isinstance(other, AmortisedPosterior) else other
        return self.at() * other

    def __getstate__(self):
        return dict(self.__dict__, _kept={}, _summary=self.summary)

    def __setstate__(self, state):
        self.__dict__.update(state)

    def __repr__(self):
        where = "no default x" if self.default_x is None else f"default x {self.default_x.tolist()}"
        return (f"<epsfree.AmortisedPosterior of {', '.join(self.names)}: {where}"
                f"{checked_words(self.check)}>")

    def _repr_html_(self) -> str:
        where = "none; set_default_x sets it" if self.default_x is None else self.default_x.tolist()
        return display.table("AmortisedPosterior", [
            ("parameters", ", ".join(self.names)), ("statistics", self.num_statistics),
            ("default observation", where)])
