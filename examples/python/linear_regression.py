"""Bayesian linear regression, whose posterior is known: the paper's section 4.2, simulated in batches."""
import numpy as np

import epsfree

INPUTS = np.random.default_rng(1).normal(size=(10, 6))
NOISE = 0.1


def simulator(thetas, rng):
    """Ten noisy outputs for each row of weights."""
    return thetas @ INPUTS.T + NOISE * rng.normal(size=(len(thetas), 10))


def main():
    truth = np.array([0.5, -1.0, 0.3, 0.0, 1.2, -0.7])
    observed = simulator(truth[None], np.random.default_rng(2))[0]
    prior = epsfree.Gaussian(np.zeros(6), np.eye(6), names=[f"weight{i}" for i in range(1, 7)])
    posterior = epsfree.infer(simulator, prior, observed, num_simulations=600, seed=1, batch=True)
    precision = np.eye(6) + INPUTS.T @ INPUTS / NOISE**2
    mean = np.linalg.solve(precision, INPUTS.T @ observed / NOISE**2)
    print("learnt mean", posterior.mean().round(3))
    print("exact mean ", mean.round(3))
    return posterior, mean, np.linalg.inv(precision)


if __name__ == "__main__":
    main()
