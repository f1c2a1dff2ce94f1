"""toy_simulator.h in Python, and some simulators that behave badly."""
import os
import sys
import time

import_noise = print("printed while the module is loaded")
MASK = (1 << 64) - 1


def _uniform(state):
    state[0] = (state[0] + 0x9E3779B97F4A7C15) & MASK
    z = state[0]
    z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & MASK
    z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & MASK
    z ^= z >> 31
    return (z >> 11) * 2.0**-53


def simulate(theta, seed):
    print("printed by the simulator")
    sys.stdout.flush()
    os.write(1, b"written by a library that knows only descriptors\n")
    state = [seed]
    return [float(theta[0]) + _uniform(state), float(theta[1]) / (1 + _uniform(state)),
            _uniform(state) * -1e-300]


def with_generator(theta, rng):
    return theta[0] + rng.normal(size=3)


def of_theta_alone(theta):
    import random
    return [theta[0], theta[1], random.random()]


def keyword_only(theta, scale=2.0, *, seed):
    return [theta[0] * scale, theta[1], float(seed % 1000)]


def raises(theta, seed):
    raise ValueError("no such thing")


def returns_none(theta, seed):
    return None


def returns_nan(theta, seed):
    return [1.0, float("nan"), float("inf")]


def returns_two(theta, seed):
    return [1.0, 2.0]


def sleeps(theta, seed):
    time.sleep(1000)


def exits(theta, seed):
    os._exit(3)


def needs_two(theta, seed, other):
    return [0.0, 0.0, 0.0]
