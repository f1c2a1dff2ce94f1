"""Priors: what is believed about the parameters before the data.

The library's own families are classes here. Parameters may be arrays: one marginal each.

>>> import epsfree
>>> prior = epsfree.Uniform([0, -1], [10, 1], names=["rate", "shift"])
>>> prior.dim, prior.names
(2, ['rate', 'shift'])
>>> epsfree.Independent({"rate": epsfree.LogUniform(0.01, 1), "shift": epsfree.Normal(0, 2)})
Independent(rate=LogUniform(low=0.01, high=1), shift=Normal(mean=0, std=2))
"""
from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from . import _core, display, toml_text
from .arguments import speaking_of_arguments
from .arrays import checked_names, checked_seed, checked_shape, rows
from .errors import InputError
from .kinds import Array, Numbers, PriorLike, Seed, Shape

if TYPE_CHECKING:
    from .custom_prior import CustomPrior
    from .simplex import Dirichlet


class Prior:
    """A prior of the library. Make one by one of the subclasses, or by :func:`as_prior`.

    >>> import epsfree
    >>> prior = epsfree.Normal([0, 1], [1, 2])
    >>> prior.sample((3,), seed=1).shape
    (3, 2)
    >>> prior.log_prob([[0, 1]]).round(3)
    array([-2.531])
    """

    def __init__(self, table: dict[str, Any], names: Sequence[str] | None = None) -> None:
        self._table = table
        self._core = _core_of(table, type(self).__name__)
        self.names = checked_names(names, self._core.dim)

    @classmethod
    def _from_core(cls, core, names=None):
        prior = cls.__new__(Prior)
        prior._core = core
        prior._table = _table_of(json.loads(core.to_json()))
        prior.names = checked_names(names, core.dim)
        return prior

    @property
    def dim(self) -> int:
        """The number of parameters."""
        return self._core.dim

    @property
    def kind(self) -> str:
        """What problem files call it: "independent", "gaussian" or "linear-image"."""
        return self._core.kind

    def sample(self, sample_shape: Shape = (1,), seed: Seed = None) -> Array:
        """Draws of theta: an array of shape `sample_shape` + (dim,)."""
        shape, count = checked_shape(sample_shape)
        return self._core.sample(count, checked_seed(seed)).reshape(shape + (self.dim,))

    def log_prob(self, theta: Numbers) -> Array:
        """The log density of each row of theta; -inf outside the support."""
        return self._core.log_prob(rows(theta, "theta", self.dim))

    def contains(self, theta: Numbers) -> NDArray[np.bool_]:
        """Whether each row of theta lies in the support."""
        return np.array(self._core.contains(rows(theta, "theta", self.dim)), dtype=bool)

    def mean(self) -> Array:
        """The mean of theta."""
        return self._core.mean()

    def covariance(self) -> Array:
        """The covariance of theta."""
        return self._core.covariance()

    def std(self) -> Array:
        """The standard deviations of theta."""
        return np.sqrt(np.diagonal(self.covariance()))

    # How an inference goes under a prior: under `_inner`, a prior of the library, whose parameters are
    # those of this prior by `_to_inner` and back. `_usable` says which may be simulated (None: all), and
    # `_answer` makes the posterior of the one under `_inner`, which may have learnt the prior from its
    # draws.

    @property
    def _inner(self):
        return self

    def _to_inner(self, theta):
        return theta

    def _from_inner(self, theta):
        return theta

    def _usable(self, theta):
        return None

    def _answer(self, posterior, learnt, **fields):
        return posterior

    def __eq__(self, other):
        return isinstance(other, Prior) and self._core.same_as(other._core)

    def __hash__(self):
        return hash((self.kind, self.dim))

    def __repr__(self):
        return f"<epsfree.Prior of kind {self.kind!r} over {self.dim} parameters>"

    def _repr_html_(self) -> str:
        names = self.names or [f"theta{i + 1}" for i in range(self.dim)]
        if self.kind == "independent":
            rows = [(name, p["family"], ", ".join(f"{k} {v:g}" for k, v in p.items() if k not in ("family", "name")))
                    for name, p in zip(names, self._table["parameter"])]
            return display.table(type(self).__name__, rows, ("parameter", "family", "with"))
        return display.table(type(self).__name__, list(zip(names, self.mean().tolist(), self.std().tolist())),
                             ("parameter", "mean", "std"), f"kind {self.kind}")

    def __getstate__(self):
        return {key: item for key, item in self.__dict__.items() if key != "_core"}

    def __setstate__(self, state):
        self.__dict__.update(state)
        self._core = _core_of(self._table, type(self).__name__)

    def _problem_table(self, names):
        """The table [prior] of a problem file, with names."""
        table = dict(self._table)
        names = names or self.names
        if table["kind"] == "independent" and names:
            table["parameter"] = [dict(p, name=n) for p, n in zip(table["parameter"], names)]
        elif names:
            table["names"] = names
        return table


def _core_of(table, source):
    """The library's prior of a problem file's table; `source` names it in messages."""
    with speaking_of_arguments(source):
        return _core.parse_prior("prior = " + toml_text.value(table), source)[0]


def _table_of(document):
    """The table of a problem file that says the same as a result file's JSON."""
    def number(value):
        return float(value) if isinstance(value, str) else value

    kind = document["kind"]
    if kind == "independent":
        return {"kind": kind, "parameter": [{k: v if k == "family" else number(v) for k, v in m.items()}
                                            for m in document["marginals"]]}
    if kind == "linear-image":
        return {"kind": kind, "base": _table_of(document["base"]), "matrix": document["matrix"],
                "shift": document["shift"]}
    if kind == "gaussian":
        factor = np.array(document["precision_factor"], dtype=float)
        covariance = np.linalg.inv(factor.T @ factor)
        return {"kind": kind, "mean": document["mean"],
                "covariance": ((covariance + covariance.T) / 2).tolist()}
    return {"kind": kind}


def _text(value):
    array = np.asarray(value)
    return f"{array:g}" if array.ndim == 0 else str(array.tolist())


class _Family(Prior):
    """Independent marginals of one family."""
    _family = ""
    _arguments = ()

    def _build(self, names, **values):
        arrays = {}
        for name, given in values.items():
            try:
                arrays[name] = np.asarray(given, dtype=float)
                if arrays[name].ndim > 1:
                    raise ValueError
            except (TypeError, ValueError):
                raise InputError(f"{type(self).__name__}: {name} is {given!r}, expected a number or "
                                 "a vector of numbers") from None
        try:
            dim = np.broadcast_shapes(*(a.shape for a in arrays.values())) or (1,)
        except ValueError:
            shapes = ", ".join(f"{n} {a.shape}" for n, a in arrays.items())
            raise InputError(f"{type(self).__name__}: shapes do not fit: {shapes}") from None
        wide = {name: np.broadcast_to(a, dim) for name, a in arrays.items()}
        if dim[0] == 0:
            raise InputError(f"{type(self).__name__}: expected at least one parameter, got none")
        self._values = values
        super().__init__({"kind": "independent",
                          "parameter": [dict({"family": self._family},
                                             **{n: float(a[i]) for n, a in wide.items()})
                                        for i in range(dim[0])]}, names)

    def __repr__(self):
        if not hasattr(self, "_values"):
            return super().__repr__()
        inside = ", ".join(f"{k}={_text(v)}" for k, v in self._values.items())
        return f"{type(self).__name__}({inside})"


class Uniform(_Family):
    """Uniform on [low, high], or on a box.

    >>> import epsfree
    >>> epsfree.Uniform([0, 0], [1, 2]).mean()
    array([0.5, 1. ])
    """
    _family = "uniform"

    def __init__(self, low: Numbers, high: Numbers, names: Sequence[str] | None = None) -> None:
        self._build(names, low=low, high=high)


class Normal(_Family):
    """Normal with mean and standard deviation; independent where they are arrays."""
    _family = "normal"

    def __init__(self, mean: Numbers, std: Numbers, names: Sequence[str] | None = None) -> None:
        self._build(names, mean=mean, std=std)


class LogUniform(_Family):
    """Its logarithm is uniform: for a scale that is not known to within a factor."""
    _family = "log-uniform"

    def __init__(self, low: Numbers, high: Numbers, names: Sequence[str] | None = None) -> None:
        self._build(names, low=low, high=high)


class LogNormal(_Family):
    """Its logarithm is normal with this mean and standard deviation."""
    _family = "log-normal"

    def __init__(self, log_mean: Numbers, log_std: Numbers, names: Sequence[str] | None = None) -> None:
        self._build(names, log_mean=log_mean, log_std=log_std)


class Exponential(_Family):
    """Exponential with this rate; the mean is 1 / rate."""
    _family = "exponential"

    def __init__(self, rate: Numbers, names: Sequence[str] | None = None) -> None:
        self._build(names, rate=rate)


class Gamma(_Family):
    """Gamma with shape and rate; the mean is shape / rate."""
    _family = "gamma"

    def __init__(self, shape: Numbers, rate: Numbers, names: Sequence[str] | None = None) -> None:
        self._build(names, shape=shape, rate=rate)


class Beta(_Family):
    """Beta on (0, 1); the mean is a / (a + b)."""
    _family = "beta"

    def __init__(self, a: Numbers, b: Numbers, names: Sequence[str] | None = None) -> None:
        self._build(names, a=a, b=b)


class HalfNormal(_Family):
    """The absolute value of a normal around zero with this standard deviation."""
    _family = "half-normal"

    def __init__(self, std: Numbers, names: Sequence[str] | None = None) -> None:
        self._build(names, std=std)


class TruncatedNormal(_Family):
    """A normal with this mean and standard deviation, restricted to [low, high]; either may be
    infinite."""
    _family = "truncated-normal"

    def __init__(self, mean: Numbers, std: Numbers, low: Numbers, high: Numbers, names: Sequence[str] | None = None) -> None:
        self._build(names, mean=mean, std=std, low=low, high=high)


class Gaussian(Prior):
    """A multivariate normal.

    >>> import epsfree
    >>> epsfree.Gaussian([0, 0], [[1, 0.5], [0.5, 1]]).dim
    2
    """

    def __init__(self, mean: Numbers, covariance: Numbers, names: Sequence[str] | None = None) -> None:
        mean, covariance = np.asarray(mean, float), np.asarray(covariance, float)
        if mean.ndim != 1 or covariance.shape != (mean.size, mean.size):
            raise InputError(f"Gaussian: mean has shape {mean.shape} and covariance "
                             f"{covariance.shape}, expected (D,) and (D, D)")
        super().__init__({"kind": "gaussian", "mean": mean, "covariance": covariance}, names)

    def __repr__(self):
        return f"Gaussian(mean={_text(self._table['mean'])}, covariance={_text(self._table['covariance'])})"


class LinearImage(Prior):
    """The prior of theta = matrix @ u + shift where u has the prior `base`.

    >>> import epsfree
    >>> epsfree.LinearImage(epsfree.Gamma(2, 1), [[3.0]], [1.0]).mean()
    array([7.])
    """

    def __init__(self, base: PriorLike, matrix: Numbers, shift: Numbers | None = None,
                 names: Sequence[str] | None = None) -> None:
        base = as_prior(base)
        if not isinstance(base, Prior):
            raise InputError(f"LinearImage: base is {base!r}, expected one of the library's families")
        matrix = np.atleast_2d(np.asarray(matrix, float))
        shift = np.zeros(base.dim) if shift is None else np.atleast_1d(np.asarray(shift, float))
        self._base = base
        super().__init__({"kind": "linear-image", "base": base._table, "matrix": matrix,
                          "shift": shift}, names)

    def __repr__(self):
        return f"LinearImage({self._base!r}, {_text(self._table['matrix'])}, {_text(self._table['shift'])})"


class Independent(Prior):
    """Several priors side by side, each with one or more parameters; a dictionary names them.

    >>> import epsfree
    >>> epsfree.Independent([epsfree.Normal(0, 1), epsfree.Uniform(0, 1)]).dim
    2
    """

    def __init__(self, priors: Mapping[str, PriorLike] | Sequence[PriorLike],
                 names: Sequence[str] | None = None) -> None:
        if isinstance(priors, dict):
            found = []
            for name, prior in priors.items():
                dim = as_prior(prior).dim
                found += [str(name)] if dim == 1 else [f"{name}{i + 1}" for i in range(dim)]
            names = names or found
            keys, priors = list(priors), list(priors.values())
        else:
            keys, priors = None, list(priors)
        parts = [as_prior(prior) for prior in priors]
        if not parts:
            raise InputError("Independent: expected at least one prior, got none")
        if names is None and all(part.names for part in parts):
            names = [name for part in parts for name in part.names]
        self._parts = list(zip(keys, parts)) if keys else parts
        super().__init__(_joined(parts), names)

    def __repr__(self):
        if not hasattr(self, "_parts"):
            return super().__repr__()
        inside = ", ".join(f"{p[0]}={p[1]!r}" if isinstance(p, tuple) else repr(p)
                           for p in self._parts)
        return f"Independent({inside})"


def _joined(parts):
    """One table for independent priors: marginals, or an image of marginals."""
    parameters, blocks, shifts = [], [], []
    for part in parts:
        if not isinstance(part, Prior):
            raise InputError(f"Independent: {part!r} cannot stand beside others; give one object with "
                             "sample and log_prob for all parameters")
        table = part._table
        matrix, shift = np.eye(part.dim), np.zeros(part.dim)
        if table["kind"] == "linear-image":
            matrix, shift = np.asarray(table["matrix"], float), np.asarray(table["shift"], float)
            table = table["base"]
        if table["kind"] == "gaussian":
            factor = np.linalg.cholesky(np.asarray(table["covariance"], float))
            shift = shift + matrix @ np.asarray(table["mean"], float)
            matrix = matrix @ factor
            table = {"kind": "independent", "parameter": [
                {"family": "normal", "mean": 0.0, "std": 1.0} for _ in range(part.dim)]}
        if table["kind"] != "independent":
            raise InputError(f"Independent: {part!r} cannot stand beside others")
        parameters += [{k: v for k, v in p.items() if k != "name"} for p in table["parameter"]]
        blocks.append(matrix)
        shifts.append(shift)
    base = {"kind": "independent", "parameter": parameters}
    if all((m == np.eye(len(m))).all() and not s.any() for m, s in zip(blocks, shifts)):
        return base
    dim = sum(len(m) for m in blocks)
    matrix, at = np.zeros((dim, dim)), 0
    for m in blocks:
        matrix[at:at + len(m), at:at + len(m)] = m
        at += len(m)
    return {"kind": "linear-image", "base": base, "matrix": matrix,
            "shift": np.concatenate(shifts)}


def as_prior(prior: PriorLike, names: Sequence[str] | None = None) -> Prior | CustomPrior | Dirichlet:
    """Makes a prior from a :class:`Prior`, a dictionary or list of priors, a distribution
    of SciPy, torch or sbi, or any object with `sample` and `log_prob`. Distributions of a family that the
    library has become the library's own.

    >>> import epsfree
    >>> epsfree.as_prior({"a": epsfree.Normal(0, 1), "b": epsfree.Uniform(0, 2)}).names
    ['a', 'b']
    """
    from .custom_prior import CustomPrior
    from .foreign_priors import from_scipy, from_torch, is_scipy
    from .simplex import Dirichlet

    if isinstance(prior, (Prior, CustomPrior, Dirichlet)):
        if names is None:
            return prior
        import copy
        prior = copy.copy(prior)
        prior.names = checked_names(names, prior.dim)
        return prior
    if isinstance(prior, (dict, list, tuple)):
        return Independent(prior, names)
    if is_scipy(prior):
        return from_scipy(prior, names) or CustomPrior(prior, names)
    if hasattr(prior, "sample") and (hasattr(prior, "log_prob") or hasattr(prior, "logpdf")):
        return from_torch(prior, names) or CustomPrior(prior, names)
    raise InputError(f"prior is {type(prior).__name__}, expected a prior of epsfree, SciPy, torch or sbi, "
                     "a dictionary of such, or an object with sample and log_prob")
