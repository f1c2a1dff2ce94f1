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
        if key is None and not isinstance(pool, concurrent.futures.ThreadPoolExecutor):
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


def _check_pickle(function):
    try:
        pickle.dumps(function)
    except Exception as error:
        raise InputError(
            f"simulator {getattr(function, '__qualname__', function)!s} cannot be sent to other "
            f"processes, because it cannot be pickled ({error}): define it at the top of a module, "
            "not inside a function or notebook cell, or use num_workers instead of an executor") from error


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
        workers = num_workers or getattr(executor, "_max_workers", None) or os.cpu_count() or 1
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
