"""Executors of others: Dask's and mpi4py's. Skipped where those are not installed."""
import os
import pathlib
import shutil
import subprocess
import sys

import pytest

import epsfree
from conftest import OBSERVED, gaussian


def draws(posterior):
    return posterior.sample((20,), seed=1)


def test_dask(prior):
    distributed = pytest.importorskip("distributed")
    alone = draws(epsfree.infer(gaussian, prior, OBSERVED, num_simulations=100, seed=1, batch=False))
    with distributed.Client(processes=False, n_workers=1, threads_per_worker=2,
                            dashboard_address=None) as client:
        executor = client.get_executor()
        arguments = dict(num_simulations=100, seed=1, batch=False, executor=executor)
        assert epsfree.executors._num_workers(executor) == 2
        assert (draws(epsfree.infer(gaussian, prior, OBSERVED, **arguments)) == alone).all()
        # Dask sends closures too.
        sent = epsfree.infer(lambda theta, rng: gaussian(theta, rng), prior, OBSERVED, **arguments)
        assert (draws(sent) == alone).all()

        def failing(theta, rng):
            if theta[0] > 3:
                raise RuntimeError("too large")
            return gaussian(theta, rng)

        with pytest.warns(epsfree.EpsfreeWarning, match="failed"):
            posterior = epsfree.infer(failing, prior, OBSERVED, **arguments)
        assert "RuntimeError: too large" in posterior.failures[0][2]


MPI_SCRIPT = """
import epsfree
from conftest import OBSERVED, gaussian

if __name__ == "__main__":
    from mpi4py.futures import MPIPoolExecutor
    prior = epsfree.Independent({"mu": epsfree.Normal(0, 2), "log_sigma": epsfree.Uniform(-2, 2)})
    arguments = dict(num_simulations=100, seed=1, batch=False)
    alone = epsfree.infer(gaussian, prior, OBSERVED, **arguments)
    with MPIPoolExecutor() as pool:
        print("workers", epsfree.executors._num_workers(pool))
        there = epsfree.infer(gaussian, prior, OBSERVED, executor=pool, **arguments)
        print("same", bool((there.sample((5,), seed=1) == alone.sample((5,), seed=1)).all()))
        try:
            epsfree.infer(lambda theta, rng: theta, prior, OBSERVED, executor=pool, **arguments)
        except ValueError as error:
            print("pickled" in str(error))
"""


def test_mpi4py(tmp_path):
    pytest.importorskip("mpi4py")
    if shutil.which("mpirun") is None:
        pytest.skip("no mpirun")
    script = tmp_path / "script.py"
    script.write_text(MPI_SCRIPT)
    here = [str(pathlib.Path(__file__).parent), str(pathlib.Path(epsfree.__file__).parents[1])]
    environment = dict(os.environ, PYTHONPATH=os.pathsep.join(here), OMPI_ALLOW_RUN_AS_ROOT="1",
                       OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1")
    done = subprocess.run(["mpirun", "--oversubscribe", "-n", "3", sys.executable, "-m", "mpi4py.futures",
                           str(script)], capture_output=True, text=True, timeout=120, env=environment)
    assert done.stdout.split("\n")[:3] == ["workers 2", "same True", "True"], done.stderr
