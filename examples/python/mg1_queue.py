"""The M/G/1 queue: the paper's section 4.4, step by step as users of sbi would do it."""
import numpy as np

import epsfree


def simulate(thetas, seed):
    """Quantiles of the times between departures of 50 customers, for each row of thetas."""
    rng = np.random.default_rng(seed)
    service = rng.uniform(thetas[:, :1], thetas[:, 1:2], size=(len(thetas), 50))
    arrivals = np.cumsum(rng.exponential(1 / thetas[:, 2:], size=(len(thetas), 50)), axis=1)
    departures, last = np.empty_like(arrivals), np.zeros(len(thetas))
    for i in range(50):
        last = np.maximum(last, arrivals[:, i]) + service[:, i]
        departures[:, i] = last
    gaps = np.diff(departures, axis=1, prepend=0)
    return np.log(np.quantile(gaps, [0, 0.25, 0.5, 0.75, 1], axis=1).T)


def main():
    # theta1 ~ U(0, 10), theta2 - theta1 ~ U(0, 10), theta3 ~ U(0, 1/3).
    prior = epsfree.LinearImage(epsfree.Uniform([0.01, 0.01, 0.01], [10, 10, 1 / 3]),
                                [[1, 0, 0], [1, 1, 0], [0, 0, 1]],
                                names=["shortest service", "longest service", "arrival rate"])
    truth = np.array([[1.0, 5.0, 0.2]])
    observed = simulate(truth, seed=3)[0]
    npe = epsfree.NPE(prior, density_estimator="local")
    proposal = None
    for number in range(3):
        theta = (proposal or prior).sample((400,), seed=number)
        npe.append_simulations(theta, simulate(theta, seed=number), proposal=proposal)
        posterior = npe.build_posterior().set_default_x(observed)
        proposal = posterior.at()
        print(f"round {number + 1}:", proposal)
    return proposal


if __name__ == "__main__":
    main()
