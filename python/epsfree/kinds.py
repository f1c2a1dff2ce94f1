"""The types that public functions take and give, for type checkers and for `help()`."""
import os
from typing import Any, Callable, Sequence, Union

import numpy as np
from numpy.typing import ArrayLike, NDArray

#: What functions return: numbers of 64 bits.
Array = NDArray[np.float64]
#: Numbers as NumPy takes them; tensors of torch as well.
Numbers = ArrayLike
#: A file or directory.
Path = Union[str, "os.PathLike[str]"]
#: The shape of what is drawn, before the parameters: `(1000,)`, or 1000.
Shape = Union[int, Sequence[int]]
#: None: fresh randomness.
Seed = Union[int, "np.random.Generator", None]
#: A function of one theta or of a batch of them, and perhaps of a generator.
Simulator = Callable[..., Any]
#: True, False, None (if somebody is watching), or a function that is told of everything.
Watch = Union[bool, Callable[..., object], None]
#: Of epsfree, SciPy or torch, a dictionary or list of such, or any object with sample and log_prob.
PriorLike = Any

__all__ = ["Array", "Numbers", "Path", "PriorLike", "Seed", "Shape", "Simulator", "Watch"]
