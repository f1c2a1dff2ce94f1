"""Priors of the library, of SciPy and of anybody."""
import pickle

import numpy as np
import pytest

import epsfree

stats = pytest.importorskip("scipy.stats")


@pytest.mark.parametrize("ours, theirs", [
    (epsfree.Uniform(-1, 3), stats.uniform(-1, 4)), (epsfree.Normal(1, 2), stats.norm(1, 2)),
    (epsfree.LogUniform(0.1, 5), stats.loguniform(0.1, 5)),
    (epsfree.LogNormal(0.3, 0.7), stats.lognorm(0.7, scale=np.exp(0.3))),
    (epsfree.Exponential(2), stats.expon(scale=0.5)), (epsfree.Gamma(2, 3), stats.gamma(2, scale=1 / 3)),
    (epsfree.Beta(2, 3), stats.beta(2, 3)), (epsfree.HalfNormal(2), stats.halfnorm(scale=2)),
    (epsfree.TruncatedNormal(1, 2, -1, 2), stats.truncnorm(-1, 0.5, loc=1, scale=2)),
    (epsfree.LinearImage(epsfree.Beta(2, 3), [[4.0]], [1.0]), stats.beta(2, 3, loc=1, scale=4)),
    (epsfree.LinearImage(epsfree.Gamma(2, 1), [[2.0]], [1.0]), stats.gamma(2, loc=1, scale=2))])
def test_families_are_scipys(ours, theirs):
    draws = ours.sample((2000,), seed=1)
    assert np.allclose(ours.log_prob(draws), theirs.logpdf(draws[:, 0]), atol=1e-9)
    assert stats.kstest(draws[:, 0], theirs.cdf).pvalue > 1e-3
    converted = epsfree.as_prior(theirs)
    assert converted.kind in ("independent", "linear-image")
    assert np.allclose(converted.log_prob(draws[:50]), ours.log_prob(draws[:50]), atol=1e-9)


def test_multivariate_normal_and_arrays():
    theirs = stats.multivariate_normal([1, 2], [[1, 0.3], [0.3, 2]])
    prior = epsfree.as_prior(theirs)
    points = prior.sample((20,), seed=1)
    assert prior.kind == "gaussian" and np.allclose(prior.log_prob(points), theirs.logpdf(points))
    assert epsfree.as_prior(stats.uniform([0, 1], [1, 2])).dim == 2


def test_joining():
    prior = epsfree.Independent({"a": stats.norm(0, 1), "b": epsfree.Gaussian([1, 2], np.eye(2)),
                                 "c": stats.gamma(2, loc=3)})
    assert prior.names == ["a", "b1", "b2", "c"] and prior.dim == 4
    points = prior.sample((50,), seed=1)
    expected = (stats.norm.logpdf(points[:, 0]) + stats.norm.logpdf(points[:, 1], 1)
                + stats.norm.logpdf(points[:, 2], 2) + stats.gamma.logpdf(points[:, 3], 2, loc=3))
    assert np.allclose(prior.log_prob(points), expected)


def test_keeping_and_equality():
    prior = epsfree.Uniform([0, 1], [1, 2], names=["a", "b"])
    again = pickle.loads(pickle.dumps(prior))
    assert again == prior and again.names == ["a", "b"]
    assert prior != epsfree.Uniform([0, 1], [1, 3])
    model = epsfree.models["mg1-queue"].prior
    assert pickle.loads(pickle.dumps(model)) == model


class Banana:
    """Correlated and curved: no family has it."""

    def sample(self, shape):
        count = shape[0] if isinstance(shape, tuple) else shape
        a = np.random.normal(size=count)
        return np.column_stack([a, a ** 2 + 0.5 * np.random.normal(size=count)])

    def log_prob(self, theta):
        return stats.norm.logpdf(theta[:, 0]) + stats.norm.logpdf(theta[:, 1], theta[:, 0] ** 2, 0.5)


class Triangle:
    """0 < a < b < 1: with bounds that depend on each other."""

    def sample(self, count, rng):
        return np.sort(rng.uniform(size=(count, 2)), axis=1)

    def log_prob(self, theta):
        inside = (0 < theta[:, 0]) & (theta[:, 0] < theta[:, 1]) & (theta[:, 1] < 1)
        return np.where(inside, np.log(2), -np.inf)


@pytest.mark.parametrize("source, observed", [(Banana(), [0.5, 0.5]), (Triangle(), [0.5, 0.55])])
def test_any_prior_against_quadrature(source, observed):
    """x = theta + noise: the exact posterior is on a grid. Seen without the weights p / r: the banana's mean
    is off by 0.16 standard deviations (0.02 with them), the triangle's draws leave its support."""
    noise = 0.3
    posterior = epsfree.infer(lambda theta, rng: theta + noise * rng.normal(size=2), source, observed,
                              num_simulations=1500, seed=1, batch=False)
    axis = np.linspace(-3, 3, 301)
    grid = np.stack(np.meshgrid(axis, axis, indexing="ij"), -1).reshape(-1, 2)
    log = source.log_prob(grid) - 0.5 * ((grid - observed) ** 2).sum(1) / noise ** 2
    weights = np.exp(log - log.max())
    weights /= weights.sum()
    mean = weights @ grid
    std = np.sqrt(weights @ (grid - mean) ** 2)
    assert np.abs(posterior.mean() - mean).max() < 0.1 * std.max()
    assert np.abs(posterior.std() / std - 1).max() < 0.25
    draws = posterior.sample((500,), seed=1)
    assert np.isfinite(source.log_prob(draws)).all()
    if isinstance(source, Banana):
        assert np.abs(posterior.reference.mean() - mean).max() > 0.1 * std.max()
    assert np.abs(draws.mean(0) - mean).max() < 0.4 * std.max()
    cell = (axis[1] - axis[0]) ** 2
    assert np.exp(posterior.log_prob(grid)).sum() * cell == pytest.approx(1, abs=0.06)
    assert posterior.log_prob(posterior.map())[0] >= posterior.log_prob(draws).max()
    assert (posterior * posterior).std()[0] < posterior.std()[0]
    assert (pickle.loads(pickle.dumps(posterior)).mean() == posterior.mean()).all()


class TorchDisc:
    """A user's prior that speaks in tensors of 32 bits."""

    def sample(self, shape):
        import torch
        angle, radius = 2 * np.pi * torch.rand(shape), torch.sqrt(torch.rand(shape))
        return torch.stack([radius * torch.cos(angle), radius * torch.sin(angle)], -1).requires_grad_()

    def log_prob(self, theta):
        import torch
        inside = (theta ** 2).sum(-1) < 1
        return torch.where(inside, -torch.log(torch.tensor(np.pi)), -torch.tensor(np.inf))


def torch_priors():
    """Name, prior, log density at the point (0.3, 0.2), a point outside or None."""
    import torch
    from torch import distributions as d
    two = torch.tensor([1.0, 2.0])
    yield ("box", d.Independent(d.Uniform(-two, two), 1), -np.log(8), [0.0, 3.0])
    yield ("marginals", d.Normal(torch.zeros(2), two), stats.norm.logpdf([0.3, 0.2], 0, [1, 2]).sum(), None)
    cov = torch.tensor([[1.0, 0.5], [0.5, 2.0]])
    yield ("mvn", d.MultivariateNormal(torch.zeros(2), cov),
           stats.multivariate_normal([0, 0], cov.numpy()).logpdf([0.3, 0.2]), None)
    yield ("gamma", d.Independent(d.Gamma(two.double(), two.double()), 1),
           stats.gamma.logpdf([0.3, 0.2], [1, 2], scale=[1, 0.5]).sum(), [-1.0, 1.0])
    yield ("disc", TorchDisc(), -np.log(np.pi), [1.0, 1.0])


def test_torch_priors():
    torch = pytest.importorskip("torch")
    for name, source, density, outside in torch_priors():
        prior = epsfree.as_prior(source)
        assert prior.dim == 2 and prior.log_prob([[0.3, 0.2]])[0] == pytest.approx(density, abs=1e-5), name
        if outside is not None:
            values = prior.log_prob([outside, [0.3, 0.2], outside])
            assert values[0] == values[2] == -np.inf and np.isfinite(values[1]), name
        torch.manual_seed(3)
        state = torch.random.get_rng_state()
        first = prior.sample((5,), seed=1)
        assert first.dtype == np.float64 and (prior.sample((5,), seed=1) == first).all(), name
        assert (torch.random.get_rng_state() == state).all()  # the user's own random numbers go on
        posterior = epsfree.infer(lambda theta, rng: theta + 0.3 * rng.normal(size=2), source, [0.3, 0.2],
                                  num_simulations=400, seed=1, batch=False)
        assert np.abs(posterior.mean() - [0.3, 0.2]).max() < 0.25, name


def test_simulators_never_see_what_the_prior_excludes():
    def simulator(theta, rng):
        assert 0 < theta[0] < theta[1] < 1
        return theta + 0.1 * rng.normal(size=2)

    posterior = epsfree.infer(simulator, Triangle(), [0.5, 0.5], num_simulations=300, seed=1,
                              batch=False)
    assert not posterior.failures
    with pytest.raises(ValueError, match="directory"):
        epsfree.infer(simulator, Triangle(), [0.5, 0.5], directory="runs/none")


def test_scipy_without_a_family():
    posterior = epsfree.infer(lambda theta, rng: theta + 0.5 * rng.normal(size=1), stats.t(3), [1.0],
                              num_simulations=600, seed=1)
    axis = np.linspace(-6, 6, 2001)
    weights = stats.t(3).pdf(axis) * stats.norm.pdf(axis, 1.0, 0.5)
    assert posterior.mean()[0] == pytest.approx((weights @ axis) / weights.sum(), abs=0.1)


@pytest.mark.parametrize("make, message", [
    (lambda: epsfree.Uniform(1, 0), "low"), (lambda: epsfree.Normal(0, -1), "std"),
    (lambda: epsfree.Uniform([0, 1], [1, 2, 3]), r"\(2,\).*\(3,\)"),
    (lambda: epsfree.Normal("a", 1), "mean"), (lambda: epsfree.Gamma(0, 1), "shape"),
    (lambda: epsfree.Gaussian([0, 0], np.eye(3)), r"\(3, 3\)"),
    (lambda: epsfree.Gaussian([0, 0], -np.eye(2)), "positive"),
    (lambda: epsfree.Independent([]), "at least one"), (lambda: epsfree.Uniform([], []), "at least one"),
    (lambda: epsfree.Uniform(0, 1, names=["a", "b"]), "names"), (lambda: epsfree.as_prior(4), "prior"),
    (lambda: epsfree.Normal(0, 1).log_prob([[1.0, 2.0]]), r"\(1, 2\).*\(N, 1\)"),
    (lambda: epsfree.Normal(0, 1).sample((-1,)), "negative")])
def test_bad_input_is_named(make, message):
    with pytest.raises(ValueError, match=message):
        make()
