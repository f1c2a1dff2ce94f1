"""Where simulations run: in this thread, in a pool of processes, or in anybody's executor."""
import concurrent.futures
import multiprocessing
import os
import pickle
import time

from .errors import Error, InputError

_PATIENCE = 0.05  # seconds between looks at whether to stop
# The simulator of a pool of forked processes, which they inherit: so closures work too.
_inherited = {}


def _call_inherited(key, work, arguments):
    return work(_inherited[key], *arguments)


class Executor:
    """Simulates chunks through a concurrent.futures.Executor."""

    def __init__(self, pool, num_workers, function, owned=False, key=None):
        self.pool = pool
        self.num_workers = num_workers
        self._owned = owned
        self._key = key
        self._name = getattr(function, "__qualname__", str(function))
        if key is None and _pickles(pool):
            _check_pickle(function)

    def run(self, work, arguments, stopped):
        if self._key is None:
            future = self.pool.submit(work, *arguments)
        else:
            future = self.pool.submit(_call_inherited, self._key, work, arguments[1:])
        while True:
            try:
                return future.result(timeout=_PATIENCE)
            except (concurrent.futures.TimeoutError, TimeoutError):
                if future.done():
                    return future.result()  # the simulator's own TimeoutError does not come this way
                if stopped():
                    future.cancel()
                    raise Error("stopped") from None
            except concurrent.futures.process.BrokenProcessPool as error:
                raise Error("a process of the pool died while it simulated (killed, out of memory, or "
                            "a crash of the simulator's own code)") from error
            except Exception as error:
                # The simulator's own exceptions do not come this way: they are failed simulations.
                if "pickle" in f"{type(error).__name__} {error}".lower():
                    raise _unpicklable(self._name, error) from error
                raise

    def close(self):
        """Ends what this made; an executor of the user's stays."""
        if not self._owned:
            return
        processes = list((getattr(self.pool, "_processes", None) or {}).values())
        self.pool.shutdown(wait=False, cancel_futures=True)
        _inherited.pop(self._key, None)
        # One that simulates for hours is not waited for.
        deadline = time.monotonic() + 0.5
        for process in processes:
            process.join(max(0.0, deadline - time.monotonic()))
            if process.is_alive():
                process.terminate()


def _pickles(pool):
    """Whether functions reach its workers by pickle, so that it can be tried beforehand. Threads need
    none, and others (Dask, loky) may send more than that."""
    return (isinstance(pool, concurrent.futures.ProcessPoolExecutor)
            or type(pool).__module__.startswith("mpi4py"))


def _unpicklable(name, error):
    return InputError(
        f"simulator {name} cannot be sent to other processes, because it cannot be pickled ({error}): "
        "define it at the top of a module, not inside a function or notebook cell, or use num_workers "
        "instead of an executor")


def _check_pickle(function):
    try:
        pickle.dumps(function)
    except Exception as error:
        raise _unpicklable(getattr(function, "__qualname__", str(function)), error) from error


def _num_workers(executor):
    """As many chunks as it can simulate at once, where it says so."""
    client = getattr(executor, "_client", None)  # Dask's
    if hasattr(client, "nthreads"):
        return sum(client.nthreads().values())
    # mpi4py's knows it once its workers run.
    return getattr(executor, "_max_workers", None) or getattr(executor, "num_workers", None)


def open_executor(executor, num_workers, function):
    """What `executor` and `num_workers` mean: None for this thread, or an Executor."""
    if num_workers is not None:
        if isinstance(num_workers, bool) or not isinstance(num_workers, int) or num_workers < 0:
            raise InputError(f"num_workers is {num_workers!r}, expected a number; 0 for all cores")
        num_workers = num_workers or os.cpu_count() or 1
    if executor is not None:
        if not hasattr(executor, "submit"):
            raise InputError(f"executor is {type(executor).__name__}, expected a "
                             "concurrent.futures.Executor or anything with its submit")
        workers = num_workers or _num_workers(executor) or os.cpu_count() or 1
        return Executor(executor, int(workers), function)
    if num_workers is None or num_workers == 1:
        return None
    if "fork" in multiprocessing.get_all_start_methods():
        key = id(function)
        _inherited[key] = function
        pool = concurrent.futures.ProcessPoolExecutor(
            num_workers, mp_context=multiprocessing.get_context("fork"))
        # All processes start now, before the library has threads that a fork would tear.
        pool.submit(int).result()
        return Executor(pool, num_workers, function, owned=True, key=key)
    _check_pickle(function)
    return Executor(concurrent.futures.ProcessPoolExecutor(num_workers), num_workers, function,
                    owned=True)
