"""Posteriors: what is believed about the parameters after the data."""
from __future__ import annotations

import inspect
import json
from typing import TYPE_CHECKING, Any, Iterable, Mapping

import numpy as np

from . import _core
from .arrays import checked_seed, checked_shape, rows, vector
from .errors import InputError
from .kinds import Array, Numbers, Path, PriorLike, Seed, Shape
from .summary import Summary

if TYPE_CHECKING:
    from .custom_prior import CustomPrior
    from .priors import Prior


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
    check: Any = None

    def __init__(self, core: Any, prior: PriorLike = None, summary: Any = None, estimator: Any = None,
                 failures: Iterable[tuple[Array, int, str]] = (), observed: Array | None = None) -> None:
        self._core = core
        self._prior = prior
        self._summary = summary
        self.estimator = estimator
        self.failures = list(failures)
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
    def prior(self) -> Prior | CustomPrior:
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
        raise InputError("x: this posterior holds for the observation it was inferred from; infer "
                         "again, or use method='mdn-with-prior' or NPE, which learn for any")

    # Drawing and evaluating.

    def sample(self, sample_shape: Shape = (1,), x: Numbers | None = None, seed: Seed = None,
               show_progress_bars: bool | None = None) -> Array:
        """Draws of theta: an array of shape `sample_shape` + (dim,). The same seed gives the same
        draws, those of `epsfree sample --seed`.

        >>> import epsfree
        >>> posterior = epsfree.models["mixture"].exact_posterior()
        >>> posterior.sample((2, 3), seed=1).shape
        (2, 3, 1)
        """
        self._reject_x(x)
        shape, count = checked_shape(sample_shape)
        return self._sample(count, checked_seed(seed)).reshape(shape + (self.dim,))

    def _sample(self, count, seed):
        return self._core.sample(count, seed)

    def log_prob(self, theta: Numbers, x: Numbers | None = None,
                 show_progress_bars: bool | None = None) -> Array:
        """The log density of each row of theta, normalised on the prior's support; -inf outside."""
        self._reject_x(x)
        return self._core.log_prob(rows(theta, "theta", self.dim))

    @property
    def has_log_prob(self) -> bool:
        """Whether log_prob and map can be called: not for samples."""
        return self._core.has_log_prob

    def map(self, x: Numbers | None = None, show_progress_bars: bool | None = None) -> Array:
        """The theta of the highest density."""
        self._reject_x(x)
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

    def to_dataframe(self, num_samples: int = 1000, seed: Seed = 1) -> Any:
        """Samples as a pandas DataFrame, one column per parameter."""
        import pandas
        return pandas.DataFrame(self.sample((num_samples,), seed=seed), columns=self.names)

    def to_arviz(self, num_samples: int = 4000, seed: Seed = 1) -> Any:
        """Samples as ArviZ's InferenceData, in one chain, with the observation where it is known."""
        import arviz
        draws = self.sample((num_samples,), seed=seed)
        groups = {"posterior": {name: draws[None, :, i] for i, name in enumerate(self.names)}}
        if self.default_x is not None:
            groups["observed_data"] = {"x": np.asarray(self.default_x)}
        if "posterior" in inspect.signature(arviz.from_dict).parameters:  # versions before 1.0
            return arviz.from_dict(**groups)
        return arviz.from_dict(groups)

    def plot(self, **options: Any) -> tuple[Any, Any]:
        """A corner plot; see :func:`epsfree.pairplot`."""
        from .plots import pairplot
        return pairplot(self, **options)

    def plot_history(self, **options: Any) -> tuple[Any, Any]:
        """How training and rounds went; see :func:`epsfree.plots.plot_history`."""
        from .plots import plot_history
        return plot_history(self.summary, **options)

    def __reduce__(self):
        summary = self.summary
        estimator = None if self.estimator is None else self.estimator._core.to_text()
        return _restore, (self._core.to_text(), None if summary is None else dict(summary), estimator,
                          self.failures, self.default_x)

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
        return f"<epsfree.Posterior of kind {self.kind!r}: {', '.join(lines)}>"

    def set_default_x(self, x: Numbers) -> Posterior:
        """Only an amortised posterior can be asked about another observation; this raises if x is
        another one."""
        self._reject_x(x)
        return self


def _restore(text, summary, estimator, failures, observed):
    from .estimator import Estimator
    return Posterior(_core.parse_posterior(text),
                     summary=None if summary is None else Summary(summary),
                     estimator=None if estimator is None else Estimator(
                         _core.parse_estimator(estimator)),
                     failures=failures, observed=observed)


def combine(posteriors: Iterable[Posterior]) -> Posterior:
    """The posterior given all data sets, the prior counted once: for independent observations of the
    same parameters.

    >>> import epsfree
    >>> model = epsfree.models["linear-regression"]
    >>> one = model.exact_posterior()
    >>> epsfree.combine([one, one, one]).std()[0] < one.std()[0]
    np.True_
    """
    posteriors = list(posteriors)
    if not posteriors or not all(isinstance(p, Posterior) for p in posteriors):
        raise InputError("combine: expected a list of posteriors")
    from .reweighted import ReweightedPosterior
    if any(isinstance(p, ReweightedPosterior) for p in posteriors):
        return ReweightedPosterior.combine(posteriors)
    return Posterior(_core.combine([p._core for p in posteriors]), prior=posteriors[0]._prior)
