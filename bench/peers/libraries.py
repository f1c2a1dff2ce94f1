"""The two libraries behind one interface: method(problem, budget, seed) gives an Answer."""
import time

import numpy as np

import epsfree

NUM_ROUNDS = 2  # of sbi's sequential forms, as in its documentation


class Answer:
    """What a method learned, in NumPy's rows, and what that took."""

    def __init__(self, posterior, num_simulations, training, total):
        self._posterior = posterior
        self.num_simulations, self.training, self.total = num_simulations, training, total

    def sample(self, count):
        return np.asarray(self._posterior.sample((count,)), float)

    def log_prob(self, theta):
        return np.asarray(self._posterior.log_prob(theta), float)


def run_epsfree(problem, budget, seed, **options):
    """What a user gets from `epsfree.infer` who names no method, or with one."""
    def simulator(theta, rng):
        return problem.simulate(theta, int(rng.integers(2**62)))

    started = time.perf_counter()
    posterior = epsfree.infer(simulator, problem.prior(), problem.observed, num_simulations=budget,
                              seed=seed, batch=True, progress=False, **options)
    total = time.perf_counter() - started
    summary = posterior.summary
    return Answer(posterior, summary["simulations"]["total"], total - summary["seconds"]["simulation"], total)


def run_epsfree_amortised(problem, budget, seed):
    """The paper's network, which holds for any observation as NPE's does."""
    return run_epsfree(problem, budget, seed, method="mdn-with-prior")


class _TorchPosterior:
    def __init__(self, posterior):
        self.posterior = posterior

    def sample(self, shape):
        return self.posterior.sample(shape, show_progress_bars=False).numpy()

    def log_prob(self, theta):
        import torch
        return self.posterior.log_prob(torch.as_tensor(theta, dtype=torch.float32)).numpy()


def run_sbi(problem, budget, seed, rounds=1, truncated=False):
    """Neural posterior estimation with a neural spline flow and the defaults of training. With rounds, the
    correction is APT (NPE-C), or none is needed because proposals are the prior, truncated (TSNPE)."""
    import torch
    from sbi.inference import NPE
    from sbi.utils import RestrictedPrior, get_density_thresholder

    torch.manual_seed(seed)
    prior = problem.torch_prior()
    observed = torch.as_tensor(problem.observed, dtype=torch.float32)
    training = 0.0
    started = time.perf_counter()
    inference = NPE(prior=prior, density_estimator="nsf", show_progress_bars=False)
    proposal, posterior = prior, None
    for number in range(rounds):
        theta = proposal.sample((budget // rounds,))
        x = torch.as_tensor(problem.simulate(theta.double().numpy(), 1000 * seed + number),
                            dtype=torch.float32)
        valid = torch.isfinite(x).all(1)  # simulations that failed were paid for as well
        begun = time.perf_counter()
        if truncated:
            inference.append_simulations(theta[valid], x[valid])
            inference.train(force_first_round_loss=True)
        else:
            inference.append_simulations(theta[valid], x[valid], proposal=proposal).train()
        training += time.perf_counter() - begun
        posterior = inference.build_posterior().set_default_x(observed)
        proposal = posterior
        if truncated and number + 1 < rounds:
            proposal = RestrictedPrior(prior, get_density_thresholder(posterior, quantile=1e-4),
                                       sample_with="rejection", show_progress_bars=False)
    return Answer(_TorchPosterior(posterior), budget // rounds * rounds, training,
                  time.perf_counter() - started)


def methods(alone, rounds):
    """(library, name, function) of each; `alone` leaves sbi out."""
    ours = f"epsfree {epsfree.__version__}"
    table = [(ours, "default", run_epsfree), (ours, "mdn-with-prior", run_epsfree_amortised)]
    if alone:
        return table
    import sbi
    theirs = f"sbi {sbi.__version__}"
    return table + [(theirs, "NPE, nsf", run_sbi),
                    (theirs, f"NPE, nsf, {rounds} rounds", lambda *a: run_sbi(*a, rounds=rounds)),
                    (theirs, f"TSNPE, nsf, {rounds} rounds",
                     lambda *a: run_sbi(*a, rounds=rounds, truncated=True))]
