"""The problems: simulators over rows, priors as boxes or Gaussians, observations and references."""
import numpy as np

import epsfree


class Problem:
    """A simulator with its prior, (low, high) or (mean, covariance), and one observation."""

    def __init__(self, name, simulate, observed, truth, box=None, gaussian=None, reference=None):
        self.name, self.simulate = name, simulate
        self.observed, self.truth = np.asarray(observed, float), np.asarray(truth, float)
        self.box, self.gaussian, self._reference = box, gaussian, reference

    def prior(self):
        return epsfree.Uniform(*self.box) if self.box else epsfree.Gaussian(*self.gaussian)

    def torch_prior(self):
        import torch
        if self.box:
            from sbi.utils import BoxUniform
            return BoxUniform(*(torch.as_tensor(end, dtype=torch.float32) for end in self.box))
        mean, covariance = (torch.as_tensor(part, dtype=torch.float32) for part in self.gaussian)
        return torch.distributions.MultivariateNormal(mean, covariance)

    def reference(self, count):
        """Samples of the exact posterior, or None where it is not known."""
        return None if self._reference is None else self._reference(count)


def built_in(name):
    model = epsfree.models[name]
    exact = model.exact_posterior()
    reference = None if exact is None else lambda count: exact.sample((count,), seed=1)
    table, matrix, shift = model.prior._table, np.eye(len(model.names)), np.zeros(len(model.names))
    if table["kind"] == "linear-image":
        # In the coordinates in which the prior is a box, for both.
        matrix, shift = np.array(table["matrix"], float), np.array(table["shift"], float)
        table = table["base"]
    truth = np.linalg.solve(matrix, model.truth - shift)

    def simulate(theta, seed):
        return model.simulate(theta @ matrix.T + shift, seed=seed)

    if table["kind"] == "gaussian":
        return Problem(name, simulate, model.observed, truth, reference=reference,
                       gaussian=(np.array(table["mean"], float), np.array(table["covariance"], float)))
    box = (np.array([p["low"] for p in table["parameter"]]), np.array([p["high"] for p in table["parameter"]]))
    return Problem(name, simulate, model.observed, truth, box=box, reference=reference)


def two_moons():
    """Greenberg, Nonnenmacher & Macke (2019)."""
    def crescent(count, rng):
        angle, radius = rng.uniform(-np.pi / 2, np.pi / 2, count), rng.normal(0.1, 0.01, count)
        return np.column_stack([radius * np.cos(angle) + 0.25, radius * np.sin(angle)])

    def simulate(theta, seed):
        moved = np.column_stack([-np.abs(theta.sum(1)), theta[:, 1] - theta[:, 0]]) / np.sqrt(2)
        return crescent(len(theta), np.random.default_rng(seed)) + moved

    def reference(count):
        """Solved for theta: the prior is flat and the map linear on each side."""
        rng, kept = np.random.default_rng(1), []
        while sum(map(len, kept)) < count:
            p = crescent(count, rng)
            total = p[:, 0] * np.sqrt(2) * rng.choice([-1, 1], count)
            difference = -p[:, 1] * np.sqrt(2)
            theta = np.column_stack([(total - difference) / 2, (total + difference) / 2])
            kept.append(theta[(np.abs(theta) < 1).all(1) & (p[:, 0] >= 0)])
        return np.concatenate(kept)[:count]

    return Problem("two_moons", simulate, [0.0, 0.0], [0.25, 0.25], box=(-np.ones(2), np.ones(2)),
                   reference=reference)


def slcp():
    """Papamakarios, Sterratt & Murray (2019): a simple likelihood, a complex posterior."""
    def parts(theta):
        a, b, r = theta[:, 2] ** 2, theta[:, 3] ** 2, np.tanh(theta[:, 4])
        return a, b, r

    def simulate(theta, seed):
        rng = np.random.default_rng(seed)
        a, b, r = (v[:, None] for v in parts(theta))
        e, f = rng.normal(size=(len(theta), 4)), rng.normal(size=(len(theta), 4))
        x = theta[:, :1] + a * e
        y = theta[:, 1:2] + b * (r * e + np.sqrt(1 - r**2) * f)
        return np.stack([x, y], -1).reshape(len(theta), 8)

    truth = np.array([[0.7, -2.9, -1.0, -0.9, 0.6]])
    observed = simulate(truth, 100000)[0]

    def log_posterior(theta):
        with np.errstate(all="ignore"):
            a, b, r = (v[:, None] for v in parts(theta))
            u = (observed[0::2] - theta[:, :1]) / a
            v = (observed[1::2] - theta[:, 1:2]) / b
            log = (-(u**2 - 2 * r * u * v + v**2) / (2 * (1 - r**2)) - np.log(a * b)
                   - 0.5 * np.log(1 - r**2)).sum(1)
        return np.where((np.abs(theta) < 3).all(1) & np.isfinite(log), log, -np.inf)

    def reference(count):
        """Metropolis chains that also change the two signs on which nothing depends."""
        rng = np.random.default_rng(1)
        start = rng.uniform(-3, 3, (200_000, 5))
        weights = np.exp(log_posterior(start) - log_posterior(start).max())
        state = start[rng.choice(len(start), count, p=weights / weights.sum())]
        height = log_posterior(state)
        for step in range(3000):
            other = state + rng.choice([0.03, 0.1, 0.4], (count, 1)) * rng.normal(size=(count, 5))
            other[:, 2:4] *= rng.choice([-1, 1], (count, 2))
            new = log_posterior(other)
            accept = np.log(rng.uniform(size=count)) < new - height
            state[accept], height[accept] = other[accept], new[accept]
        return state

    return Problem("slcp", simulate, observed, truth[0], box=(np.full(5, -3.0), np.full(5, 3.0)),
                   reference=reference)


def problems():
    """All of them, by name."""
    makers = {name: (lambda name=name: built_in(name))
              for name in ("mixture", "linear-regression", "lotka-volterra", "mg1-queue")}
    return dict(makers, two_moons=two_moons, slcp=slcp)
