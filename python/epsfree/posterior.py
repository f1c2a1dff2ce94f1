"""Posteriors: what is believed about the parameters after the data."""
from __future__ import annotations

import inspect
import json
import warnings
from typing import TYPE_CHECKING, Any, Iterable, Mapping, NamedTuple

import numpy as np
from numpy.typing import NDArray

from . import _core, display
from .arrays import checked_seed, checked_shape, rows, vector
from .errors import EpsfreeWarning, InputError
from .kinds import Array, Numbers, Path, PriorLike, Seed, Shape, Watch
from .method_table import for_any_observation
from .progress import progress
from .summary import Summary

if TYPE_CHECKING:
    import arviz
    import pandas
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from .checks import Check
    from .custom_prior import CustomPrior
    from .estimator import Estimator
    from .priors import Prior
    from .simplex import Dirichlet


class Combination(NamedTuple):
    """How far a product of posteriors is from the exact one (:func:`combine`)."""
    #: Whether it is exact: it has few components, and none were merged.
    exact: bool
    #: Estimated: the largest error of the probability of any set of parameters.
    total_variation: float
    #: Estimated: the divergence KL(posterior || exact product) in nats.
    divergence: float

    def _repr_html_(self) -> str:
        return display.table("Combination", list(self._asdict().items()))


class Posterior:
    """A distribution over theta, on the prior's support.

    >>> import epsfree
    >>> posterior = epsfree.infer("mixture", num_simulations=300, seed=1)
    >>> posterior.sample((1000,), seed=1).shape
    (1000, 1)
    >>> posterior.log_prob([[0.0], [11.0]])[1]  # outside the prior's support
    np.float64(-inf)
    """

    #: What the checks of the answer found (:class:`epsfree.Check`); None where there were none.
    check: Check | None = None
    #: For a product of posteriors: how far it is from the exact one (:class:`Combination`); otherwise None.
    combination: Combination | None = None

    def __init__(self, core: Any, prior: PriorLike = None, summary: Any = None,
                 estimator: Estimator | None = None,
                 failures: Iterable[tuple[Array, int, str]] = (), observed: Array | None = None) -> None:
        self._core = core
        self._prior = prior
        self._summary = summary
        #: The network, or None.
        self.estimator = estimator
        #: The first simulations that failed: theta, seed and traceback.
        self.failures = list(failures)
        #: The observation.
        self.default_x = observed

    # What it is.

    @property
    def names(self) -> list[str]:
        """Of the parameters."""
        return self._core.names

    @property
    def dim(self) -> int:
        """The number of parameters."""
        return self._core.dim

    @property
    def kind(self) -> str:
        """"mixture" (of Gaussians, in the prior's coordinates), "samples" or "marginal"."""
        return self._core.kind

    @property
    def prior(self) -> Prior | CustomPrior | Dirichlet:
        """The prior."""
        if self._prior is None:
            from .priors import Prior
            self._prior = Prior._from_core(self._core.prior, self.names)
        return self._prior

    @property
    def summary(self) -> Summary | None:
        """What the run did and cost, or None if this did not come from one."""
        if callable(self._summary):
            self._summary = Summary(json.loads(self._summary()))
        return self._summary

    def _reject_x(self, x):
        if x is None or (self.default_x is not None and np.array_equal(
                np.asarray(x, dtype=float).reshape(-1), self.default_x)):
            return
        raise InputError("x: this posterior holds for the observation it was inferred from; infer again, or "
                         f"use NPE or the method {for_any_observation()}, which learn for any")

    # Drawing and evaluating.

    def sample(self, sample_shape: Shape = (1,), x: Numbers | None = None, seed: Seed = None,
               show_progress_bars: Watch = False) -> Array:
        """Draws of theta: an array of shape `sample_shape` + (dim,). The same seed gives the same
        draws, those of `epsfree sample --seed`. `x` can only be the observation of this posterior.

        >>> import epsfree
        >>> posterior = epsfree.models["mixture"].exact_posterior()
        >>> posterior.sample((2, 3), seed=1).shape
        (2, 3, 1)
        """
        self._reject_x(x)
        shape, count = checked_shape(sample_shape)
        with progress(show_progress_bars, "sampling", count):
            return self._sample(count, checked_seed(seed)).reshape(shape + (self.dim,))

    def _sample(self, count, seed):
        return self._core.sample(count, seed)

    def log_prob(self, theta: Numbers, x: Numbers | None = None) -> Array:
        """The log density of each row of theta, normalised on the prior's support; -inf outside."""
        self._reject_x(x)
        return self._core.log_prob(rows(theta, "theta", self.dim))

    @property
    def has_log_prob(self) -> bool:
        """Whether log_prob and map can be called: not for samples."""
        return self._core.has_log_prob

    def map(self, x: Numbers | None = None, show_progress_bars: Watch = False) -> Array:
        """The theta of the highest density."""
        self._reject_x(x)
        with progress(show_progress_bars, "searching", 1):
            return self._map()

    def _map(self):
        return self._core.map()

    def mean(self) -> Array:
        """The mean of theta."""
        return self._core.mean()

    def covariance(self) -> Array:
        """The covariance of theta."""
        return self._core.covariance()

    def std(self) -> Array:
        """The standard deviations of theta."""
        return np.sqrt(np.diagonal(self.covariance()))

    def quantile(self, probabilities: Numbers) -> Array:
        """Quantiles of each parameter: of shape (dim,) for one probability, (N, dim) for N.

        >>> import epsfree
        >>> epsfree.models["mixture"].exact_posterior(0.0).quantile([0.025, 0.5, 0.975]).shape
        (3, 1)
        """
        p = vector(probabilities, "probabilities")
        if ((p < 0) | (p > 1)).any():
            raise InputError(f"probabilities is {p.tolist()}, expected numbers from 0 to 1")
        result = self._core.quantile(p)
        return result[0] if np.ndim(probabilities) == 0 else result

    def describe(self) -> dict[str, dict[str, float]]:
        """Mean, standard deviation and central 95% interval of each parameter, by name."""
        mean, std, ends = self.mean(), self.std(), self.quantile([0.025, 0.975])
        return {name: {"mean": float(mean[i]), "std": float(std[i]), "lower_95": float(ends[0, i]),
                       "upper_95": float(ends[1, i])} for i, name in enumerate(self.names)}

    def named(self, theta: Numbers) -> dict[str, float]:
        """A theta as a dictionary by parameter name.

        >>> import epsfree
        >>> list(epsfree.models["mixture"].exact_posterior().named([1.0]))
        ['theta']
        """
        values = vector(theta, "theta", self.dim, finite=False)
        return dict(zip(self.names, values.tolist()))

    @property
    def mixture(self) -> tuple[Array, Array, Array]:
        """Weights (K,), means (K, D) and covariances (K, D, D) of the Gaussian mixture, in the prior's
        coordinates and before it is cut off at the prior's bounds."""
        weights, means, covariances = self._core.components()
        return weights, means, covariances.reshape(-1, self.dim, self.dim)

    # Algebra.

    def _index(self, name):
        if isinstance(name, str):
            if name not in self.names:
                raise InputError(f"there is no parameter {name!r}; there are "
                                 f"{', '.join(map(repr, self.names))}")
            return self.names.index(name)
        try:
            index = int(name)
        except Exception:  # noqa: BLE001: whatever cannot be a number
            raise InputError(f"parameter {name!r} is neither a name nor a number") from None
        if not 0 <= index < self.dim:
            raise InputError(f"parameter {index} is out of range, expected 0 to {self.dim - 1}")
        return index

    def marginal(self, names: str | int | Iterable[str | int]) -> Posterior:
        """The posterior of some parameters, whatever the others are; by name or number.

        >>> import epsfree
        >>> posterior = epsfree.models["linear-regression"].exact_posterior()
        >>> posterior.marginal(["theta1", "theta3"]).dim
        2
        """
        if isinstance(names, (str, int, np.integer)):
            names = [names]
        try:
            names = list(names)
        except TypeError:
            raise InputError(f"names is {names!r}, expected names or numbers of parameters") from None
        return Posterior(self._core.marginal([self._index(name) for name in names]))

    def conditional(self, given: Mapping[Any, float] | None = None, **values: float) -> Posterior:
        """The posterior of the other parameters where some are known: `conditional(c=1.0)`.

        >>> import epsfree
        >>> posterior = epsfree.models["linear-regression"].exact_posterior()
        >>> posterior.conditional(theta1=0.5, theta2=0.0).names
        ['theta3', 'theta4', 'theta5', 'theta6']
        """
        given = dict(given or {}, **values)
        dims = [self._index(name) for name in given]
        return Posterior(self._core.conditional(dims, vector(list(given.values()), "given")))

    def __mul__(self, other: Posterior) -> Posterior:
        """The posterior given both data sets, which must be independent: the product of the two with
        the prior counted once."""
        if not isinstance(other, Posterior):
            return NotImplemented
        return combine([self, other])

    # Keeping.

    def save(self, path: Path) -> None:
        """Writes posterior.json, which :func:`epsfree.load`, the program and others read."""
        import os
        self._core.save(os.fspath(path))

    def to_dataframe(self, num_samples: int = 1000, seed: Seed = 1) -> pandas.DataFrame:
        """Samples as a pandas DataFrame, one column per parameter."""
        import pandas
        return pandas.DataFrame(self.sample((num_samples,), seed=seed), columns=self.names)

    def to_arviz(self, num_samples: int = 4000, seed: Seed = 1) -> arviz.InferenceData:
        """Samples as ArviZ's InferenceData, in one chain, with the observation where it is known."""
        import arviz
        draws = self.sample((num_samples,), seed=seed)
        groups = {"posterior": {name: draws[None, :, i] for i, name in enumerate(self.names)}}
        if self.default_x is not None:
            groups["observed_data"] = {"x": np.asarray(self.default_x)}
        if "posterior" in inspect.signature(arviz.from_dict).parameters:  # versions before 1.0
            return arviz.from_dict(**groups)
        return arviz.from_dict(groups)

    def plot(self, **options: Any) -> tuple[Figure, NDArray[np.object_]]:
        """A corner plot; see :func:`epsfree.pairplot`."""
        from .plots import pairplot
        return pairplot(self, **options)

    def plot_history(self, **options: Any) -> tuple[Figure, tuple[Axes, Axes]]:
        """How training and rounds went; see :func:`epsfree.plots.plot_history`."""
        from .plots import plot_history
        return plot_history(self.summary, **options)

    def _fields(self):
        """What the constructor takes apart from the distribution and its prior."""
        return {"summary": self.summary, "estimator": self.estimator, "failures": self.failures,
                "observed": self.default_x}

    def __reduce__(self):
        return _restore, (type(self), self._core.to_text(), self._prior, self._fields()), {
            "check": self.check, "combination": self.combination}

    def __copy__(self):
        return self  # it never changes

    def __deepcopy__(self, memo):
        return self

    def __repr__(self):
        try:
            lines = [f"{name}: {d['mean']:.4g} ± {d['std']:.2g}"
                     for name, d in self.describe().items()]
        except Exception:  # noqa: BLE001: a repr never fails
            lines = self.names
        return (f"<epsfree.{type(self).__name__} of kind {self.kind!r}: {', '.join(lines)}"
                f"{checked_words(self.check)}>")

    def _repr_html_(self) -> str:
        try:
            rows = [(name, *d.values()) for name, d in self.describe().items()]
        except Exception:  # noqa: BLE001: a repr never fails
            rows = [(name,) for name in self.names]
        note = "" if self.check is None else f"verdict of the checks: {self.check.verdict}"
        return display.table(f"{type(self).__name__} of kind {self.kind}", rows,
                             ("parameter", "mean", "std", "2.5%", "97.5%"), note)

    def set_default_x(self, x: Numbers) -> Posterior:
        """Only an amortised posterior can be asked about another observation; this raises if x is
        another one."""
        self._reject_x(x)
        return self


def checked_words(check):
    """For a repr: what the checks of an answer found, where they did not pass."""
    if check is None or check.verdict == "pass":
        return ""
    names = [each["name"] for each in check if each.verdict == check.verdict]
    return f"; checks: {check.verdict} ({', '.join(names)})"


def _restore(kind, text, prior, fields):
    return kind(_core.parse_posterior(text), prior=prior, **fields)


def combine(posteriors: Iterable[Posterior]) -> Posterior:
    """The posterior given all data sets, the prior counted once: for independent observations of the
    same parameters.

    The numbers of components of the posteriors multiply. If the product has more than 512, they are
    merged into a few. `combination` of the result says how far it is from the exact product, and a
    warning is given if the error is large.

    >>> import epsfree
    >>> model = epsfree.models["linear-regression"]
    >>> one = model.exact_posterior()
    >>> epsfree.combine([one, one, one]).std()[0] < one.std()[0]
    np.True_
    """
    posteriors = list(posteriors)
    if not posteriors or not all(isinstance(p, Posterior) for p in posteriors):
        raise InputError("combine: expected a list of posteriors")
    for posterior in posteriors:
        if hasattr(type(posterior), "combine"):
            return type(posterior).combine(posteriors)
    return multiplied(posteriors)


def multiplied(posteriors):
    """The product of posteriors of the library's own."""
    core, exact, total_variation, divergence, warning = _core.combine([p._core for p in posteriors])
    result = Posterior(core, prior=posteriors[0]._prior)
    result.combination = Combination(exact, total_variation, divergence)
    if warning:
        warnings.warn(warning, EpsfreeWarning, stacklevel=3)
    return result
