"""How to call a prior of another library: an object that can be sampled and has a density.

It may be a distribution of SciPy, torch or sbi, or a class of the user's. What it says about its own
support (`support`, as torch and SciPy have it) is always respected, whatever its density is outside.
"""
from __future__ import annotations

import inspect
import sys

import numpy as np

from .errors import InputError


class PriorSource:
    """Draws and densities of a user's object, as NumPy arrays of 64 bits."""

    def __init__(self, source):
        self.object = source
        self.name = type(source).__name__
        self._torch = _torch_dtype(source)

    def draw(self, count, seed):
        """`count` draws in rows. The global generators of NumPy and torch stay as they were."""
        rng = np.random.default_rng(seed)
        if self._torch is not None:
            torch = sys.modules["torch"]
            with torch.random.fork_rng(devices=[]):
                torch.manual_seed(seed % 2**63)
                draws = _sample(self.object, count, rng).detach().cpu().numpy()
        elif hasattr(self.object, "rvs"):
            draws = self.object.rvs(size=count, random_state=rng)
        else:
            draws = _sample(self.object, count, rng)
        draws = np.asarray(draws, dtype=float)
        if draws.ndim == 1:
            draws = draws.reshape(-1, 1)
        if draws.ndim != 2 or len(draws) != count:
            raise InputError(f"prior: sample of {self.name} gave an array of shape {draws.shape}, "
                             f"expected ({count}, number of parameters)")
        return draws

    def log_prob(self, theta):
        """The log density of each row; -inf outside the support. A density of NaN counts
        as zero: it comes from a logarithm or root outside the support."""
        result = np.full(len(theta), -np.inf)
        inside = self._inside(theta)
        if inside.any():
            values = self._density(theta[inside])
            result[inside] = np.where(np.isnan(values), -np.inf, values)
        return result

    def _density(self, theta):
        density = getattr(self.object, "log_prob", None) or self.object.logpdf
        if self._torch is not None:
            values = self._torch_density(theta)
        else:
            one = hasattr(self.object, "rvs") and theta.shape[1] == 1
            with np.errstate(divide="ignore", invalid="ignore"):
                values = np.asarray(density(theta[:, 0] if one else theta), dtype=float)
        if values.ndim > 1:  # several independent distributions give one number per parameter
            values = values.reshape(len(theta), -1).sum(1)
        if values.shape != (len(theta),):
            raise InputError(f"prior: log_prob of {self.name} gave shape {values.shape} for theta of "
                             f"shape {theta.shape}, expected ({len(theta)},)")
        return values

    def _torch_density(self, theta):
        """Distributions of torch may raise outside their support instead of giving -inf."""
        points = sys.modules["torch"].as_tensor(theta, dtype=self._torch)
        try:
            return self.object.log_prob(points).detach().cpu().numpy()
        except ValueError:
            if len(theta) == 1:
                return np.full(1, -np.inf)
        return np.concatenate([self._torch_density(theta[i:i + 1]).reshape(1, -1).sum(1)
                               for i in range(len(theta))])

    # What it says about its support.

    def _constraint(self):
        """Its `support`, or None. In torch it is a constraint; in SciPy, a method that gives two bounds."""
        try:
            support = self.object.support
            if inspect.ismethod(support):
                return support()
            return None if isinstance(support, (tuple, list)) else support  # its meaning is not known
        except Exception:  # noqa: BLE001: not known, or not implemented
            return None

    def bounds(self, dim):
        """The lower and upper bounds of each parameter, infinite where there are none; None where
        the object does not say."""
        try:
            return _bounds_of(self._constraint(), dim)
        except Exception:  # noqa: BLE001: whatever somebody calls support
            return None

    def _inside(self, theta):
        inside = np.isfinite(theta).all(1)
        known = self.bounds(theta.shape[1])
        if known is not None:
            return inside & (theta >= known[0]).all(1) & (theta <= known[1]).all(1)
        check = getattr(self._constraint(), "check", None)
        if check is None:
            return inside
        points = theta if self._torch is None else sys.modules["torch"].as_tensor(
            theta, dtype=self._torch)
        try:
            return inside & np.asarray(check(points), dtype=bool).reshape(len(theta), -1).all(1)
        except Exception:  # noqa: BLE001: it is somebody else's
            return inside

    def refuse_discrete(self):
        """Raises for an object that says that it is discrete."""
        scipys = getattr(self.object, "dist", self.object) if hasattr(self.object, "rvs") else None
        if (getattr(self._constraint(), "is_discrete", False) is True
                or (hasattr(scipys, "logpmf") and not hasattr(scipys, "logpdf"))):
            raise InputError(f"prior: {self.name} is discrete; parameters must be continuous. Run one "
                             "inference for each of its values, or draw it inside the simulator")


def _bounds_of(constraint, dim):
    """Bounds from a constraint of torch, by what it is called and has, or from a pair of them."""
    if isinstance(constraint, (tuple, list)) and len(constraint) == 2:
        low, high = constraint
    elif hasattr(constraint, "cseq"):  # torch's cat and stack: one constraint after the other
        sizes = getattr(constraint, "lengths", [1] * len(constraint.cseq))
        parts = [_bounds_of(each, size) for each, size in zip(constraint.cseq, sizes)]
        if sum(sizes) != dim or any(part is None for part in parts):
            return None
        return tuple(np.concatenate([part[i] for part in parts]) for i in (0, 1))
    elif hasattr(constraint, "base_constraint"):
        return _bounds_of(constraint.base_constraint, dim)
    elif hasattr(constraint, "lower_bound") or hasattr(constraint, "upper_bound"):
        low = getattr(constraint, "lower_bound", -np.inf)
        high = getattr(constraint, "upper_bound", np.inf)
    elif type(constraint).__name__ in ("_Real", "_RealVector"):
        low, high = -np.inf, np.inf
    else:
        return None

    def wide(bound):
        values = np.asarray(bound.detach().cpu() if hasattr(bound, "detach") else bound, dtype=float)
        return np.array(np.broadcast_to(values.reshape(-1), (dim,)))

    return wide(low), wide(high)


def _torch_dtype(source):
    """The type of the numbers that its samples have, or None if they are no tensors of torch."""
    if "torch" not in sys.modules or hasattr(source, "rvs"):
        return None
    torch = sys.modules["torch"]
    with torch.random.fork_rng(devices=[]):
        draws = _sample(source, 2, np.random.default_rng(1))
    if not isinstance(draws, torch.Tensor):
        return None
    return draws.dtype if draws.is_floating_point() else torch.float64


def _sample(source, count, rng):
    """Calls sample, with a generator where it takes one and numpy's global one seeded otherwise."""
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
