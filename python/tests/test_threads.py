"""The process keeps its number of BLAS threads: NumPy may share the library's OpenBLAS."""
import ctypes

import numpy as np
import pytest

import epsfree


def openblas():
    """The OpenBLAS that the extension is linked to, which has names without suffixes."""
    try:
        with open("/proc/self/maps", encoding="utf-8") as file:
            paths = {line.split()[-1] for line in file if "libopenblas" in line}
    except OSError:
        paths = set()
    for path in sorted(paths):
        library = ctypes.CDLL(path)
        if hasattr(library, "openblas_get_num_threads"):
            return library
    pytest.skip("the library was built without OpenBLAS, or has it inside")


def test_the_number_of_threads_stays():
    library = openblas()
    before = library.openblas_get_num_threads()
    library.openblas_set_num_threads(2)
    try:
        prior = epsfree.Uniform(-1, 1)
        theta = prior.sample((200,), seed=1)
        npe = epsfree.NPE(prior).append_simulations(theta, theta)
        npe.train(num_steps=50)
        npe.build_posterior().sample((10,), x=[0.0])
        assert library.openblas_get_num_threads() == 2
        rng = np.random.default_rng(1)
        epsfree.c2st(rng.normal(size=(60, 2)), rng.normal(size=(60, 2)))
        assert library.openblas_get_num_threads() == 2
        epsfree.infer("mixture", method="mdn-with-prior", num_simulations=100, training={"num_steps": 50})
        assert library.openblas_get_num_threads() == 2
    finally:
        library.openblas_set_num_threads(before)
