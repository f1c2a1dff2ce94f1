"""A mixture of two Gaussians with a common mean, one ten times as wide: the paper's section 4.1."""
import numpy as np

import epsfree


def simulator(theta, rng):
    """One draw, from the wide or the narrow Gaussian."""
    return theta[0] + rng.choice([1.0, 0.1]) * rng.normal()


def main():
    prior = epsfree.Uniform(-10, 10, names=["theta"])
    posterior = epsfree.infer(simulator, prior, 0.0, num_simulations=1500, seed=1)
    exact = epsfree.models["mixture"].exact_posterior(0.0)
    theta = np.array([[0.0], [0.5], [2.0]])
    print("log density at 0, 0.5 and 2:")
    print("  learnt", posterior.log_prob(theta).round(2))
    print("  exact ", exact.log_prob(theta).round(2))
    return posterior, exact


if __name__ == "__main__":
    main()
