"""Priors from elsewhere: SciPy's frozen distributions, and any object with sample and log_prob.

The correction for proposals is in closed form for the library's own families, and SciPy's of the same
kind become those. For every other prior p(theta) the inference runs under a *reference* r(theta), a
uniform or normal prior of the library that covers it, and the answer is weighted by p / r at its end.
Parameters outside p's support are never simulated: they count as invalid.
"""
from __future__ import annotations

import sys
from typing import Any, Sequence

import numpy as np
from numpy.typing import NDArray

from .arrays import checked_names, checked_seed, checked_shape, rows
from .errors import InputError
from .kinds import Array, Numbers, Seed, Shape

_NUM_DRAWS = 4000
_MARGIN = 0.05   # of the range of the draws, beyond them
_WIDENING = 1.5  # of a normal reference's standard deviations


def is_scipy(prior):
    """Whether it is a frozen distribution of SciPy."""
    return hasattr(prior, "rvs") and (hasattr(prior, "logpdf") or hasattr(prior, "dist"))


def from_scipy(frozen, names=None):
    """The library's prior where it has the family, an adapter otherwise.

    >>> import scipy.stats, epsfree
    >>> epsfree.as_prior(scipy.stats.norm(1, 2)).kind
    'independent'
    >>> epsfree.as_prior(scipy.stats.cauchy()).kind
    'custom'
    """
    from . import priors

    if hasattr(frozen, "cov") and hasattr(frozen, "mean") and not callable(frozen.mean):
        return priors.Gaussian(np.atleast_1d(frozen.mean), np.atleast_2d(frozen.cov), names)
    if not hasattr(frozen, "dist") or not hasattr(frozen.dist, "_parse_args"):
        return CustomPrior(frozen, names)
    shapes, loc, scale = frozen.dist._parse_args(*frozen.args, **frozen.kwds)
    loc, scale = np.asarray(loc, float), np.asarray(scale, float)
    shapes = [np.asarray(s, float) for s in shapes]
    family = frozen.dist.name
    centred = not loc.any()
    if family == "uniform":
        return priors.Uniform(loc, loc + scale, names)
    if family == "norm":
        return priors.Normal(loc, scale, names)
    if family == "truncnorm":
        return priors.TruncatedNormal(loc, scale, loc + shapes[0] * scale, loc + shapes[1] * scale,
                                      names)
    if family in ("loguniform", "reciprocal") and centred:
        return priors.LogUniform(shapes[0] * scale, shapes[1] * scale, names)
    standard = {"lognorm": lambda: priors.LogNormal(np.log(scale), shapes[0], names),
                "expon": lambda: priors.Exponential(1 / scale, names),
                "halfnorm": lambda: priors.HalfNormal(scale, names),
                "gamma": lambda: priors.Gamma(shapes[0], 1 / scale, names)}
    if family in standard and centred:
        return standard[family]()
    if family == "beta" and centred and (scale == 1).all():
        return priors.Beta(shapes[0], shapes[1], names)
    moved = {"lognorm": lambda: priors.LogNormal(0 * shapes[0], shapes[0]),
             "expon": lambda: priors.Exponential(np.ones_like(scale)),
             "halfnorm": lambda: priors.HalfNormal(np.ones_like(scale)),
             "gamma": lambda: priors.Gamma(shapes[0], np.ones_like(shapes[0])),
             "beta": lambda: priors.Beta(shapes[0], shapes[1])}
    if family in moved and all(np.ndim(s) == 0 for s in (*shapes, loc, scale)):
        return priors.LinearImage(moved[family](), [[float(scale)]], [float(loc)], names)
    return CustomPrior(frozen, names)


class CustomPrior:
    """Any object with `sample` and `log_prob` (or SciPy's `rvs` and `logpdf`) as a prior.

    `sample((n,))` or `sample(n)` gives n rows; `log_prob` takes rows and gives one number each, -inf
    outside the support. Those whose `sample` gives tensors of torch are given tensors.

    >>> import numpy as np, epsfree
    >>> class Disc:
    ...     def sample(self, n, rng):
    ...         angle, radius = rng.uniform(0, 2 * np.pi, n), np.sqrt(rng.uniform(0, 1, n))
    ...         return np.column_stack([radius * np.cos(angle), radius * np.sin(angle)])
    ...     def log_prob(self, theta: Numbers) -> Array:
    ...         return np.where((theta ** 2).sum(1) < 1, -np.log(np.pi), -np.inf)
    >>> prior = epsfree.CustomPrior(Disc(), names=["x", "y"])
    >>> prior.dim, type(prior.reference).__name__
    (2, 'Uniform')
    """

    kind = "custom"

    def __init__(self, source: Any, names: Sequence[str] | None = None) -> None:
        self.source = source
        self._dtype = _torch_dtype(source)
        draws = self._draw(_NUM_DRAWS, 1)
        self.dim = draws.shape[1]
        self.names = checked_names(names, self.dim)
        if not np.isfinite(draws).all():
            raise InputError(f"prior: sample of {type(source).__name__} gave a number that is not "
                             "finite")
        if not np.isfinite(self.log_prob(draws)).all():
            raise InputError(f"prior: log_prob of {type(source).__name__} is not finite where sample "
                             "drew; expected the log density of what it samples")
        self.reference = _reference(self, draws)

    def _draw(self, count, seed):
        rng = np.random.default_rng(seed)
        source = self.source
        if self._dtype is not None:
            import torch
            with torch.random.fork_rng(devices=[]):
                torch.manual_seed(seed % 2**63)
                draws = _sample(source, count, rng).detach().cpu().numpy()
        elif hasattr(source, "rvs"):
            draws = source.rvs(size=count, random_state=rng)
        else:
            draws = _sample(source, count, rng)
        draws = np.asarray(draws, dtype=float)
        if draws.ndim == 1:
            draws = draws.reshape(-1, 1)
        if draws.ndim != 2 or len(draws) != count:
            raise InputError(f"prior: sample gave an array of shape {draws.shape}, expected "
                             f"({count}, number of parameters)")
        return draws

    def sample(self, sample_shape: Shape = (1,), seed: Seed = None) -> Array:
        """Draws of theta: an array of shape `sample_shape` + (dim,)."""
        shape, count = checked_shape(sample_shape)
        return self._draw(count, checked_seed(seed)).reshape(shape + (self.dim,))

    def log_prob(self, theta: Numbers) -> Array:
        """The log density of each row of theta."""
        theta = rows(theta, "theta", self.dim)
        source = self.source
        density = getattr(source, "log_prob", None) or source.logpdf
        if self._dtype is not None:
            values = _torch_log_prob(source, theta, self._dtype)
        else:
            with np.errstate(divide="ignore"):
                values = density(theta[:, 0] if hasattr(source, "rvs") and self.dim == 1 else theta)
        values = np.asarray(values, dtype=float)
        if values.ndim > 1:  # several independent distributions give one number per parameter
            values = values.reshape(len(theta), -1).sum(1)
        if values.shape != (len(theta),):
            raise InputError(f"prior: log_prob gave shape {values.shape} for theta of shape "
                             f"{theta.shape}, expected ({len(theta)},)")
        return values

    def contains(self, theta: Numbers) -> NDArray[np.bool_]:
        """Whether each row of theta lies in the support."""
        return self.log_prob(theta) > -np.inf

    def __repr__(self):
        return f"CustomPrior({self.source!r})"


def _torch_dtype(source):
    """The type of the numbers that its samples have, or None if they are no tensors of torch."""
    if "torch" not in sys.modules or hasattr(source, "rvs"):
        return None
    torch = sys.modules["torch"]
    with torch.random.fork_rng(devices=[]):
        draws = _sample(source, 2, np.random.default_rng(1))
    return draws.dtype if isinstance(draws, torch.Tensor) else None


def _torch_log_prob(source, theta, dtype):
    """Distributions of torch may raise outside their support instead of giving -inf."""
    import torch
    points = torch.as_tensor(theta, dtype=dtype)

    def density(rows):
        values = source.log_prob(rows).detach().cpu().numpy()
        return values.reshape(len(rows), -1).sum(1)

    try:
        return density(points)
    except ValueError:
        values = np.full(len(theta), -np.inf)
        support = getattr(source, "support", None)
        if support is not None:
            inside = support.check(points).reshape(len(theta), -1).all(1).numpy()
            if inside.any():
                values[inside] = density(points[torch.as_tensor(inside)])
            return values
        for i in range(len(theta)):
            try:
                values[i] = density(points[i:i + 1])[0]
            except ValueError:
                pass
        return values


def _sample(source, count, rng):
    """Calls sample, with a generator where it takes one and numpy's global one seeded otherwise."""
    import inspect
    try:
        parameters = inspect.signature(source.sample).parameters
    except (TypeError, ValueError):
        parameters = {}
    for name in ("rng", "generator", "random_state"):
        if name in parameters:
            return source.sample(count, **{name: rng})
    if "seed" in parameters:
        return source.sample(count, seed=int(rng.integers(2**31)))
    state = np.random.get_state()
    np.random.seed(int(rng.integers(2**32)))
    try:
        try:
            return source.sample((count,))
        except TypeError:
            return source.sample(count)
    finally:
        np.random.set_state(state)


def _reference(prior, draws):
    """Uniform where the density ends at the draws' range, normal where it does not."""
    from . import priors

    low, high = draws.min(0), draws.max(0)
    margin = _MARGIN * (high - low)
    low, high = low - margin, high + margin
    bounded = []
    for d in range(prior.dim):
        outside = np.repeat(draws[:50], 2, axis=0)
        outside[::2, d], outside[1::2, d] = low[d], high[d]
        bounded.append(not np.isfinite(prior.log_prob(outside)).any())
    if all(bounded):
        return priors.Uniform(low, high)
    quartiles = np.quantile(draws, [0.25, 0.5, 0.75], axis=0)
    # The quartiles' spread stands for the standard deviation, which a heavy tail need not have.
    std = np.minimum(draws.std(0), 2 * (quartiles[2] - quartiles[0]) / 1.349)
    if not any(bounded):
        correlation = np.atleast_2d(np.corrcoef(draws.T))
        scale = _WIDENING * std
        return priors.Gaussian(quartiles[1], correlation * np.outer(scale, scale))
    return priors.Independent([
        priors.Uniform(low[d], high[d]) if bounded[d]
        else priors.Normal(quartiles[1][d], _WIDENING * std[d]) for d in range(prior.dim)])
