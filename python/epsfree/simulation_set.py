"""Simulations that were made already, in the library's memory."""
from __future__ import annotations

from . import _core


class SimulationSet:
    """Parameters with the statistics they led to and what they were drawn from; under a prior of the
    library. It can be pickled and copied."""

    def __init__(self, prior):
        self._prior = prior
        self.core = _core.SimulationSet(prior._core)

    def add(self, theta, x, proposal=None):
        """Rows of each. `proposal` is a posterior of the library, None the prior."""
        self.core.add(theta, x, proposal)

    @property
    def num_statistics(self):
        """0 while there are none."""
        return self.core.num_statistics

    def __len__(self):
        return len(self.core)

    def _fill(self, parts, num_dropped, num_statistics):
        for theta, x, proposal in parts:
            self.add(theta, x, proposal)
        self.core.add_dropped(num_dropped, num_statistics)

    def __copy__(self):
        other = SimulationSet(self._prior)
        other._fill(self.core.parts(), self.core.num_dropped, self.num_statistics)
        return other

    def __getstate__(self):
        return {"prior": self._prior, "num_dropped": self.core.num_dropped,
                "num_statistics": self.num_statistics, "parts": [
            (theta, x, None if proposal is None else proposal.to_text())
            for theta, x, proposal in self.core.parts()]}

    def __setstate__(self, state):
        self.__init__(state["prior"])
        self._fill([(theta, x, None if proposal is None else _core.parse_posterior(proposal))
                    for theta, x, proposal in state["parts"]], state["num_dropped"], state["num_statistics"])
