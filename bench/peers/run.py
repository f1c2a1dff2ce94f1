"""Runs epsfree and sbi on the same problems with the same budgets; see README.md."""
import argparse
import os
import time
import warnings

import numpy as np

import epsfree
from problems import problems

BUDGETS = {"mixture": 1000, "linear-regression": 1000, "lotka-volterra": 2000, "mg1-queue": 2000,
           "two_moons": 2000, "slcp": 4000}
NUM_SAMPLES = 2000


class Answer:
    def __init__(self, posterior, num_simulations, training, total):
        self.sample = lambda count: np.asarray(posterior.sample((count,)), float)
        self.log_prob = lambda theta: float(np.asarray(posterior.log_prob(theta))[0])
        self.num_simulations, self.training, self.total = num_simulations, training, total


def run_epsfree(problem, budget, seed):
    """The default method."""
    def simulator(theta, rng):
        return problem.simulate(theta, int(rng.integers(2**62)))

    started = time.perf_counter()
    posterior = epsfree.infer(simulator, problem.prior(), problem.observed, num_simulations=budget,
                              seed=seed, batch=True, progress=False)
    total = time.perf_counter() - started
    summary = posterior.summary
    return Answer(posterior, summary["simulations"]["total"], total - summary["seconds"]["simulation"], total)


class TorchPosterior:
    """Rows of NumPy in and out."""

    def __init__(self, posterior):
        self.posterior = posterior

    def sample(self, shape):
        return self.posterior.sample(shape, show_progress_bars=False).numpy()

    def log_prob(self, theta):
        import torch
        return self.posterior.log_prob(torch.as_tensor(theta, dtype=torch.float32)).numpy()


def run_sbi(problem, budget, seed, rounds):
    """Neural spline flows, default training; sequential with `rounds` above one."""
    import torch
    from sbi.inference import NPE
    from sbi.neural_nets import posterior_nn

    torch.manual_seed(seed)
    prior = problem.torch_prior()
    observed = torch.as_tensor(problem.observed, dtype=torch.float32)
    training = 0.0
    started = time.perf_counter()
    inference = NPE(prior=prior, density_estimator=posterior_nn(model="nsf"), show_progress_bars=False)
    proposal, posterior = prior, None
    for number in range(rounds):
        theta = proposal.sample((budget // rounds,))
        x = torch.as_tensor(problem.simulate(theta.double().numpy(), seed + number), dtype=torch.float32)
        begun = time.perf_counter()
        estimator = inference.append_simulations(theta, x, proposal=proposal).train()
        training += time.perf_counter() - begun
        posterior = inference.build_posterior(estimator).set_default_x(observed)
        proposal = posterior
    return Answer(TorchPosterior(posterior), budget // rounds * rounds, training,
                  time.perf_counter() - started)


def c2st(a, b):
    """How well a classifier tells two sets of samples apart: 0.5 is not at all."""
    from sklearn.model_selection import cross_val_score
    from sklearn.neural_network import MLPClassifier

    mean, std = b.mean(0), b.std(0)
    data = (np.concatenate([a, b]) - mean) / std
    labels = np.repeat([0, 1], [len(a), len(b)])
    units = 10 * a.shape[1]
    classifier = MLPClassifier((units, units), max_iter=300, random_state=1)
    order = np.random.default_rng(1).permutation(len(data))
    return cross_val_score(classifier, data[order], labels[order], cv=3).mean()


def measure(problem, budget, seed, peers):
    runs = [(f"epsfree {epsfree.__version__}", lambda: run_epsfree(problem, budget, seed))]
    if peers:
        import sbi
        for rounds in (1, 4):
            runs.append((f"sbi {sbi.__version__}, {rounds} round{'s' if rounds > 1 else ''}",
                         lambda rounds=rounds: run_sbi(problem, budget, seed, rounds)))
    reference = problem.reference(NUM_SAMPLES)
    for name, run in runs:
        try:
            answer = run()
        except Exception as error:  # noqa: BLE001: a failure is a result
            print(f"{problem.name:18} {name:24} failed: {type(error).__name__}: {str(error)[:60]}", flush=True)
            continue
        accuracy = "   -" if reference is None else f"{c2st(answer.sample(NUM_SAMPLES), reference):.3f}"
        print(f"{problem.name:18} {name:24} {answer.num_simulations:6d} {answer.training:9.2f} "
              f"{answer.total:9.2f} {accuracy:>7} {answer.log_prob(problem.truth[None]):9.2f}", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--problems", nargs="*", default=list(BUDGETS))
    parser.add_argument("--budget", type=int, help="simulations; by default each problem's own")
    parser.add_argument("--seeds", type=int, default=1)
    parser.add_argument("--alone", action="store_true", help="epsfree only: sbi need not be installed")
    arguments = parser.parse_args()
    warnings.simplefilter("ignore")
    known = problems()
    if not arguments.alone:
        import torch
        torch.set_num_threads(os.cpu_count() or 1)
        run_sbi(known["two_moons"](), 200, 1, 1)  # warm
    print(f"{'problem':18} {'':24} {'sims':>6} {'train s':>9} {'all s':>9} {'C2ST':>7} {'log q(truth)':>9}")
    for name in arguments.problems:
        problem = known[name]()
        for seed in range(1, arguments.seeds + 1):
            measure(problem, arguments.budget or BUDGETS[name], seed, not arguments.alone)


if __name__ == "__main__":
    main()
