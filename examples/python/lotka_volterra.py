"""Predators and prey: the paper's section 4.3 with a simulator in plain Python, on all cores."""
import numpy as np

import epsfree

TRUTH = np.log([0.01, 0.5, 1.0, 0.01])
TIMES = np.arange(0, 30, 0.5)


def simulator(log_rates, rng):
    """Gillespie's algorithm, and summary statistics of the two time series. None: it blew up."""
    rates = np.exp(log_rates)
    prey, predators = 100, 50
    time, index, steps = 0.0, 0, 0
    series = np.empty((len(TIMES), 2))
    while index < len(TIMES):
        hazards = rates * np.array([prey * predators, predators, prey, prey * predators])
        total = hazards.sum()
        wait = rng.exponential(1 / total) if total > 0 else np.inf
        while index < len(TIMES) and time + wait > TIMES[index]:
            series[index] = predators, prey
            index += 1
        time += wait
        event = np.searchsorted(np.cumsum(hazards), rng.uniform() * total)
        predators += (1, -1, 0, 0)[event]
        prey += (0, 0, 1, -1)[event]
        steps += 1
        if steps > 6000:
            return None
    mean, std = series.mean(0), series.std(0) + 1e-9
    scaled = (series - mean) / std
    lags = [(scaled[:-k] * scaled[k:]).mean(0) for k in (1, 2)]
    return np.concatenate([np.log1p(mean), np.log(std**2), *lags, [(scaled[:, 0] * scaled[:, 1]).mean()]])


def main(num_simulations=300, num_workers=0):
    prior = epsfree.Uniform(TRUTH - 1, TRUTH + 1,
                            names=["log predator birth", "log predator death", "log prey birth", "log eating"])
    observed = simulator(TRUTH, np.random.default_rng(4))
    posterior = epsfree.infer(simulator, prior, observed, num_simulations=num_simulations, seed=1,
                              batch=False, num_workers=num_workers)
    print(posterior.summary)
    for name, found in posterior.describe().items():
        print(f"  {name:20} {found['mean']:7.3f} ± {found['std']:.3f}")
    return posterior


if __name__ == "__main__":
    main()
