"""Posteriors under a prior that the library has no family for."""
from __future__ import annotations

from typing import TYPE_CHECKING, Any, Mapping, Sequence

import numpy as np

from . import _core
from .arrays import rows
from .errors import EpsfreeWarning, InputError
from .kinds import Array, Numbers, Path
from .posterior import Posterior

if TYPE_CHECKING:
    from .custom_prior import CustomPrior

_NUM_DRAWS = 20000
_FEWEST = 200  # effective draws


class ReweightedPosterior(Posterior):
    """A posterior under a reference prior r, weighted by p / r for the prior p that was meant.

    Its density is that of the reference times p / r, normalised by importance sampling; moments and
    quantiles are those of weighted samples, and draws are resampled ones. `effective_samples` says
    how many of the 20000 weighted draws count.
    """

    def __init__(self, reference: Posterior, prior: CustomPrior, **fields: Any) -> None:
        self.reference = reference
        draws = reference._core.sample(_NUM_DRAWS, 1)
        log_weights = _log_weights(prior, reference, draws)
        top = log_weights.max()
        if top == -np.inf:
            raise InputError("the posterior under the reference prior has no mass in the prior's "
                             "support; check the observation")
        weights = np.exp(log_weights - top)
        self._log_mass = top + np.log(weights.mean())
        self.effective_samples = weights.sum() ** 2 / (weights ** 2).sum()
        if self.effective_samples < _FEWEST:
            import warnings
            warnings.warn(f"weighting for the prior leaves an effective sample of only "
                          f"{int(self.effective_samples)} of {_NUM_DRAWS} draws", EpsfreeWarning,
                          stacklevel=2)
        core = _core.samples_posterior(reference._core.prior, reference.names, draws, log_weights)
        super().__init__(core, prior=prior, **fields)

    @property
    def kind(self) -> str:
        return "reweighted"

    @property
    def has_log_prob(self) -> bool:
        return True

    def _sample(self, count, seed):
        # From fresh draws, so that few are twice the same.
        draws = self.reference._core.sample(max(10 * count, 2000), seed)
        log_weights = _log_weights(self.prior, self.reference, draws)
        fresh = _core.samples_posterior(self.reference._core.prior, self.names, draws, log_weights)
        return fresh.sample(count, seed)

    def log_prob(self, theta: Numbers, x: Numbers | None = None,
                 show_progress_bars: bool | None = None) -> Array:
        self._reject_x(x)
        theta = rows(theta, "theta", self.dim)
        inside = self.reference._core.log_prob(theta)
        result = np.full(len(theta), -np.inf)
        where = inside > -np.inf
        if where.any():
            result[where] = (inside[where] - self._log_mass
                             + _log_weights(self.prior, self.reference, theta[where]))
        return result

    def map(self, x: Numbers | None = None, show_progress_bars: bool | None = None) -> Array:
        self._reject_x(x)
        draws = self.reference._core.sample(2000, 1)
        best = draws[np.argmax(self.log_prob(draws))]
        height, step = self.log_prob(best)[0], 0.5 * self.std()
        directions = np.concatenate([np.eye(self.dim), -np.eye(self.dim)])
        for _ in range(200):
            points = best + directions * step
            heights = self.log_prob(points)
            if heights.max() > height:
                best, height = points[heights.argmax()], heights.max()
            else:
                step = step / 2
        return best

    def conditional(self, given: Mapping[Any, float] | None = None, **values: float) -> Posterior:
        raise InputError("conditional: not known for a prior that is not one of the library's "
                         "families; use samples")

    def save(self, path: Path) -> None:
        """Writes its weighted samples: the prior is a Python object, which no file holds."""
        super().save(path)

    def __reduce__(self):
        return _restore, (self.reference, self.prior, self.failures, self.default_x)

    @classmethod
    def combine(cls, posteriors: Sequence[Posterior]) -> ReweightedPosterior:
        """The references' product, weighted once."""
        prior = posteriors[0].prior
        if not all(isinstance(p, cls) and p.prior is prior for p in posteriors):
            raise InputError("combine: the posteriors have different priors")
        core = _core.combine([p.reference._core for p in posteriors])
        return cls(Posterior(core), prior)


def _restore(reference, prior, failures, observed):
    return ReweightedPosterior(reference, prior, failures=failures, observed=observed)


def _log_weights(prior, reference, theta):
    return prior.log_prob(theta) - reference._core.prior.log_prob(theta)
