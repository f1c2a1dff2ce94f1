"""Inference in one call."""
from __future__ import annotations

import json
import warnings
from typing import Any, Callable, Sequence

import numpy as np

from . import _core, toml_text
from .arguments import speaking_of_arguments, speaking_of_calls
from .arrays import checked_names, checked_seed, table, vector
from .checks import Check
from .errors import CheckWarning, InputError
from .estimator import AmortisedPosterior, Estimator
from .executors import open_executor
from .fingerprint import simulator_parts
from .kinds import Numbers, Path, PriorLike, Seed, Simulator, Watch
from .method_table import check_has_distance, describes_methods, for_any_observation, learns_any_observation
from .posterior import Posterior
from .priors import as_prior
from .progress import Progress
from .simulators import Model, PythonSimulator, models


@describes_methods
def infer(simulator: Simulator | str | Model, prior: PriorLike = None, observed: Numbers | None = None, *, 
          num_simulations: int = 2000, seed: Seed = 1, method: str = "auto", names: Sequence[str] | None = None, batch: bool | int | None = None,
          executor: Any = None, num_workers: int | None = None, directory: Path | None = None,
          force: bool = False, retry_failed: bool = False, keep_simulations: bool = False,
          progress: Watch = None, truth: Numbers | None = None,
          statistic_names: Sequence[str] | None = None, name: str | None = None,
          distance: str | Callable[[Any, Any], float] | None = None,
          check: bool | None = None, sbc: int = 0, **options: Any) -> Posterior | AmortisedPosterior:
    """The posterior of a simulator's parameters, given what was observed.

    Parameters
    ----------
    simulator
        A function of one theta or of a batch of them, in rows, that returns statistics; a second
        argument is given a seeded NumPy generator. Or the name of a built-in model
        (:data:`epsfree.models`).
    prior
        A prior of epsfree or SciPy, a dictionary of them by parameter name, or any object with
        `sample` and `log_prob`. Built-in models have one.
    observed
        The statistics of the real data. Several rows are independent observations of the same
        parameters; that needs a method that learns for any ({for_any_observation}).
    num_simulations
        The budget: every call of the simulator, those of a pilot run and of all rounds included.
    seed
        Seed of all random numbers. The same seed gives the same result for any number of workers.
    method
        The method of inference; :func:`epsfree.methods` shows the options of each. `options` are those,
        with groups as dictionaries: ``smc={"population": 200}``. An option of another method is an error.

        {methods}
    batch
        True if the simulator takes a batch of 1000, or the size; False if one theta; None: it is tried
        beforehand, with up to eight calls.
    executor, num_workers
        Any `concurrent.futures.Executor`, or the number of processes of the built-in pool (0: all
        cores). By default the simulator runs in this process.
    directory
        A run directory, as the program makes it: what was simulated is recorded there, the same call
        goes on where an earlier one was interrupted, and :func:`epsfree.load` and the program read it.
    force, retry_failed, keep_simulations
        What to do if the directory holds an earlier run. `force` starts over. `retry_failed` runs failed
        simulations again, and everything that depends on them. `keep_simulations` continues with the
        recorded simulations even if the simulator has changed; without it, that is an error.
    distance
        Distance of the ABC methods: {distances}, or a function of a
        simulation's and the observed statistics that returns a number.
    check, sbc
        The posterior's `check` (:class:`epsfree.Check`) says whether to trust it. A check that does not
        pass also gives an :class:`epsfree.CheckWarning`. Checks that need no new simulations are always
        made. True also makes the checks that simulate. They use a tenth of the budget (50 to 1000
        simulations) from the posterior and as many from the prior, in addition to the budget. None makes
        them only in a run directory, which then also gets a report.html.
        `sbc` repeats the whole inference for this number of simulated observations, for example 200.
    progress
        True, False, None (a bar if somebody is watching), or a function that is told of everything.

    Returns
    -------
    Posterior, or AmortisedPosterior with the observation as its default where the method learns for
    any observation.

    >>> import epsfree
    >>> def simulator(theta, rng):
    ...     data = rng.normal(theta[0], 1, size=20)
    ...     return [data.mean(), data.std()]
    >>> posterior = epsfree.infer(simulator, epsfree.Normal(0, 5, names=["mu"]), [1.0, 1.0],
    ...                           num_simulations=300, seed=1)
    >>> abs(posterior.mean()[0] - 1) < 0.2
    np.True_
    """
    seed = checked_seed(seed)
    checking = _Checking(check, sbc, directory)
    resuming = _resuming(directory, force, retry_failed, keep_simulations)
    if distance is not None:
        check_has_distance(method)
    if isinstance(distance, str):
        options["abc"] = dict(options.get("abc", {}), distance=distance)
        distance = None
    if distance is not None and not callable(distance):
        raise InputError(f"distance is {distance!r}, expected a name or a function")
    if distance is not None and directory is not None:
        raise InputError("directory: a distance that is a Python function cannot be written to a "
                         "problem file; name one of the library's, or leave directory out")
    if isinstance(simulator, (str, Model)):
        problem, source = _built_in(simulator, prior, observed, names, truth, seed, name, checking,
                                    dict(options, name=method, num_simulations=num_simulations))
        if executor is not None or num_workers is not None or batch is not None:
            raise InputError("batch, executor and num_workers are for Python simulators; built-in "
                             "models run in the library's threads")
        with speaking_of_arguments("infer"):
            problem = _core.parse_problem(problem, source, None, 0)
        if distance is not None:
            problem.set_distance(distance)
        return _run(problem, None, None, directory, resuming, progress, checking)
    if prior is None or observed is None:
        missing = "prior" if prior is None else "observed"
        raise InputError(f"{missing} is missing; a simulator of your own needs a prior and an "
                         "observation")
    prior = as_prior(prior, names)
    x = np.asarray(observed, dtype=float) if np.ndim(observed) == 2 else None
    if x is not None and len(x) != 1 and learns_any_observation(method):
        return _several(simulator, prior, table(observed, "observed"), locals())
    if x is not None and len(x) != 1:
        raise InputError(f"observed has shape {x.shape}: several observations need a method that "
                         f"learns for any: {for_any_observation()}")
    observed = vector(observed, "observed")
    if directory is not None and prior._inner is not prior:
        raise InputError(f"directory: {prior!r} cannot be written to a problem file; use another of "
                         "epsfree's families, or leave directory out")
    if checking.here and prior.kind == "custom":
        raise InputError("check: not for a prior that is a Python object; use one of epsfree's families")
    pool = open_executor(executor, num_workers, simulator)
    try:
        wrapped = PythonSimulator(simulator, prior, observed.size, batch, pool, seed)
        text = _problem_text(wrapped, prior, observed, names, truth, statistic_names, seed, pool, name,
                             checking, dict(options, name=method, num_simulations=num_simulations))
        parts = [] if directory is None else simulator_parts(simulator)
        with speaking_of_arguments("infer"):
            problem = _core.parse_problem(text, "infer()", wrapped.dispatch, wrapped.batch_size, parts)
        if distance is not None:
            problem.set_distance(distance)
        return _run(problem, prior, wrapped, directory, resuming, progress, checking)
    finally:
        if pool is not None:
            pool.close()


def _several(simulator, prior, rows, arguments):
    """One network for all rows, and the product of its posteriors."""
    first = dict(arguments["options"])
    for key in ("num_simulations", "seed", "method", "names", "batch", "executor", "num_workers",
                "directory", "force", "retry_failed", "keep_simulations", "progress", "truth",
                "statistic_names", "name", "check", "sbc"):
        first[key] = arguments[key]
    if not len(rows) or not np.isfinite(rows).all():
        raise InputError(f"observed of shape {rows.shape} is empty or holds a value that is not "
                         "finite")
    posterior = infer(simulator, prior, rows[0], **first)
    return posterior.set_default_x(rows)


def _method(options):
    return "\n".join(toml_text.assignments({"method": options}, ""))


class _Checking:
    """Which checks to make: `here`, of an answer in memory, or in the run directory (`report`)."""

    def __init__(self, check, sbc, directory):
        if check not in (None, True, False):
            raise InputError(f"check is {check!r}, expected True, False or None")
        if isinstance(sbc, bool) or not isinstance(sbc, (int, np.integer)) or sbc < 0:
            raise InputError(f"sbc is {sbc!r}, expected a whole number, 0 or more")
        if sbc and check is False:
            raise InputError("sbc needs check=True")
        if sbc and directory is not None:
            raise InputError("sbc: not together with directory; epsfree.check(directory, sbc=...) does it")
        self.sbc = int(sbc)
        self.here = directory is None and (bool(check) or self.sbc > 0)
        self.report = directory is not None and check is not False


def _lines(seed, name, checking):
    lines = [f"seed = {seed}", f"run.report = {'true' if checking.report else 'false'}"]
    if name is not None:
        lines.append(f"name = {toml_text.value(name)}")
    return lines


def _built_in(model, prior, observed, names, truth, seed, name, checking, options):
    name_of_model = model.name if isinstance(model, Model) else model
    known = models.get(name_of_model)
    if known is None:
        raise InputError(f"simulator is {name_of_model!r}, expected a function or one of the built-in "
                         f"models {', '.join(models)}")
    lines = _lines(seed, name_of_model if name is None else name, checking) + [_method(options)]
    lines += ["[simulator]", f"model = {toml_text.value(name_of_model)}"]
    if prior is not None:
        prior = as_prior(prior, names)
        if prior.dim != len(known.names):
            raise InputError(f"prior has {prior.dim} parameters, expected {len(known.names)} for the model "
                             f"{name_of_model!r}: {', '.join(known.names)}")
        if prior._inner is not prior:
            raise InputError("prior: built-in models need one of the library's families")
        lines.insert(1, "prior = " + toml_text.value(prior._problem_table(names or known.names)))
    if observed is not None:
        lines += ["[observed]", "values = " + toml_text.value(
            vector(observed, "observed", len(known.statistic_names)))]
        if truth is not None:
            lines.append("truth = " + toml_text.value(vector(truth, "truth", len(known.names))))
    return "\n".join(lines), "infer()"


def _problem_text(simulator, prior, observed, names, truth, statistic_names, seed, pool, name,
                  checking, options):
    inner = prior._inner
    names = checked_names(names, prior.dim) or prior.names
    lines = _lines(seed, name or "python", checking)
    lines += ["prior = " + toml_text.value(inner._problem_table(names and names[:inner.dim])),
              _method(options)]
    lines += [f"run.threads = {1 if pool is None else pool.num_workers}"]
    lines += ["[simulator]", f"closure = {toml_text.value(simulator.name)}"]
    if statistic_names is not None:
        lines.append("statistic_names = " + toml_text.value(
            checked_names(statistic_names, observed.size, "statistic_names")))
    else:
        lines.append(f"num_statistics = {observed.size}")
    lines += ["[observed]", "values = " + toml_text.value(observed)]
    if truth is not None:
        truth = prior._to_inner(vector(truth, "truth", prior.dim).reshape(1, -1))[0]
        lines.append("truth = " + toml_text.value(truth))
    return "\n".join(lines)


def _resuming(directory, force, retry_failed, keep_simulations):
    """What to do with an earlier run in the directory, as the library takes it."""
    for name, value in (("retry_failed", retry_failed), ("keep_simulations", keep_simulations)):
        if value and directory is None:
            raise InputError(f"{name} needs the recorded simulations of a run directory; give directory as well")
    return bool(force), bool(retry_failed), bool(keep_simulations)


def _run(problem, prior, simulator, directory, resuming, progress, checking):
    """Runs a problem of the library, with or without a run directory."""
    failures = simulator.failures if simulator is not None else []
    with Progress(progress) as watch:
        if directory is not None:
            import os
            from .problem_files import load
            with speaking_of_calls():
                problem.run(os.fspath(directory), *resuming, watch)
            result = load(directory)
            result.failures = list(failures)
            result.default_x = problem.observed
            check = result.check
            if check is None and result.summary is not None:
                check = Check(json.loads(_core.check_of_summary(json.dumps(result.summary))))
            return _checked(result, check)
        result = problem.infer(watch)
        # Checks that need no new simulations are always made.
        check = Check(json.loads(problem.check(result, checking.sbc, None if checking.here else 0,
                                               watch)))
    posterior = _posterior_of(result, problem.observed, prior, failures)
    return _checked(posterior, check)


def _checked(posterior, check):
    """Warns if an answer did not pass its checks."""
    posterior.check = check
    if check is not None and check.verdict != "pass":
        bad = [repr(each) for each in check if each.verdict != "pass"]
        warnings.warn("the answer did not pass its checks (`posterior.check` lists all of them):\n  "
                      + "\n  ".join(bad), CheckWarning, stacklevel=4)
    return posterior


def _posterior_of(result, observed, prior, failures):
    """What Python makes of a result of the library."""
    estimator = None if result.estimator is None else Estimator(result.estimator, prior)
    if estimator is not None and estimator.amortised:
        amortised = AmortisedPosterior(_At(estimator), len(observed), estimator.names, observed, estimator,
                                       result.summary)
        amortised.failures = list(failures)
        return amortised
    fields = dict(summary=result.summary, estimator=estimator, failures=failures, observed=observed)
    if prior is None:
        return Posterior(result.posterior, **fields)
    plain = Posterior(result.posterior, prior=prior._inner, **fields)
    return prior._answer(plain, learnt=False, **fields)


class _At:
    """The posterior of an estimator at x: a function that can be pickled."""

    def __init__(self, estimator):
        self.estimator = estimator

    def __call__(self, x):
        return self.estimator.posterior(x)
