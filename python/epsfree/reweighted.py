"""Posteriors under a prior that the library has no family for."""
from __future__ import annotations

import warnings
from typing import TYPE_CHECKING, Any, Mapping, Sequence

import numpy as np

from . import _core
from .arrays import rows
from .errors import EpsfreeWarning, InputError
from .kinds import Array, Numbers, Path
from .posterior import Posterior, multiplied

if TYPE_CHECKING:
    from .custom_prior import CustomPrior

_NUM_DRAWS = 20000
_FEWEST = 200  # effective draws
_MOST_BATCHES = 100


class ReweightedPosterior(Posterior):
    """A posterior under a reference prior r, weighted by p / r for the prior p that was meant.

    Its density is that of the reference times p / r, normalised by importance sampling; moments and
    quantiles are those of weighted samples, and draws are resampled ones. `effective_samples` says
    how many of the 20000 weighted draws count.

    A network that learnt from draws of p itself knows p already, but not where p ends: it is weighted by
    the zeroth power of p / r, which cuts it off at p's support, and its draws are not resampled.
    """

    def __init__(self, reference: Posterior, prior: CustomPrior, power: int = 1, **fields: Any) -> None:
        self.reference = reference
        self._power = power
        draws = reference._core.sample(_NUM_DRAWS, 1)
        log_weights = self._log_weights(prior, draws)
        top = log_weights.max()
        if top == -np.inf:
            raise InputError("none of 20000 draws of the posterior lies in the prior's support; check "
                             "the observation, and that the simulations' theta were drawn from the prior")
        weights = np.exp(log_weights - top)
        self._log_mass = top + np.log(weights.mean())
        self.effective_samples: float = float(weights.sum() ** 2 / (weights ** 2).sum())
        if self.effective_samples < _FEWEST:
            warnings.warn(f"weighting for the prior leaves an effective sample of only "
                          f"{int(self.effective_samples)} of {_NUM_DRAWS} draws", EpsfreeWarning,
                          stacklevel=2)
        core = _core.samples_posterior(reference._core.prior, reference.names, draws, log_weights)
        super().__init__(core, prior=prior, **fields)

    def _log_weights(self, prior, theta):
        meant = prior.log_prob(theta)
        result = np.full(len(theta), -np.inf)
        inside = meant > -np.inf
        result[inside] = self._power * (
            meant[inside] - self.reference._core.prior.log_prob(theta[inside]))
        return result

    @property
    def kind(self) -> str:
        return "reweighted"

    @property
    def has_log_prob(self) -> bool:
        return True

    def _sample(self, count, seed):
        if self._power == 0:
            return self._sample_inside(count, seed)
        # From fresh draws, so that few are twice the same.
        draws = self.reference._core.sample(max(10 * count, 2000), seed)
        log_weights = self._log_weights(self.prior, draws)
        fresh = _core.samples_posterior(self.reference._core.prior, self.names, draws, log_weights)
        return fresh.sample(count, seed)

    def _sample_inside(self, count, seed):
        """Draws of the network that the prior's support holds."""
        kept, number = [np.empty((0, self.dim))], 0
        share = np.exp(self._log_mass)
        for batch in range(_MOST_BATCHES):
            missing = count - number
            if missing <= 0:
                return np.concatenate(kept)[:count]
            draws = self.reference._core.sample(int(1.1 * missing / share) + 10, (seed + batch) % 2**63)
            kept.append(draws[self.prior.contains(draws)])
            number += len(kept[-1])
        raise InputError(f"sample: only {number} of {count} draws of the posterior lie in the prior's "
                         "support; check the observation")

    def log_prob(self, theta: Numbers, x: Numbers | None = None) -> Array:
        self._reject_x(x)
        theta = rows(theta, "theta", self.dim)
        inside = self.reference._core.log_prob(theta)
        result = np.full(len(theta), -np.inf)
        where = inside > -np.inf
        if where.any():
            result[where] = (inside[where] - self._log_mass
                             + self._log_weights(self.prior, theta[where]))
        return result

    def _map(self):
        return highest(self.log_prob, self.reference._core.sample(2000, 1), 0.5 * self.std())

    def conditional(self, given: Mapping[Any, float] | None = None, **values: float) -> Posterior:
        raise InputError("conditional: not known for a prior that is not one of the library's "
                         "families; use samples")

    def save(self, path: Path) -> None:
        """Writes its weighted samples: the prior is a Python object, which no file holds."""
        super().save(path)

    def __reduce__(self):
        return _restore, (type(self), self.reference, self.prior, dict(self._fields(), power=self._power)), {
            "check": self.check, "combination": self.combination}

    @classmethod
    def combine(cls, posteriors: Sequence[Posterior]) -> ReweightedPosterior:
        """The references' product, weighted so that the prior counts once: with q_i the posteriors under
        r and k_i their powers, the product of q_i (p / r)^k_i over p^(n-1) is that of q_i over r^(n-1),
        weighted by (p / r) to the sum of k_i - 1, plus 1."""
        prior = posteriors[0].prior
        if not all(isinstance(p, cls) and p.prior is prior for p in posteriors):
            raise InputError("combine: the posteriors have different priors")
        product = multiplied([p.reference for p in posteriors])
        result = cls(product, prior, sum(p._power - 1 for p in posteriors) + 1)
        result.combination = product.combination
        return result


def highest(log_prob, points, step):
    """The point of the highest density, by a search along the axes from the best of some points."""
    best = points[np.argmax(log_prob(points))]
    height = log_prob(best[None, :])[0]
    directions = np.concatenate([np.eye(best.size), -np.eye(best.size)])
    for _ in range(200):
        points = best + directions * step
        heights = log_prob(points)
        if heights.max() > height:
            best, height = points[heights.argmax()], heights.max()
        else:
            step = step / 2
    return best


def _restore(kind, reference, prior, fields):
    return kind(reference, prior, **fields)
