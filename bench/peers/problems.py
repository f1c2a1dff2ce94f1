"""The problems: simulators over rows, priors as boxes or Gaussians, observations and references."""
import numpy as np

import epsfree
from references import NUM_OBSERVATIONS

NUM_REFERENCE = 4000  # samples of a posterior that is known

class Problem:
    """A simulator with its prior, (low, high) or (mean, covariance), one observation, and samples of its
    posterior with their log density where that is known. `source` says where they come from."""

    def __init__(self, name, simulate, observed, truth, box=None, gaussian=None, reference=None,
                 log_density=None, source="nothing: nats are those of the true parameters"):
        self.name, self.simulate = name, simulate
        self.observed, self.truth = np.asarray(observed, float), np.asarray(truth, float)
        self.box, self.gaussian = box, gaussian
        self.reference, self.log_density, self.source = reference, log_density, source

    def prior(self):
        return epsfree.Uniform(*self.box) if self.box else epsfree.Gaussian(*self.gaussian)

    def torch_prior(self):
        import torch
        if self.box:
            from sbi.utils import BoxUniform
            return BoxUniform(*(torch.as_tensor(end, dtype=torch.float32) for end in self.box))
        mean, covariance = (torch.as_tensor(part, dtype=torch.float32) for part in self.gaussian)
        return torch.distributions.MultivariateNormal(mean, covariance)


def built_in(name, references):
    """A problem of the paper, in the coordinates in which its prior is a box or a Gaussian, for both."""
    model = epsfree.models[name]
    table, matrix, shift = model.prior._table, np.eye(len(model.names)), np.zeros(len(model.names))
    if table["kind"] == "linear-image":
        matrix, shift = np.array(table["matrix"], float), np.array(table["shift"], float)
        table = table["base"]

    def inwards(theta):
        return np.linalg.solve(matrix, (theta - shift).T).T

    def simulate(theta, seed):
        return model.simulate(theta @ matrix.T + shift, seed=seed)

    exact, fields = model.exact_posterior(), {}
    samples = references.paper(name) if exact is None else exact.sample((NUM_REFERENCE,), seed=1)
    if exact is not None:
        fields = dict(log_density=exact.log_prob(samples), source="exact posterior")
    elif samples is not None:
        fields = dict(source=f"{len(samples)} reference samples")
    if samples is not None:
        fields["reference"] = inwards(samples)
    if table["kind"] == "gaussian":
        fields["gaussian"] = np.array(table["mean"], float), np.array(table["covariance"], float)
    else:
        fields["box"] = tuple(np.array([p[end] for p in table["parameter"]]) for end in ("low", "high"))
    return Problem(name, simulate, model.observed, inwards(model.truth), **fields)


def two_moons(references, number):
    """Greenberg, Nonnenmacher & Macke (2019)."""
    def crescent(count, rng):
        angle, radius = rng.uniform(-np.pi / 2, np.pi / 2, count), rng.normal(0.1, 0.01, count)
        return np.column_stack([radius * np.cos(angle) + 0.25, radius * np.sin(angle)])

    def simulate(theta, seed):
        moved = np.column_stack([-np.abs(theta.sum(1)), theta[:, 1] - theta[:, 0]]) / np.sqrt(2)
        return crescent(len(theta), np.random.default_rng(seed)) + moved

    def solved(observed):
        """Solved for theta: the prior is flat and the map linear on each side."""
        rng, kept = np.random.default_rng(1), []
        while sum(map(len, kept)) < NUM_REFERENCE:
            p = crescent(NUM_REFERENCE, rng) - observed
            total = p[:, 0] * np.sqrt(2) * rng.choice([-1, 1], len(p))
            difference = -p[:, 1] * np.sqrt(2)
            theta = np.column_stack([(total - difference) / 2, (total + difference) / 2])
            kept.append(theta[(np.abs(theta) < 1).all(1) & (p[:, 0] >= 0)])
        return np.concatenate(kept)[:NUM_REFERENCE]

    given = references.sbibm("two_moons", number)
    observed, truth, samples = given or (np.zeros(2), [0.25, 0.25], solved(np.zeros(2)))
    return Problem("two_moons", simulate, observed, truth, box=(-np.ones(2), np.ones(2)), reference=samples,
                   source=f"sbibm, observation {number}" if given else "solved for theta, x = 0")


def slcp(references, number):
    """Papamakarios, Sterratt & Murray (2019): a simple likelihood, a complex posterior."""
    def parts(theta):
        return theta[:, 2] ** 2, theta[:, 3] ** 2, np.tanh(theta[:, 4])

    def simulate(theta, seed):
        rng = np.random.default_rng(seed)
        a, b, r = (v[:, None] for v in parts(theta))
        e, f = rng.normal(size=(len(theta), 4)), rng.normal(size=(len(theta), 4))
        x = theta[:, :1] + a * e
        y = theta[:, 1:2] + b * (r * e + np.sqrt(1 - r**2) * f)
        return np.stack([x, y], -1).reshape(len(theta), 8)

    def log_posterior(theta, observed):
        with np.errstate(all="ignore"):
            a, b, r = (v[:, None] for v in parts(theta))
            u = (observed[0::2] - theta[:, :1]) / a
            v = (observed[1::2] - theta[:, 1:2]) / b
            log = (-(u**2 - 2 * r * u * v + v**2) / (2 * (1 - r**2)) - np.log(a * b)
                   - 0.5 * np.log(1 - r**2)).sum(1)
        return np.where((np.abs(theta) < 3).all(1) & np.isfinite(log), log, -np.inf)

    def walked(observed):
        """Metropolis chains that also change the two signs on which nothing depends."""
        rng = np.random.default_rng(1)
        start = rng.uniform(-3, 3, (200_000, 5))
        height = log_posterior(start, observed)
        weights = np.exp(height - height.max())
        state = start[rng.choice(len(start), NUM_REFERENCE, p=weights / weights.sum())]
        height = log_posterior(state, observed)
        for _ in range(1000):
            other = state + rng.choice([0.03, 0.1, 0.4], (len(state), 1)) * rng.normal(size=state.shape)
            other[:, 2:4] *= rng.choice([-1, 1], (len(state), 2))
            new = log_posterior(other, observed)
            accept = np.log(rng.uniform(size=len(state))) < new - height
            state[accept], height[accept] = other[accept], new[accept]
        return state

    given = references.sbibm("slcp", number)
    if given:
        observed, truth, samples = given
    else:
        truth = np.array([0.7, -2.9, -1.0, -0.9, 0.6])
        observed = simulate(truth[None], 100000)[0]
        samples = walked(observed)
    return Problem("slcp", simulate, observed, truth, box=(np.full(5, -3.0), np.full(5, 3.0)),
                   reference=samples, source=f"sbibm, observation {number}" if given else "Metropolis chains")


NAMES = ("mixture", "linear-regression", "lotka-volterra", "mg1-queue", "two_moons", "slcp")


def problem(name, references, seed):
    """The problem of that name. Those of sbibm have several observations: each seed takes the next."""
    number = 1 + (seed - 1) % NUM_OBSERVATIONS
    if name == "two_moons":
        return two_moons(references, number)
    return slcp(references, number) if name == "slcp" else built_in(name, references)
