"""What it costs to train and to sample through Python instead of in C++.

    python bench/python_overhead.py

The library times itself within the same call, so that both numbers are of the same run.
"""
import statistics
import time

import epsfree
from epsfree import _core

REPETITIONS = 7


def measure(work):
    """The median of (seconds in Python) / (seconds in the library), and of the latter."""
    ratios, inner = [], []
    for _ in range(REPETITIONS):
        started = time.perf_counter()
        posterior = work()
        seconds = time.perf_counter() - started
        inner.append(posterior.summary["seconds"]["total"])
        ratios.append(seconds / inner[-1])
    return statistics.median(ratios), statistics.median(inner)


def training():
    return epsfree.infer("mixture", method="mdn-with-prior", num_simulations=2000, progress=False,
                         training={"num_steps": 5000})


def default_method():
    return epsfree.infer("lotka-volterra", num_simulations=1000, progress=False)


def sampling(posterior, count):
    """The two calls one after the other, each of which draws the same."""
    library = min(_core.seconds_of_sampling(posterior._core, count, 1) for _ in range(3))
    python = float("inf")
    for _ in range(3):
        started = time.perf_counter()
        posterior.sample((count,), seed=1)
        python = min(python, time.perf_counter() - started)
    return python / library, library


def main():
    rows = [("training a network", *measure(training)), ("the default method", *measure(default_method))]
    posterior = epsfree.infer("linear-regression", num_simulations=500, progress=False)
    rows.append(("sampling 200000 points", *sampling(posterior, 200_000)))
    worst = 0.0
    print(f"{'':24} {'C++ s':>8} {'Python / C++':>13}")
    for name, ratio, seconds in rows:
        print(f"{name:24} {seconds:8.3f} {ratio:13.3f}")
        worst = max(worst, ratio)
    print("within 5%" if worst <= 1.05 else "more than 5%")
    return worst


if __name__ == "__main__":
    raise SystemExit(0 if main() <= 1.05 else 1)
