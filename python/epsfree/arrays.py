"""Arrays as the library takes them, with messages that name what is wrong."""
from __future__ import annotations

from typing import Sequence

import numpy as np

from .errors import InputError
from .kinds import Array, Numbers


def _numbers(value, name):
    try:
        if hasattr(value, "detach"):  # a torch tensor, perhaps one that has gradients
            value = value.detach().cpu()
        if isinstance(value, np.ma.MaskedArray):
            value = value.astype(np.float64).filled(np.nan)
        array = np.asarray(value)
        if array.dtype == object or array.dtype.kind not in "fiub":
            raise TypeError
        return np.ascontiguousarray(array, dtype=np.float64)
    except (TypeError, ValueError, RuntimeError):
        kind = getattr(getattr(value, "dtype", None), "name", type(value).__name__)
        raise InputError(f"{name} is {kind}, expected an array of real numbers") from None


def vector(value: Numbers, name: str, size: int | None = None, finite: bool = True) -> Array:
    """A vector of `size` numbers; a single number is a vector of one."""
    array: Array = _numbers(value, name)
    shape = array.shape
    if array.ndim == 2 and 1 in shape:
        array = array.reshape(-1)
    if array.ndim == 0:
        array = array.reshape(1)
    if array.ndim != 1 or (size is not None and array.size != size):
        expected = "(N,)" if size is None else f"({size},)"
        raise InputError(f"{name} has shape {shape}, expected {expected}")
    if finite and not np.isfinite(array).all():
        i = int(np.flatnonzero(~np.isfinite(array))[0])
        raise InputError(f"{name}[{i}] is {array[i]}, expected a finite number")
    return array


def rows(value: Numbers, name: str, width: int) -> Array:
    """Points in rows, N x width. One point may be a vector, and points of one number a vector too."""
    array: Array = _numbers(value, name)
    shape = array.shape
    if array.ndim == 0 and width == 1:
        array = array.reshape(1, 1)
    if array.ndim == 1:
        if array.size == width:
            array = array.reshape(1, width)
        elif width == 1:
            array = array.reshape(-1, 1)
    if array.ndim != 2 or array.shape[1] != width:
        raise InputError(f"{name} has shape {shape}, expected (N, {width})")
    return np.ascontiguousarray(array)


def table(value: Numbers, name: str) -> Array:
    """Points in rows of any width; a vector is points of one number."""
    array: Array = _numbers(value, name)
    if array.ndim == 1:
        array = array.reshape(-1, 1)
    if array.ndim != 2:
        raise InputError(f"{name} has shape {array.shape}, expected (N, number of values)")
    return array


def checked_shape(shape):
    """A tuple of counts and their product."""
    try:
        if isinstance(shape, (str, bytes, dict)):
            raise TypeError
        shape = tuple(int(n) for n in shape) if hasattr(shape, "__iter__") else (int(shape),)
    except Exception:  # noqa: BLE001: whatever cannot be a count
        raise InputError(f"sample_shape is {shape!r}, expected a tuple such as (1000,)") from None
    if any(n < 0 for n in shape):
        raise InputError(f"sample_shape is {shape}, expected numbers that are not negative")
    count = 1
    for n in shape:
        count *= n
    if count > 2**40:
        raise InputError(f"sample_shape is {shape}, which is more than any memory holds")
    return shape, count


def checked_seed(seed):
    """A seed of 64 bits; fresh randomness for None, numbers of a numpy Generator if it is one."""
    if seed is None:
        return int(np.random.SeedSequence().generate_state(1, np.uint64)[0])
    if isinstance(seed, np.random.Generator):
        return int(seed.integers(0, 2**63))
    try:
        number = int(seed)
        if number != seed:
            raise ValueError
    except (TypeError, ValueError, OverflowError):
        raise InputError(f"seed is {seed!r}, expected a whole number") from None
    if not 0 <= number < 2**63:
        raise InputError(f"seed is {number}, expected a number from 0 to 2^63 - 1")
    return number


def checked_names(names: Sequence[str] | None, dim: int, what: str = "names") -> list[str] | None:
    """A list of `dim` names, or None."""
    if names is None:
        return None
    if isinstance(names, str):
        names = [names]
    names = list(names)
    if len(names) != dim or not all(isinstance(name, str) for name in names):
        raise InputError(f"{what} is {names!r}, expected {dim} strings")
    if len(set(names)) != len(names):
        raise InputError(f"{what} is {names!r}, expected each name once")
    return names
