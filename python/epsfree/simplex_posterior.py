"""Posteriors of shares that sum to one."""
from __future__ import annotations

from typing import TYPE_CHECKING, Any, Mapping, Sequence

import numpy as np

from . import _core
from .arrays import rows
from .errors import InputError
from .kinds import Array, Numbers
from .posterior import Posterior, multiplied
from .simplex import to_shares

if TYPE_CHECKING:
    from .simplex import Dirichlet

_NUM_DRAWS = 20000


class SimplexPosterior(Posterior):
    """A posterior of shares theta, made from that of their sticks (:mod:`epsfree.simplex`).

    Its draws sum to one, and its density, of the first K - 1 shares, is exact. Moments, quantiles and
    marginals are those of 20000 draws.
    """

    def __init__(self, sticks: Posterior, prior: Dirichlet, **fields: Any) -> None:
        #: The posterior of the sticks.
        self.sticks = sticks
        draws = to_shares(sticks._core.sample(_NUM_DRAWS, 1))
        names = prior.names or [f"theta{i + 1}" for i in range(prior.dim)]
        core = _core.samples_posterior(prior.marginals._core, names, draws, np.zeros(_NUM_DRAWS))
        super().__init__(core, prior=prior, **fields)

    @property
    def kind(self) -> str:
        return "simplex"

    @property
    def has_log_prob(self) -> bool:
        return self.sticks.has_log_prob

    def _sample(self, count, seed):
        return to_shares(self.sticks._sample(count, seed))

    def log_prob(self, theta: Numbers, x: Numbers | None = None) -> Array:
        self._reject_x(x)
        return self.prior._log_prob(rows(theta, "theta", self.dim), self.sticks._core.log_prob)

    def _map(self):
        from .reweighted import highest
        best = highest(lambda v: self.log_prob(to_shares(v)), self.sticks._core.sample(2000, 1),
                       0.5 * self.sticks.std())
        return to_shares(best[None, :])[0]

    def conditional(self, given: Mapping[Any, float] | None = None, **values: float) -> Posterior:
        raise InputError("conditional: not known for shares that sum to one; use samples")

    def __reduce__(self):
        return _restore, (type(self), self.sticks, self.prior, self._fields()), {"check": self.check, "combination": self.combination}

    @classmethod
    def combine(cls, posteriors: Sequence[Posterior]) -> SimplexPosterior:
        """The product of the posteriors of the sticks."""
        prior = posteriors[0].prior
        if not all(isinstance(p, cls) and p.prior == prior for p in posteriors):
            raise InputError("combine: the posteriors have different priors")
        product = multiplied([p.sticks for p in posteriors])
        result = cls(product, prior)
        result.combination = product.combination
        return result


def _restore(kind, sticks, prior, fields):
    return kind(sticks, prior, **fields)
