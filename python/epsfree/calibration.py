"""Checks whether the posteriors of any sampler are right on average, from pairs of parameters and data."""
from __future__ import annotations

import inspect
import json
import sys
from typing import Any, Sequence

import numpy as np

from . import _core
from .arrays import checked_names, checked_seed, rows, table, vector
from .checks import Check
from .errors import InputError
from .estimator import AmortisedPosterior
from .kinds import Array, Numbers, Seed
from .method_table import for_any_observation
from .posterior import Posterior

_FEWEST_PAIRS = 10
_FEWEST_FOR_LOCAL = 50
_LOCAL_SAMPLES = 500


class Calibration(Check):
    """The result of :func:`calibrate`: a :class:`epsfree.Check` with the ranks that it is based on.

    `ranks` has a row per pair and a column per parameter: the number of posterior samples below the
    true value, from 0 to `num_samples`. `density_ranks` count samples of higher density (expected
    coverage) and `distance_ranks` those nearer to a reference point (TARP).
    """

    def __init__(self, record: dict[str, Any], ranks: Array, density_ranks: Array,
                 distance_ranks: Array, num_samples: int) -> None:
        super().__init__(record)
        self.ranks = ranks.astype(int)
        self.density_ranks = density_ranks.astype(int)
        self.distance_ranks = distance_ranks.astype(int)
        self.num_samples = num_samples

    def coverage(self, levels: Numbers = (0.5, 0.8, 0.9, 0.95)) -> dict[float, float]:
        """For each level, the share of true parameters inside the region of highest density with that
        probability. If the posteriors are right, the share equals the level."""
        below = (self.density_ranks + 0.5) / (self.num_samples + 1)
        return {float(level): float((below < level).mean()) for level in vector(levels, "levels")}


def calibrate(theta: Numbers, x: Numbers, posterior: Any, *, num_posterior_samples: int = 499,
              x_o: Numbers | None = None, names: Sequence[str] | None = None,
              seed: Seed = 1) -> Calibration:
    """Simulation-based calibration, expected coverage, TARP and, with `x_o`, local calibration (LC2ST),
    from pairs that you simulated.

    Parameters
    ----------
    theta, x
        Parameters drawn from the prior, and data simulated from them, one pair per row. Use at least 100
        pairs; 300 are better. Do not use pairs that a network was trained on.
    posterior
        Anything that draws samples given an observation: a posterior of :class:`epsfree.NPE` or of
        `sbi`, an object with ``sample((n,), x=x)``, or a function of x and n that returns an n x D array.
    num_posterior_samples
        Number of samples drawn at each x. The true parameters are ranked among them.
    x_o
        Your observation. If given, a local test checks whether the posterior is right there. It needs at
        least 50 pairs.

    >>> import numpy as np, epsfree
    >>> rng = np.random.default_rng(2)
    >>> theta = rng.normal(size=(200, 1))
    >>> x = theta + rng.normal(size=(200, 1))
    >>> def exact(x, n):
    ...     return rng.normal(x / 2, np.sqrt(0.5), size=(n, 1))
    >>> epsfree.calibrate(theta, x, exact).verdict
    'pass'
    >>> def too_narrow(x, n):
    ...     return rng.normal(x / 2, 0.3, size=(n, 1))
    >>> epsfree.calibrate(theta, x, too_narrow).verdict
    'fail'
    """
    seed = checked_seed(seed)
    theta = table(theta, "theta")
    x = table(x, "x")
    count = _whole(num_posterior_samples, "num_posterior_samples", 9)
    if len(theta) != len(x):
        raise InputError(f"theta has {len(theta)} rows and x {len(x)}: expected the same number, one row per pair")
    if len(theta) < _FEWEST_PAIRS:
        raise InputError(f"theta has {len(theta)} rows, expected at least {_FEWEST_PAIRS} pairs")
    for name, values in (("theta", theta), ("x", x)):
        if not np.isfinite(values).all():
            raise InputError(f"{name} contains a value that is not a finite number; remove such pairs")
    dim = theta.shape[1]
    sampler = _Sampler(posterior, dim, seed)
    if names is None:
        names = getattr(posterior, "names", None) or [f"theta{i + 1}" for i in range(dim)]
    names = checked_names(names, dim)
    samples = sampler.at_rows(x, count)
    local = None
    if x_o is not None:
        x_o = vector(x_o, "x_o", x.shape[1])
        if len(theta) < _FEWEST_FOR_LOCAL:
            raise InputError(f"x_o: local calibration needs at least {_FEWEST_FOR_LOCAL} pairs, there "
                             f"are {len(theta)}")
        local = sampler.at(x_o, _LOCAL_SAMPLES, len(x))
    text, *ranks = _core.calibrate(theta, x, samples.reshape(-1, dim), list(names), x_o, local, seed)
    return Calibration(json.loads(text), *ranks, num_samples=count)


def predictive_check(x_o: Numbers, x: Numbers, theta: Numbers | None = None,
                     statistic_names: Sequence[str] | None = None) -> Check:
    """Posterior predictive checks from arrays. They compare the observation `x_o` with simulations `x`,
    one per row, that were made from draws `theta` of its posterior.

    >>> import numpy as np, epsfree
    >>> x = np.random.default_rng(1).normal(size=(500, 2))
    >>> epsfree.predictive_check([0.3, -0.5], x).verdict
    'pass'
    >>> epsfree.predictive_check([0.3, 9.0], x).verdict
    'fail'
    """
    x = table(x, "x")
    x_o = vector(x_o, "x_o", x.shape[1])
    kept = np.isfinite(x).all(axis=1)
    theta = np.zeros((len(x), 1)) if theta is None else table(theta, "theta")
    if len(theta) != len(x):
        raise InputError(f"theta has {len(theta)} rows and x {len(x)}: expected the same number")
    if kept.sum() < 20:
        raise InputError(f"x has {int(kept.sum())} rows of finite numbers, expected at least 20")
    names = [] if statistic_names is None else list(checked_names(statistic_names, x.shape[1]))
    return Check(json.loads(_core.predictive_check(x_o, theta[kept], x[kept], names)))


class _Sampler:
    """Draws samples from the user's posterior, as arrays."""

    def __init__(self, posterior, dim, seed):
        self._posterior = posterior
        self._dim = dim
        self._seed = seed
        if isinstance(posterior, Posterior):
            raise InputError("posterior: this posterior is for a single observation, but calibration needs "
                             f"one for any observation (of epsfree.NPE, or of the method {for_any_observation()})")
        if not callable(getattr(posterior, "sample", None)) and not callable(posterior):
            raise InputError(f"posterior is {type(posterior).__name__}, expected an object with "
                             "`sample` or a function of x and the number of samples")
        self._quiet = {}
        sample = getattr(posterior, "sample", None)
        if sample is not None:
            try:
                if "show_progress_bars" in inspect.signature(sample).parameters:
                    self._quiet = {"show_progress_bars": False}
            except (TypeError, ValueError):
                pass

    def at_rows(self, x, count):
        if isinstance(self._posterior, AmortisedPosterior):
            draws = self._posterior.sample_batched((count,), x, seed=self._seed)
            return np.ascontiguousarray(np.moveaxis(draws, 1, 0))
        return np.stack([self.at(row, count, i) for i, row in enumerate(x)])

    def at(self, x, count, number):
        if isinstance(self._posterior, AmortisedPosterior):
            draws = self._posterior.sample((count,), x=x, seed=(self._seed + number) % 2**63)
        elif callable(getattr(self._posterior, "sample", None)):
            draws = self._posterior.sample((count,), x=_for_torch(x), **self._quiet)
        else:
            draws = self._posterior(x, count)
        draws = np.asarray(draws.detach().cpu() if hasattr(draws, "detach") else draws, dtype=float)
        if draws.ndim == 1 and self._dim == 1:
            draws = draws[:, None]
        if draws.shape != (count, self._dim):
            raise InputError(f"posterior: its samples have shape {draws.shape}, expected "
                             f"{(count, self._dim)}")
        return rows(draws, "the posterior's samples", self._dim)


def _for_torch(x):
    """x as a tensor if torch is in use, since objects of `sbi` need one."""
    torch = sys.modules.get("torch")
    return x if torch is None else torch.as_tensor(x, dtype=torch.float32)


def _whole(value, name, least):
    if isinstance(value, bool) or int(value) != value or value < least:
        raise InputError(f"{name} is {value!r}, expected a whole number, {least} or more")
    return int(value)
