"""A user's own simulator: an epidemic by an ODE, observed with noise."""
import numpy as np

import epsfree

POPULATION = 10_000
DAYS = np.arange(0, 60, 6)


def epidemic(infection_rate, recovery_rate, days=60, steps_a_day=4):
    """Infected people of each day, by Runge and Kutta's method for
    S' = -b S I / N, I' = b S I / N - g I."""
    def slope(state):
        new = infection_rate * state[0] * state[1] / POPULATION
        return np.array([-new, new - recovery_rate * state[1]])

    state, step, infected = np.array([POPULATION - 10.0, 10.0]), 1 / steps_a_day, []
    for _ in range(days):
        infected.append(state[1])
        for _ in range(steps_a_day):
            a = slope(state)
            b = slope(state + step / 2 * a)
            c = slope(state + step / 2 * b)
            state = state + step / 6 * (a + 2 * b + 2 * c + slope(state + step * c))
    return np.array(infected)


def simulator(theta, rng):
    """Reported cases: a share of the infected on ten days, counted with error."""
    infection_rate, recovery_rate, reported = theta
    expected = reported * epidemic(infection_rate, recovery_rate)[DAYS]
    return np.log1p(rng.poisson(np.maximum(expected, 0)))


PRIOR = epsfree.Independent({"infection rate": epsfree.LogUniform(0.1, 1.5),
                             "recovery rate": epsfree.LogUniform(0.03, 0.5),
                             "reported share": epsfree.Beta(5, 5)})
TRUTH = np.array([0.45, 0.15, 0.6])


def main(num_simulations=600, num_workers=None):
    observed = simulator(TRUTH, np.random.default_rng(1))
    posterior = epsfree.infer(simulator, PRIOR, observed, num_simulations=num_simulations, seed=1,
                              batch=False, num_workers=num_workers)
    print(posterior.summary)
    for name, truth in zip(posterior.names, TRUTH):
        found = posterior.describe()[name]
        print(f"  {name:16} {found['mean']:6.3f} ± {found['std']:.3f}   true {truth}")
    return posterior


if __name__ == "__main__":
    main()
