"""What the answers are compared with: posteriors of the literature that are not part of this repository.

They are looked for in --reference, else in the directory that EPSFREE_REFERENCE names, else in
../shared/reference beside the sources:

    paper/lotka_volterra_posterior.csv, paper/mg1_queue_posterior.csv        samples in rows
    sbibm/<task>/observation_<n>/{observation,true_parameters}.csv, reference_posterior_samples.csv.bz2
"""
import bz2
import os
import pathlib

import numpy as np

NUM_OBSERVATIONS = 3  # of each sbibm task


class References:
    """Reads what is there; everything gives None where it is not."""

    def __init__(self, directory=None):
        beside = pathlib.Path(__file__).resolve().parents[3] / "shared" / "reference"
        self.directory = pathlib.Path(directory or os.environ.get("EPSFREE_REFERENCE") or beside)

    def __str__(self):
        return str(self.directory) if self.directory.is_dir() else f"none ({self.directory} is not there)"

    def paper(self, name):
        """Samples of the posterior of a model of the paper."""
        return self._table(f"paper/{name.replace('-', '_')}_posterior.csv")

    def sbibm(self, task, number):
        """(observed, truth, samples) of one of a task's observations."""
        folder = f"sbibm/{task}/observation_{number}"
        names = ("observation.csv", "true_parameters.csv", "reference_posterior_samples.csv.bz2")
        observed, truth, samples = (self._table(f"{folder}/{name}") for name in names)
        return None if samples is None else (observed[0], truth[0], samples)

    def _table(self, name):
        path = self.directory / name
        if not path.exists():
            return None
        opened = bz2.open(path, "rt") if path.suffix == ".bz2" else open(path, encoding="utf-8")
        with opened as file:
            return np.atleast_2d(np.loadtxt(file, delimiter=",", skiprows=1))
