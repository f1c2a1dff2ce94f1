"""Priors that the library has no family for: any object with sample and log_prob.

The correction for proposals is in closed form for the library's own families
(:mod:`epsfree.foreign_priors` finds those of SciPy, torch and sbi). For every other prior p(theta) the
inference runs under a *reference* r(theta), a prior of the library that covers it, and the answer is
weighted by p / r at its end. Parameters outside p's support are never simulated: they count as invalid.
"""
from __future__ import annotations

from typing import Sequence

import numpy as np
from numpy.typing import NDArray

from . import display
from .arrays import checked_names, checked_seed, checked_shape, rows
from .errors import InputError
from .kinds import Array, Numbers, Seed, Shape
from .prior_source import PriorSource
from .priors import Prior

_NUM_DRAWS = 4000
_MARGIN = 0.05       # added on each side, as a share of the range of the draws
_WIDENING = 1.5      # factor on the standard deviations of a normal reference
_LARGEST_ATOM = 0.01  # largest share of draws with the same value
_FLAT = 1e-10        # smallest eigenvalue of the draws' correlations


class CustomPrior:
    """Any object with `sample` and `log_prob` (or SciPy's `rvs` and `logpdf`) as a prior.

    `sample((n,))` or `sample(n)` gives n rows; `log_prob` takes rows and gives one number each, -inf
    outside the support. If `sample` returns torch tensors, `log_prob` gets tensors too. If the object has
    a `support`, as in torch and SciPy, it is used as well. Discrete priors, and priors whose draws lie in
    a plane (for example because they sum to one), have no density over theta and are refused.

    >>> import numpy as np, epsfree
    >>> class Disc:
    ...     def sample(self, n, rng):
    ...         angle, radius = rng.uniform(0, 2 * np.pi, n), np.sqrt(rng.uniform(0, 1, n))
    ...         return np.column_stack([radius * np.cos(angle), radius * np.sin(angle)])
    ...     def log_prob(self, theta):
    ...         return np.where((theta ** 2).sum(1) < 1, -np.log(np.pi), -np.inf)
    >>> prior = epsfree.CustomPrior(Disc(), names=["x", "y"])
    >>> prior.dim, type(prior.reference).__name__
    (2, 'Uniform')
    """

    kind = "custom"

    def __init__(self, source: object, names: Sequence[str] | None = None) -> None:
        self.source = source
        self._calls = PriorSource(source)
        self._calls.refuse_discrete()
        draws = self._calls.draw(_NUM_DRAWS, 1)
        self.dim: int = draws.shape[1]
        self.names = checked_names(names, self.dim)
        if not np.isfinite(draws).all():
            raise InputError(f"prior: sample of {self._calls.name} gave a number that is not finite")
        _refuse_atoms(draws, self._calls.name)
        _refuse_planes(draws, self._calls.name)
        if not np.isfinite(self.log_prob(draws)).all():
            raise InputError(f"prior: log_prob of {self._calls.name} is not finite where sample drew; "
                             "expected the log density of what it samples")
        #: The prior of the library that the inference runs under.
        self.reference: Prior = _reference(self, draws, self._calls.bounds(self.dim))

    def sample(self, sample_shape: Shape = (1,), seed: Seed = None) -> Array:
        """Draws of theta: an array of shape `sample_shape` + (dim,)."""
        shape, count = checked_shape(sample_shape)
        return self._calls.draw(count, checked_seed(seed)).reshape(shape + (self.dim,))

    def log_prob(self, theta: Numbers) -> Array:
        """The log density of each row of theta; -inf outside the support."""
        return self._calls.log_prob(rows(theta, "theta", self.dim))

    def contains(self, theta: Numbers) -> NDArray[np.bool_]:
        """Whether each row of theta lies in the support."""
        return self.log_prob(theta) > -np.inf

    # How an inference goes under it: see `Prior`.

    @property
    def _inner(self):
        return self.reference

    def _to_inner(self, theta):
        return theta

    def _from_inner(self, theta):
        return theta

    def _usable(self, theta):
        return self.contains(theta)

    def _answer(self, posterior, learnt, **fields):
        from .reweighted import ReweightedPosterior
        return ReweightedPosterior(posterior, self, power=0 if learnt else 1, **fields)

    def __repr__(self):
        return f"CustomPrior({self.source!r})"

    def _repr_html_(self) -> str:
        names = self.names or [f"theta{i + 1}" for i in range(self.dim)]
        return display.table("CustomPrior", [("of", type(self.source).__name__), ("parameters", ", ".join(names)),
                                             ("reference", repr(self.reference))])


def _refuse_atoms(draws, name):
    """A value that is drawn again and again has no density."""
    for d, column in enumerate(draws.T):
        values, counts = np.unique(column, return_counts=True)
        whole = (column == np.round(column)).all() and np.ptp(column) < 1e6
        if whole or counts.max() > max(2, _LARGEST_ATOM * len(column)):
            seen = ("all draws are whole numbers" if whole else
                    f"{counts.max()} of {len(column)} draws are {values[counts.argmax()]:g}")
            raise InputError(f"prior: {name} is discrete in parameter {d + 1} ({seen}); parameters must "
                             "be continuous. Run one inference for each value, or draw it inside the "
                             "simulator")


def _refuse_planes(draws, name):
    """Draws that lie in a plane, for example because they sum to one, have no density."""
    if draws.shape[1] < 2:
        return
    if np.linalg.eigvalsh(np.corrcoef(draws.T))[0] < _FLAT:
        total = draws.sum(1)
        seen = ("its draws sum to one: use epsfree.Dirichlet if it is a Dirichlet distribution, or leave "
                "the last parameter out and compute it in the simulator" if np.abs(total - 1).max() < 1e-4 else
                "a parameter is a linear function of the others: leave it out and compute it in the "
                "simulator")
        raise InputError(f"prior: {name} has no density over its {draws.shape[1]} parameters, because "
                         + seen)


def _reference(prior, draws, bounds):
    """A prior of the library that covers it. Where the bounds are known they are the reference's;
    elsewhere it is uniform if the density ends at the draws' range, normal if it does not."""
    from . import priors

    low, high = draws.min(0), draws.max(0)
    margin = _MARGIN * (high - low)
    low, high = low - margin, high + margin
    quartiles = np.quantile(draws, [0.25, 0.5, 0.75], axis=0)
    # The quartiles' spread stands for the standard deviation, which a heavy tail need not have.
    std = np.minimum(draws.std(0), 2 * (quartiles[2] - quartiles[0]) / 1.349)
    middle, scale = quartiles[1], _WIDENING * std

    def marginal(d):
        if bounds is not None and np.isfinite([bounds[0][d], bounds[1][d]]).any():
            least, most = bounds[0][d], bounds[1][d]
            if most - least < 2 * (high[d] - low[d]):
                return priors.Uniform(least, most)
            return priors.TruncatedNormal(middle[d], scale[d], least, most)
        outside = np.repeat(draws[:50], 2, axis=0)
        outside[::2, d], outside[1::2, d] = low[d], high[d]
        if not np.isfinite(prior.log_prob(outside)).any():
            return priors.Uniform(low[d], high[d])
        return priors.Normal(middle[d], scale[d])

    marginals = [marginal(d) for d in range(prior.dim)]
    kinds = {type(each) for each in marginals}
    if kinds == {priors.Uniform}:
        ends = np.array([list(each._values.values()) for each in marginals])
        return priors.Uniform(ends[:, 0], ends[:, 1])
    if kinds == {priors.Normal}:
        correlation = np.atleast_2d(np.corrcoef(draws.T))
        return priors.Gaussian(middle, correlation * np.outer(scale, scale))
    return priors.Independent(marginals)
