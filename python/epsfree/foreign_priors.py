"""Turns distributions of SciPy, torch and sbi into the library's own priors, if it has the family.

Distributions of torch and sbi are recognised by class names and attributes (`low`, `loc`, `concentration`,
...). So torch need not be installed, and other libraries with the same names work too. A name can be
misleading, so the new density is compared with the original one.
"""
from __future__ import annotations

import numpy as np

from .arrays import _numbers
from .errors import InputError
from .prior_source import PriorSource

_NUM_COMPARED = 64
_TOLERANCE = 0.05  # largest difference of log densities, which torch computes with 32 bits


def is_scipy(prior):
    """Whether it is a frozen distribution of SciPy."""
    return hasattr(prior, "rvs") and (hasattr(prior, "logpdf") or hasattr(prior, "dist")
                                      or hasattr(prior, "logpmf"))


def from_scipy(frozen, names=None):
    """The library's prior where it has the family, else None.

    >>> import scipy.stats, epsfree
    >>> epsfree.as_prior(scipy.stats.norm(1, 2)).kind
    'independent'
    >>> epsfree.as_prior(scipy.stats.cauchy()).kind
    'custom'
    """
    from . import priors
    from .simplex import Dirichlet

    if hasattr(frozen, "cov") and hasattr(frozen, "mean") and not callable(frozen.mean):
        return priors.Gaussian(np.atleast_1d(frozen.mean), np.atleast_2d(frozen.cov), names)
    if type(frozen).__name__ == "dirichlet_frozen":
        return Dirichlet(frozen.alpha, names)
    if not hasattr(frozen, "dist") or not hasattr(frozen.dist, "_parse_args"):
        return None
    shapes, loc, scale = frozen.dist._parse_args(*frozen.args, **frozen.kwds)[:3]
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
    return None


def from_torch(source, names=None):
    """The library's prior where a distribution of torch or sbi, or one that looks like it, is of one of
    its families and has the same density; else None."""
    try:
        prior = _converted(source)
    except (AttributeError, TypeError, InputError):
        return None  # the name is the same, what it has is not
    if prior is None or not _same_density(source, prior):
        return None
    from .priors import as_prior
    return as_prior(prior, names)


def _converted(source):
    for kind in type(source).__mro__:
        make = _FAMILIES.get(kind.__name__)
        if make is not None:
            return make(source)
    return None


def _parameters(source, *attributes):
    """Vectors of numbers; a batch of one, as in torch's shape (1, D), is none."""
    values = [_numbers(getattr(source, name), name) for name in attributes]
    return [v.reshape(v.shape[1:]) if v.ndim == 2 and len(v) == 1 else v for v in values]


def _family(name, *attributes):
    def make(source):
        from . import priors
        return getattr(priors, name)(*_parameters(source, *attributes))
    return make


def _gaussian(source):
    from . import priors
    mean, covariance = (_numbers(getattr(source, name), name)
                        for name in ("loc", "covariance_matrix"))
    if covariance.ndim == 3 and len(covariance) == 1:
        mean, covariance = mean.reshape(-1), covariance[0]
    return priors.Gaussian(mean, covariance)


def _dirichlet(source):
    from .simplex import Dirichlet
    return Dirichlet(*_parameters(source, "concentration"))


def _joint(source):
    """sbi's MultipleIndependent, if each of its parts is of the library."""
    from . import priors
    parts = [_converted(part) for part in source.dists]
    return None if any(part is None for part in parts) else priors.as_prior(parts)


def _transformed(source):
    """A family that was shifted and scaled, or of which the exponential was taken."""
    from . import priors
    prior = _converted(source.base_dist)
    for transform in source.transforms if prior is not None else []:
        kind = type(transform).__name__
        if kind == "AffineTransform" and isinstance(prior, priors.Prior):
            shift, scale = _parameters(transform, "loc", "scale")
            matrix = np.diag(np.broadcast_to(scale, (prior.dim,)))
            prior = priors.LinearImage(prior, matrix, np.broadcast_to(shift, (prior.dim,)))
        elif kind == "ExpTransform" and type(prior) is priors.Normal:
            prior = priors.LogNormal(*prior._values.values())
        elif kind == "ExpTransform" and type(prior) is priors.Uniform:
            prior = priors.LogUniform(*(np.exp(v) for v in prior._values.values()))
        else:
            return None
    return prior


_FAMILIES = {
    "Uniform": _family("Uniform", "low", "high"),
    "Normal": _family("Normal", "loc", "scale"),
    "LogNormal": _family("LogNormal", "loc", "scale"),
    "Gamma": _family("Gamma", "concentration", "rate"),
    "Beta": _family("Beta", "concentration1", "concentration0"),
    "Exponential": _family("Exponential", "rate"),
    "HalfNormal": _family("HalfNormal", "scale"),
    "MultivariateNormal": _gaussian,
    "LowRankMultivariateNormal": _gaussian,
    "Dirichlet": _dirichlet,
    "Independent": lambda source: _converted(source.base_dist),
    "MultipleIndependent": _joint,
    "TransformedDistribution": _transformed,
}


def _same_density(source, prior):
    """Whether the original's draws have the density under both that they should."""
    theirs = PriorSource(source)
    draws = theirs.draw(_NUM_COMPARED, 1)
    if draws.shape[1] != prior.dim:
        return False
    difference = theirs.log_prob(draws) - prior.log_prob(draws)
    finite = np.isfinite(difference)  # not where 32 bits rounded a draw to the border
    return finite.mean() > 0.5 and float(np.median(np.abs(difference[finite]))) < _TOLERANCE
