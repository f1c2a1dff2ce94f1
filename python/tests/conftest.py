"""What the tests share."""
import shutil
import os
import pathlib
import signal

import numpy as np
import pytest

import epsfree

ROOT = pathlib.Path(__file__).resolve().parents[2]

# A shell without job control starts `make test &` with Ctrl-C ignored, and what the tests start would ignore it too.
signal.signal(signal.SIGINT, signal.default_int_handler)


def gaussian(theta, rng):
    """Ten draws of a normal, seen through their mean and log spread."""
    data = rng.normal(theta[0], np.exp(theta[1]), size=10)
    return [data.mean(), np.log(data.std())]


def gaussian_batch(thetas, rng):
    """The same, vectorised."""
    data = rng.normal(thetas[:, :1], np.exp(thetas[:, 1:]), size=(len(thetas), 10))
    return np.column_stack([data.mean(1), np.log(data.std(1))])


OBSERVED = [0.5, 0.2]


@pytest.fixture
def prior():
    return epsfree.Independent({"mu": epsfree.Normal(0, 2), "log_sigma": epsfree.Uniform(-2, 2)})


@pytest.fixture(scope="session")
def posterior():
    prior = epsfree.Independent({"mu": epsfree.Normal(0, 2), "log_sigma": epsfree.Uniform(-2, 2)})
    return epsfree.infer(gaussian, prior, OBSERVED, num_simulations=400, seed=1)


@pytest.fixture(scope="session")
def program():
    """The program, where it has been built."""
    places = [os.environ.get("EPSFREE_PROGRAM"), ROOT / "build" / "release" / "cli" / "epsfree",
              shutil.which("epsfree")]
    for place in places:
        if place and pathlib.Path(place).is_file():
            return str(place)
    if os.environ.get("CI") == "true":
        pytest.fail("the program is not built; make build")
    pytest.skip("the program is not built")
