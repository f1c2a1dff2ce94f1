"""Python functions as simulators.

A simulator is a function of one theta, ``f(theta)``, or of a batch in rows, ``f(thetas)``; if it takes a
second argument it is given a NumPy generator that is seeded for that simulation (or batch), so that
results do not depend on how the work is shared out. It returns the statistics: an array, a list or a
number. NaN, infinities and None say that the simulation is invalid; an exception that it failed.
"""
from __future__ import annotations

import inspect
import traceback
from typing import TYPE_CHECKING, Any, Dict

import numpy as np

from . import _core, display
from .errors import InputError, SimulationStopped
from .kinds import Array, Numbers, Seed

if TYPE_CHECKING:
    from .posterior import Posterior
    from .priors import Prior

OK, INVALID, FAILED, TIMEOUT, LOST = range(5)
_MOST_FAILURES = 20
_TRIALS = 5
BATCH_SIZE = 1000


def takes_generator(function):
    """Whether a function has a second parameter for a generator or seed, and how to pass it:
    "rng", "seed" or None.

    >>> takes_generator(lambda theta: theta), takes_generator(lambda theta, rng: theta)
    (None, 'rng')
    """
    try:
        parameters = [p for p in inspect.signature(function).parameters.values()
                      if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)]
    except (TypeError, ValueError):  # some functions of C have no signature
        return None
    if len(parameters) < 2:
        return None
    second = parameters[1]
    if second.name == "seed":
        return "seed"
    if second.default is not second.empty and second.name not in ("rng", "generator", "random_state"):
        return None
    return "rng"


def call(function, theta, seed, how):
    """One call of the user's function."""
    if how is None:
        return function(theta)
    return function(theta, int(seed) if how == "seed" else np.random.default_rng(int(seed)))


def _values(answer):
    """What a function returned as a vector of numbers."""
    if answer is None:
        return None
    if hasattr(answer, "detach"):
        answer = answer.detach().cpu()
    return np.asarray(answer, dtype=np.float64)


class WrongShape(Exception):
    """A simulator returned another shape than before: a fault of its author, which ends the run."""


def simulate_each(function, how, width, thetas, seeds, stopped=None):
    """Rows of statistics, their statuses, and what the bad ones said, for a function of one theta."""
    x = np.full((len(thetas), width), np.nan)
    statuses, messages = bytearray(len(thetas)), {}
    for i, theta in enumerate(thetas):
        if stopped is not None and stopped():
            statuses[i:] = bytes([LOST]) * (len(thetas) - i)
            break
        try:
            values = _values(call(function, theta, seeds[i], how))
        except SimulationStopped:
            raise
        except Exception:
            statuses[i], messages[i] = FAILED, _traceback()
            continue
        if values is None:
            statuses[i], messages[i] = INVALID, "it returned None"
            continue
        if values.size != width:
            raise WrongShape(values.shape, (width,))
        x[i] = values.reshape(-1)
        if not np.isfinite(x[i]).all():
            statuses[i], messages[i] = INVALID, "it returned a number that is not finite"
    return x, bytes(statuses), messages


def simulate_batch(function, how, width, thetas, seeds, stopped=None):
    """The same for a function of a batch. What it returns is used as it is, without a copy."""
    try:
        x = _values(call(function, thetas, seeds[0], how))
    except SimulationStopped:
        raise
    except Exception:
        if len(thetas) == 1:
            return np.full((1, width), np.nan), bytes([FAILED]), {0: _traceback()}
        # Which one it was is not known: one by one, each with its own numbers.
        parts = [simulate_batch(function, how, width, thetas[i:i + 1], seeds[i:i + 1])
                 for i in range(len(thetas))]
        return (np.concatenate([p[0] for p in parts]), b"".join(p[1] for p in parts),
                {i: p[2][0] for i, p in enumerate(parts) if p[2]})
    if x is not None and x.ndim == 1 and width == 1:
        x = x.reshape(-1, 1)
    if x is None or x.shape != (len(thetas), width):
        raise WrongShape(None if x is None else x.shape, (len(thetas), width))
    finite = np.isfinite(x).all(axis=1)
    statuses = np.where(finite, OK, INVALID).astype(np.uint8).tobytes()
    return np.ascontiguousarray(x), statuses, {}


def _traceback():
    """Of the exception being handled, without epsfree's own frames."""
    import sys
    kind, error, frames = sys.exc_info()
    inner = frames.tb_next.tb_next if frames.tb_next and frames.tb_next.tb_next else frames
    return "".join(traceback.format_exception(kind, error, inner)).strip()


def name_of(function):
    """What to call it in messages and files."""
    return getattr(function, "__qualname__", None) or type(function).__name__


class PythonSimulator:
    """A Python function with all that is needed to run it: how it is called, and where.

    `failures` holds the first failed simulations as (theta, seed, traceback).
    """

    def __init__(self, function, prior, width, batch=None, executor=None, seed=1):
        if not callable(function):
            raise InputError(f"simulator is {type(function).__name__}, expected a function, or the "
                             "name of a built-in model")
        self.function = function
        self.name = name_of(function)
        self.prior = prior
        self.width = width
        self.how = takes_generator(function)
        self.executor = executor
        self.failures = []
        if batch is None:
            batch = self._detect(seed)
        elif batch is False or batch is True:
            self._try(batch, seed)
        self.batch_size = 0 if batch is False else BATCH_SIZE if batch is True else int(batch)
        if self.batch_size < 0:
            raise InputError(f"batch is {batch!r}, expected True, False or a size")

    def _trial_thetas(self, seed):
        return self.prior.sample((_TRIALS,), seed=seed)

    def _shape(self, thetas, seed, batch):
        """The shape that a call gives, or the exception it raises."""
        try:
            values = _values(call(self.function, thetas if batch else thetas[0], seed, self.how))
            return None if values is None else values.shape
        except Exception as error:  # noqa: BLE001: it is the user's, and is reported
            return error

    def _fits(self, shape, count, batch):
        if not isinstance(shape, tuple):
            return False
        if batch:
            return shape == (count, self.width) or (self.width == 1 and shape == (count,))
        return int(np.prod(shape)) == self.width

    def _detect(self, seed):
        """Whether the function takes a batch: if it cannot do with one theta, but with several. One
        that can do with both is called with one: a batch might share its random numbers."""
        thetas = self._trial_thetas(seed)
        shapes = []
        for i in range(_TRIALS):
            shapes.append(self._shape(thetas[i:i + 1], seed + i, False))
            if self._fits(shapes[-1], 1, False):
                return False
            if isinstance(shapes[-1], tuple):
                break
        of_batch = self._shape(thetas[:3], seed, True)
        if self._fits(of_batch, 3, True):
            return True
        dim = thetas.shape[1]
        if isinstance(shapes[-1], tuple):
            seen = f"returned shape {shapes[-1]} for a theta of shape ({dim},)"
        elif isinstance(of_batch, tuple):
            seen = f"returned shape {of_batch} for a batch of shape (3, {dim})"
        elif isinstance(shapes[-1], Exception):
            error = shapes[-1]
            if all(isinstance(shape, Exception) for shape in shapes) and isinstance(
                    error, (IndexError, ValueError, TypeError)):
                raise InputError(
                    f"simulator {self.name} failed for each of {_TRIALS} draws from the prior, each a "
                    f"theta of shape ({dim},): {type(error).__name__}: {error}. If the prior has "
                    f"another number of parameters than the simulator, that is why") from error
            return False  # it may only fail there: the run will say so
        else:
            return False
        raise InputError(f"simulator {self.name} {seen}, expected {self.width} statistics as in "
                         f"observed: shape ({self.width},), or (N, {self.width}) for a batch")

    def _try(self, batch, seed):
        thetas = self._trial_thetas(seed)
        count = 3 if batch else 1
        shape = self._shape(thetas[:count], seed, batch)
        if isinstance(shape, tuple) and not self._fits(shape, count, batch):
            expected = (count, self.width) if batch else (self.width,)
            raise InputError(f"simulator {self.name} returned shape {shape} for theta of shape "
                             f"{thetas[:count].shape if batch else thetas[0].shape}, expected "
                             f"{expected}")

    def dispatch(self, thetas, seeds, stopped):
        """Called by the library, from its own threads."""
        thetas = self.prior._from_inner(thetas)
        inside = self.prior._usable(thetas)
        if inside is not None and not inside.all():
            return self._dispatch_inside(thetas, seeds, stopped, inside)
        return self._run(thetas, seeds, stopped)

    def _dispatch_inside(self, thetas, seeds, stopped, inside):
        """What lies outside the prior's support is not simulated: it is invalid."""
        x = np.full((len(thetas), self.width), np.nan)
        statuses = np.full(len(thetas), INVALID, dtype=np.uint8)
        messages = {i: "outside the prior's support" for i in np.flatnonzero(~inside).tolist()}
        if inside.any():
            where = np.flatnonzero(inside)
            part, kinds, said = self._run(thetas[inside], seeds[inside], stopped)
            x[inside] = part
            statuses[inside] = np.frombuffer(kinds, dtype=np.uint8)
            messages.update({int(where[i]): text for i, text in said.items()})
        return x, statuses.tobytes(), messages

    def _run(self, thetas, seeds, stopped):
        work = simulate_batch if self.batch_size else simulate_each
        arguments = (self.function, self.how, self.width, thetas, seeds)
        try:
            if self.executor is None:
                answer = work(*arguments, stopped)
            else:
                answer = self.executor.run(work, arguments, stopped)
        except WrongShape as wrong:
            seen, expected = wrong.args
            raise InputError(f"simulator {self.name} returned shape {seen}, expected {expected} as in "
                             "observed and as it did before") from None
        for i, message in answer[2].items():
            if answer[1][i] == FAILED and len(self.failures) < _MOST_FAILURES:
                self.failures.append((thetas[i].copy(), int(seeds[i]), message))
        return answer


class Model:
    """A built-in simulator with its prior, observation and, where known, exact posterior.

    >>> import epsfree
    >>> model = epsfree.models["mixture"]
    >>> model.simulate([[1.0], [2.0]], seed=1).shape
    (2, 1)
    """

    def __init__(self, core: Any) -> None:
        self._core = core

    @property
    def name(self) -> str:
        """As problem files call it."""
        return self._core.name

    @property
    def description(self) -> str:
        """One line about it."""
        return self._core.description

    @property
    def names(self) -> list[str]:
        """Of the parameters."""
        return self._core.names

    @property
    def statistic_names(self) -> list[str]:
        """Of the statistics."""
        return self._core.statistic_names

    @property
    def prior(self) -> Prior:
        """The prior of the paper."""
        from .priors import Prior
        return Prior._from_core(self._core.prior, self.names)

    @property
    def observed(self) -> Array:
        """The observation of the paper."""
        return self._core.observed

    @property
    def truth(self) -> Array:
        """The parameters behind it."""
        return self._core.truth

    def simulate(self, thetas: Numbers, seed: Seed = 1) -> Array:
        """Statistics in rows, on all cores; NaN where a simulation is invalid."""
        from .arrays import checked_seed, rows
        return self._core.simulate(rows(thetas, "thetas", len(self.names)), checked_seed(seed))

    def exact_posterior(self, observed: Numbers | None = None) -> Posterior | None:
        """Where it is known in closed form, else None."""
        from .arrays import vector
        from .posterior import Posterior
        observed = self.observed if observed is None else vector(observed, "observed",
                                                                 len(self.statistic_names))
        core = self._core.exact_posterior(observed)
        return None if core is None else Posterior(core)

    def __repr__(self):
        return f"<epsfree model {self.name!r}: {self.description}>"

    def _repr_html_(self) -> str:
        return display.table(f"Model {self.name}", [
            ("description", self.description), ("parameters", ", ".join(self.names)),
            ("statistics", ", ".join(self.statistic_names))])


class Models(Dict[str, Model]):
    """The built-in models by name."""

    def __repr__(self):
        return "\n".join(repr(model) for model in self.values())

    def _repr_html_(self) -> str:
        return display.table("Built-in models", [(name, model.description) for name, model in self.items()])


models = Models({core.name: Model(core) for core in _core.models()})
