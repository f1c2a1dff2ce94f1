"""Priors of shares that sum to one.

K shares have only K - 1 degrees of freedom, so there is no density over all K, and a network that learns
them one by one gives draws that do not sum to one. Inference therefore happens in *sticks*,
v_k = theta_k / (theta_k + ... + theta_K): under a Dirichlet prior these are independent Beta variables
(Connor & Mosimann 1969), a family of the library, and every set of sticks is a set of shares.
"""
from __future__ import annotations

from typing import Sequence

import numpy as np
from numpy.typing import NDArray

from . import display
from .arrays import checked_names, checked_seed, checked_shape, rows, vector
from .errors import InputError
from .kinds import Array, Numbers, Seed, Shape
from .priors import Beta, Prior

_TOLERANCE = 1e-5  # largest error of the sum of shares; torch uses 32 bits


def to_shares(sticks: Array) -> Array:
    """Rows of K - 1 sticks as rows of K shares, which sum to one.

    >>> to_shares(np.array([[0.5, 0.5]]))
    array([[0.5 , 0.25, 0.25]])
    """
    rest = np.cumprod(np.concatenate([np.ones((len(sticks), 1)), 1 - sticks], axis=1), axis=1)
    return rest * np.concatenate([sticks, np.ones((len(sticks), 1))], axis=1)


def to_sticks(shares: Array) -> Array:
    """Rows of K shares as rows of K - 1 sticks."""
    rest = np.cumsum(shares[:, ::-1], axis=1)[:, ::-1][:, :-1]
    sticks = np.divide(shares[:, :-1], rest, out=np.full(rest.shape, 0.5), where=rest > 0)
    return np.clip(sticks, np.finfo(float).tiny, 1 - 2.0**-53)


def log_volume(shares: Array) -> Array:
    """The log determinant of the map from sticks to the first K - 1 shares."""
    rest = np.cumsum(shares[:, ::-1], axis=1)[:, ::-1][:, 1:-1]
    with np.errstate(divide="ignore"):
        return np.log(rest).sum(1)


class Dirichlet:
    """Shares that sum to one, with these concentrations.

    Draws, densities (of the first K - 1 shares, as everywhere) and posteriors respect the sum.

    >>> import epsfree
    >>> prior = epsfree.Dirichlet([2, 3, 5], names=["a", "b", "c"])
    >>> prior.mean()
    array([0.2, 0.3, 0.5])
    >>> bool(abs(prior.sample((4,), seed=1).sum(1) - 1).max() < 1e-12)
    True
    """

    kind = "simplex"

    def __init__(self, concentration: Numbers, names: Sequence[str] | None = None) -> None:
        self.concentration: Array = vector(concentration, "concentration")
        alpha = self.concentration
        if alpha.size < 2 or (alpha <= 0).any():
            raise InputError(f"Dirichlet: concentration is {alpha.tolist()}, expected two or more "
                             "positive numbers")
        self.names = checked_names(names, alpha.size)
        #: The prior of the sticks.
        self.sticks: Prior = Beta(alpha[:-1], np.cumsum(alpha[::-1])[::-1][1:])

    @property
    def dim(self) -> int:
        """The number of shares."""
        return self.concentration.size

    @property
    def marginals(self) -> Prior:
        """The prior of each share by itself."""
        return Beta(self.concentration, self.concentration.sum() - self.concentration)

    def sample(self, sample_shape: Shape = (1,), seed: Seed = None) -> Array:
        """Draws of theta: an array of shape `sample_shape` + (dim,)."""
        shape, count = checked_shape(sample_shape)
        return to_shares(self.sticks.sample((count,), checked_seed(seed))).reshape(shape + (self.dim,))

    def log_prob(self, theta: Numbers) -> Array:
        """The log density of each row of theta; -inf for rows that are no shares."""
        theta = rows(theta, "theta", self.dim)
        return self._log_prob(theta, self.sticks.log_prob)

    def _log_prob(self, theta, of_sticks):
        """The density of shares from one of sticks."""
        result = np.full(len(theta), -np.inf)
        inside = self.contains(theta)
        if inside.any():
            shares = theta[inside] / theta[inside].sum(1, keepdims=True)
            result[inside] = of_sticks(to_sticks(shares)) - log_volume(shares)
        return result

    def contains(self, theta: Numbers) -> NDArray[np.bool_]:
        """Whether each row of theta is a set of positive shares that sum to one (to 5 digits)."""
        theta = rows(theta, "theta", self.dim)
        with np.errstate(invalid="ignore"):
            return (theta > 0).all(1) & (np.abs(theta.sum(1) - 1) <= _TOLERANCE)

    def mean(self) -> Array:
        """The mean of theta."""
        return self.concentration / self.concentration.sum()

    def covariance(self) -> Array:
        """The covariance of theta, which is singular."""
        mean = self.mean()
        return (np.diag(mean) - np.outer(mean, mean)) / (self.concentration.sum() + 1)

    def std(self) -> Array:
        """The standard deviations of theta."""
        return np.sqrt(np.diagonal(self.covariance()))

    # How an inference goes under it: see `Prior`.

    @property
    def _inner(self):
        return self.sticks

    def _to_inner(self, theta):
        total = theta.sum(1, keepdims=True)
        usable = (theta >= 0).all(1) & (np.abs(total[:, 0] - 1) <= _TOLERANCE)
        if not usable.all():
            i = int(np.flatnonzero(~usable)[0])
            raise InputError(f"theta[{i}] is {theta[i].tolist()}, expected shares that sum to one")
        return to_sticks(theta / total)

    def _from_inner(self, sticks):
        return to_shares(sticks)

    def _usable(self, theta):
        return None

    def _answer(self, posterior, learnt, **fields):
        from .simplex_posterior import SimplexPosterior
        return SimplexPosterior(posterior, self, **fields)

    def __eq__(self, other):
        return isinstance(other, Dirichlet) and np.array_equal(self.concentration, other.concentration)

    def __hash__(self):
        return hash((self.kind, self.dim))

    def __repr__(self):
        return f"Dirichlet(concentration={self.concentration.tolist()})"

    def _repr_html_(self) -> str:
        names = self.names or [f"theta{i + 1}" for i in range(self.dim)]
        return display.table("Dirichlet", list(zip(names, self.concentration.tolist())),
                             ("share", "concentration"))
