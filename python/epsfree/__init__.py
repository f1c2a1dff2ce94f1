"""epsfree: the parameters of a simulator from observed data.

One call::

    posterior = epsfree.infer(simulator, prior, observed, num_simulations=2000, seed=1)

`simulator` is a Python function (:mod:`epsfree.simulators`) or the name of a built-in model
(:data:`epsfree.models`), `prior` one of :class:`Uniform`, :class:`Normal`, ..., a frozen distribution of
SciPy, a dictionary of them, or any object with `sample` and `log_prob`. :class:`Posterior` says what
can be asked of the answer, :class:`NPE` has the same step by step in the words of `sbi`, and
:func:`run` and :func:`load` share problem files and run directories with the program `epsfree`.

>>> import epsfree
>>> posterior = epsfree.infer("mixture", num_simulations=300, seed=1)
>>> posterior.names
['theta']
"""
from typing import TYPE_CHECKING, Any, Sequence

from . import _core
from .calibration import Calibration, calibrate, predictive_check
from .checks import (MMD, Check, Diagnosis, c2st, check, compare, mmd, report, sliced_wasserstein)
from .custom_prior import CustomPrior
from .errors import CheckWarning, EpsfreeWarning, Error, FileError, InputError, Interrupted, StoppedError
from .estimator import AmortisedPosterior, Estimator, load_estimator
from .infer import infer
from .method_table import Method, methods
from .npe import NPE
from .posterior import Combination, Posterior, combine
from .priors import (Beta, Exponential, Gamma, Gaussian, HalfNormal, Independent, LinearImage,
                     LogNormal, LogUniform, Normal, Prior, TruncatedNormal, Uniform, as_prior)
from .problem_files import load, run
from .simplex import Dirichlet
from .simulators import Model, models
from .summary import Summary

if TYPE_CHECKING:
    import numpy as np
    from matplotlib.figure import Figure
    from numpy.typing import NDArray

__version__: str = _core.version
__all__ = [
    "AmortisedPosterior", "Beta", "Calibration", "Check", "CheckWarning", "Combination", "CustomPrior", "Diagnosis", "Dirichlet", "EpsfreeWarning", "Error",
    "Estimator", "Exponential", "FileError", "Gamma", "Gaussian", "HalfNormal", "Independent",
    "InputError", "Interrupted", "LinearImage", "LogNormal", "LogUniform", "MMD", "Method", "Model", "NPE",
    "Normal", "Posterior", "Prior", "StoppedError", "Summary", "TruncatedNormal", "Uniform", "as_prior",
    "c2st", "calibrate", "check", "combine", "compare", "infer", "load", "load_estimator", "methods", "mmd", "models", "pairplot", "predictive_check",
    "report", "run", "sliced_wasserstein",
]


def pairplot(posteriors: "Posterior | AmortisedPosterior | Sequence[Posterior | AmortisedPosterior]",
             **options: Any) -> "tuple[Figure, NDArray[np.object_]]":
    """A corner plot of one or several posteriors; see :func:`epsfree.plots.pairplot`. Needs
    matplotlib: ``pip install epsfree[plot]``."""
    from .plots import pairplot as draw
    return draw(posteriors, **options)
