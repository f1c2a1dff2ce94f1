"""Priors of torch, sbi and SciPy: those of a known family become the library's own, none leaks."""
import pickle

import numpy as np
import pytest

import epsfree

stats = pytest.importorskip("scipy.stats")
import torch_like  # noqa: E402: needs SciPy

TWO = np.array([1.0, 2.0])
COVARIANCE = np.array([[1.0, 0.5], [0.5, 2.0]])

FAMILIES = [
    (torch_like.Uniform(-TWO, TWO), epsfree.Uniform(-TWO, TWO)),
    (torch_like.BoxUniform(-TWO, TWO), epsfree.Uniform(-TWO, TWO)),
    (torch_like.Normal(TWO, TWO), epsfree.Normal(TWO, TWO)),
    (torch_like.MultivariateNormal(TWO, COVARIANCE), epsfree.Gaussian(TWO, COVARIANCE)),
    (torch_like.LogNormal(TWO, TWO), epsfree.LogNormal(TWO, TWO)),
    (torch_like.Gamma(TWO, TWO), epsfree.Gamma(TWO, TWO)),
    (torch_like.Beta(TWO, 3 * TWO), epsfree.Beta(TWO, 3 * TWO)),
    (torch_like.Exponential(TWO), epsfree.Exponential(TWO)),
    (torch_like.HalfNormal(TWO), epsfree.HalfNormal(TWO)),
    (torch_like.Independent(torch_like.Gamma(TWO, TWO), 1), epsfree.Gamma(TWO, TWO)),
    (torch_like.MultipleIndependent([torch_like.Gamma([1.0], [2.0]), torch_like.BoxUniform(-TWO, TWO),
                                     torch_like.MultivariateNormal(TWO, COVARIANCE)]),
     epsfree.Independent([epsfree.Gamma(1, 2), epsfree.Uniform(-TWO, TWO), epsfree.Gaussian(TWO, COVARIANCE)]))]


@pytest.mark.parametrize("source, ours", FAMILIES, ids=[type(pair[0]).__name__ for pair in FAMILIES])
def test_families_become_the_librarys(source, ours):
    prior = epsfree.as_prior(source)
    assert isinstance(prior, epsfree.Prior)
    points = np.concatenate([ours.sample((50,), seed=1), -3 * ours.sample((50,), seed=2)])
    assert np.allclose(prior.log_prob(points), ours.log_prob(points), atol=1e-5)
    named = epsfree.as_prior(source, [f"p{i}" for i in range(ours.dim)])
    assert named.names[0] == "p0" and isinstance(named, epsfree.Prior)


def test_a_name_that_misleads():
    """A class that has the name and the attributes of a family, but means something else by them."""
    class Normal(torch_like.Normal):  # scale is a precision here
        def __init__(self, loc, scale):
            torch_like.Distribution.__init__(self, stats.norm(loc, 1 / np.sqrt(scale)), loc=loc, scale=scale)

    prior = epsfree.as_prior(Normal(np.zeros(1), np.array([4.0])))
    assert prior.kind == "custom"
    assert prior.log_prob([[0.5]])[0] == pytest.approx(stats.norm(0, 0.5).logpdf(0.5))


def train(source, theta, x, **options):
    return epsfree.NPE(source, **options).append_simulations(theta, x)


def test_a_box_does_not_leak():
    """The network's mass beyond the box was drawn from: 6% of the draws, with a finite density."""
    box = torch_like.BoxUniform(np.zeros(2), np.ones(2))
    np.random.seed(1)
    theta = box.sample((500,))
    x = theta + 0.3 * np.random.normal(size=theta.shape)
    npe = train(box, theta, x)
    npe.train(num_steps=300)
    posterior = npe.build_posterior()
    draws = posterior.sample((4000,), x=[0.05, 0.95], seed=1)
    assert ((draws >= 0) & (draws <= 1)).all()
    assert np.isinf(posterior.log_prob([[-0.02, 0.5], [0.5, 1.02]], x=[0.05, 0.95])).all()
    batched = posterior.sample_batched((500,), x=[[0.05, 0.95], [1.0, 1.0]], seed=1)
    assert ((batched >= 0) & (batched <= 1)).all()
    local = train(box, theta, x, density_estimator="local").build_posterior()
    assert ((local.sample((500,), x=[0.0, 1.0], seed=1) >= 0)).all()


class Disc:
    """No family, no support: log_prob alone says where it ends."""

    def sample(self, count, rng):
        angle, radius = rng.uniform(0, 2 * np.pi, count), np.sqrt(rng.uniform(0, 1, count))
        return np.column_stack([radius * np.cos(angle), radius * np.sin(angle)])

    def log_prob(self, theta):
        return np.where((theta ** 2).sum(1) < 1, -np.log(np.pi), -np.inf)


@pytest.mark.parametrize("source", [Disc(), torch_like.Weibull(np.ones(2), np.array([1.5, 1.5])),
                                    torch_like.MultipleIndependent([
                                        torch_like.Weibull(np.ones(1), np.array([1.5])),
                                        torch_like.Uniform(np.zeros(1), np.ones(1))])],
                         ids=["disc", "weibull", "joint"])
def test_networks_do_not_leak_without_a_family(source):
    prior = epsfree.as_prior(source)
    assert prior.kind == "custom"
    theta = prior.sample((500,), seed=1)
    x = theta + 0.5 * np.random.default_rng(1).normal(size=theta.shape)
    npe = train(source, theta, x)
    npe.train(num_steps=300)
    posterior = npe.build_posterior().set_default_x([0.02, 0.98])
    draws = posterior.sample((2000,), seed=1)
    assert prior.contains(draws).all() and len(np.unique(draws[:, 0])) == 2000
    assert prior.contains(posterior.sample_batched((300,), x=[[0.02, 0.98]], seed=1)[:, 0]).all()
    assert np.isinf(posterior.log_prob([[-1.1, 0.5], [-1.2, 0.2]])).all()
    axis = np.linspace(-2, 5, 351)
    grid = np.stack(np.meshgrid(axis, axis, indexing="ij"), -1).reshape(-1, 2)
    total = np.exp(posterior.log_prob(grid)).sum() * (axis[1] - axis[0]) ** 2
    assert total == pytest.approx(1, abs=0.05)
    again = pickle.loads(pickle.dumps(posterior))
    assert (again.sample((5,), seed=2) == posterior.sample((5,), seed=2)).all()


def test_products_under_a_prior_without_a_family():
    """Two observations: the prior counts once. Counting it twice moves the mean by 0.1."""
    source = torch_like.Weibull(np.ones(1), np.array([1.5]))
    prior, rng = epsfree.as_prior(source), np.random.default_rng(1)
    theta = prior.sample((3000,), seed=1)
    npe = train(source, theta, theta + 0.5 * rng.normal(size=theta.shape))
    npe.train(num_steps=3000)
    both = npe.build_posterior().at([[0.5], [0.6]])
    axis = np.linspace(1e-3, 5, 2001)
    log = prior.log_prob(axis[:, None]) - 0.5 * ((axis - 0.5) ** 2 + (axis - 0.6) ** 2) / 0.25
    weights = np.exp(log - log.max())
    mean = (weights @ axis) / weights.sum()
    assert both.mean()[0] == pytest.approx(mean, abs=0.06)


@pytest.mark.parametrize("source", [torch_like.Poisson(np.array([3.0])), stats.poisson(3), stats.multinomial(4, [0.5, 0.5]),
                                    torch_like.MultipleIndependent([torch_like.Poisson(np.array([3.0])),
                                                                    torch_like.Normal(np.zeros(1), np.ones(1))])],
                         ids=["torch", "scipy", "multinomial", "joint"])
def test_discrete_priors_are_refused(source):
    with pytest.raises(epsfree.InputError, match="is discrete.*must be continuous"):
        epsfree.as_prior(source)


class Coin:
    """Says nothing about itself."""

    def sample(self, count, rng):
        return np.column_stack([rng.normal(size=count), rng.integers(0, 2, count) + 0.5])

    def log_prob(self, theta):
        return np.zeros(len(theta))


class Rounded(Coin):
    def sample(self, count, rng):
        return np.maximum(rng.normal(size=(count, 1)), 0.0)


class Sum:
    """Three numbers whose sum is fixed have no density over all three."""

    def __init__(self, total):
        self.total = total

    def sample(self, count, rng):
        return self.total * rng.dirichlet([1, 1, 1], count)

    def log_prob(self, theta):
        return np.zeros(len(theta))


@pytest.mark.parametrize("source, message", [(Coin(), "parameter 2"), (Rounded(), "draws are 0"),
                                             (Sum(1.0), "sum to one.*Dirichlet"), (Sum(3.0), "linear function")])
def test_what_has_no_density_is_refused(source, message):
    with pytest.raises(epsfree.InputError, match=message):
        epsfree.as_prior(source)


ALPHA = np.array([2.0, 3.0, 5.0])


@pytest.mark.parametrize("source", [torch_like.Dirichlet(ALPHA), stats.dirichlet(ALPHA), epsfree.Dirichlet(ALPHA)],
                         ids=["torch", "scipy", "epsfree"])
def test_dirichlet_is_one(source):
    prior = epsfree.as_prior(source, ["a", "b", "c"])
    assert prior == epsfree.Dirichlet(ALPHA) and prior.names == ["a", "b", "c"]
    draws = prior.sample((2000,), seed=1)
    assert np.abs(draws.sum(1) - 1).max() < 1e-12
    assert np.allclose(prior.log_prob(draws), stats.dirichlet(ALPHA).logpdf(draws.T), atol=1e-8)
    assert np.isinf(prior.log_prob([[0.2, 0.3, 0.4], [-0.1, 0.5, 0.6]])).all()
    for i in range(3):
        assert stats.kstest(draws[:, i], stats.beta(ALPHA[i], 10 - ALPHA[i]).cdf).pvalue > 1e-3
    assert np.allclose(prior.covariance(), stats.dirichlet(ALPHA).cov())
    again = pickle.loads(pickle.dumps(prior))
    assert again == prior and type(again) is epsfree.Dirichlet and again.names == prior.names


COUNTS = np.array([6, 1, 3])


def counts(theta, rng):
    assert abs(theta.sum() - 1) < 1e-12
    return rng.multinomial(COUNTS.sum(), theta)[:2]


def check_shares(posterior, tolerance):
    """A Dirichlet prior with counts has a Dirichlet posterior."""
    exact = stats.dirichlet(ALPHA + COUNTS)
    draws = posterior.sample((4000,), seed=1)
    assert np.abs(draws.sum(1) - 1).max() < 1e-12 and (draws > 0).all()
    assert np.abs(draws.mean(0) - exact.mean()).max() < tolerance * np.sqrt(exact.var()).max()
    assert np.abs(draws.std(0) / np.sqrt(exact.var()) - 1).max() < tolerance
    points = exact.rvs(300, random_state=1)
    assert np.mean(exact.logpdf(points.T) - posterior.log_prob(points)) < 0.3 * tolerance
    assert np.isinf(posterior.log_prob([[0.5, 0.2, 0.2]])).all()
    assert np.abs(posterior.map() - (ALPHA + COUNTS - 1) / (ALPHA + COUNTS - 1).sum()).max() < 0.05
    assert posterior.map().sum() == pytest.approx(1)


def test_shares_by_infer():
    posterior = epsfree.infer(counts, torch_like.Dirichlet(ALPHA), COUNTS[:2], names=["a", "b", "c"],
                              num_simulations=2000, seed=1, batch=False)
    assert posterior.names == ["a", "b", "c"] and posterior.dim == 3 and posterior.kind == "simplex"
    check_shares(posterior, 0.3)
    assert posterior.marginal("c").mean()[0] == pytest.approx(posterior.mean()[2])
    assert (posterior * posterior).std()[0] < posterior.std()[0]
    again = pickle.loads(pickle.dumps(posterior))
    assert type(again) is type(posterior) and (again.sample((5,), seed=1) == posterior.sample((5,), seed=1)).all()
    with pytest.raises(ValueError, match="directory"):
        epsfree.infer(counts, stats.dirichlet(ALPHA), COUNTS[:2], directory="runs/none")


@pytest.mark.parametrize("kind", ["network", "local"])
def test_shares_by_npe(kind):
    """A network that learns three shares one by one gave draws that summed to 0.96."""
    source = torch_like.Dirichlet(ALPHA)
    np.random.seed(1)
    theta = source.sample((3000,))
    rng = np.random.default_rng(1)
    x = np.array([rng.multinomial(10, t / t.sum(dtype=float))[:2] for t in theta.astype(float)])
    npe = train(source, theta, x, density_estimator=kind, names=["a", "b", "c"])
    if kind == "network":
        npe.train(num_steps=3000)
    posterior = npe.build_posterior().set_default_x(COUNTS[:2])
    check_shares(posterior, 0.4)
    assert posterior.names == ["a", "b", "c"] and posterior.mean().sum() == pytest.approx(1)
    batched = posterior.sample_batched((100,), x=[[6, 1], [0, 5]], seed=1)
    assert np.abs(batched.sum(-1) - 1).max() < 1e-12
    proposal = posterior.at()
    more = proposal.sample((200,), seed=2)
    npe.append_simulations(more, [rng.multinomial(10, t)[:2] for t in more], proposal=proposal)
    with pytest.raises(ValueError, match="theta.*sum to one"):
        npe.append_simulations([[0.5, 0.5, 0.5]], [[1, 2]])


def torch_priors():
    import torch
    from torch import distributions as d
    two, one = torch.tensor([1.0, 2.0]), torch.ones(1)
    box = d.Independent(d.Uniform(-two, two), 1)
    yield box, epsfree.Uniform
    yield d.Uniform(-two, two, validate_args=False), epsfree.Uniform
    yield d.Normal(two, two), epsfree.Normal
    yield d.MultivariateNormal(two, torch.eye(2)), epsfree.Gaussian
    yield d.LowRankMultivariateNormal(two, torch.ones(2, 1), two), epsfree.Gaussian
    yield d.LogNormal(two, two), epsfree.LogNormal
    yield d.Independent(d.Gamma(two.double(), two.double()), 1), epsfree.Gamma
    yield d.Chi2(2 * two), epsfree.Gamma
    yield d.Beta(two, two), epsfree.Beta
    yield d.Exponential(two), epsfree.Exponential
    yield d.HalfNormal(two), epsfree.HalfNormal
    yield d.TransformedDistribution(box, d.AffineTransform(two, 2 * two)), epsfree.LinearImage
    yield d.TransformedDistribution(d.Uniform(-two, two), d.ExpTransform()), epsfree.LogUniform
    yield d.Dirichlet(torch.tensor([2.0, 3.0, 5.0])), epsfree.Dirichlet
    for other in (d.Laplace(two, two), d.Independent(d.Weibull(two, two), 1), d.HalfCauchy(two), d.Pareto(one, 3 * one),
                  d.StudentT(3 * one), d.Kumaraswamy(2 * two, 3 * two), d.Exponential(two, validate_args=False).expand([2]),
                  d.MixtureSameFamily(d.Categorical(one.expand(2)), d.Independent(d.Normal(torch.eye(2), 1), 1))):
        yield other, None


def test_torch():
    torch = pytest.importorskip("torch")
    from torch import distributions as d
    for source, family in torch_priors():
        prior = epsfree.as_prior(source)
        if family is not None:
            assert type(prior) is family, source
        theta = source.sample((200,))
        density = source.log_prob(theta).reshape(200, -1).sum(1) if theta.ndim > 1 else source.log_prob(theta)
        theta = theta.reshape(200, -1)
        assert np.allclose(prior.log_prob(theta), density, atol=1e-3, rtol=1e-4), source
        far = torch.full((1, prior.dim), -50.0)
        if not source.support.check(far).all():
            assert np.isinf(prior.log_prob(far)).all(), source
        npe = epsfree.NPE(source).append_simulations(theta, theta + 0.3 * torch.randn(theta.shape))
        npe.train(num_steps=100)
        draws = npe.build_posterior().sample((300,), x=theta[0], seed=1)
        assert prior.contains(draws).all(), source
        assert source.support.check(torch.as_tensor(draws, dtype=torch.float64)).all(), source
    for discrete in (d.Bernoulli(torch.tensor([0.5])), d.Poisson(torch.ones(2)), d.OneHotCategorical(torch.ones(3)),
                     d.Independent(d.Binomial(5, torch.tensor([0.5])), 1)):
        with pytest.raises(epsfree.InputError, match="discrete"):
            epsfree.as_prior(discrete)
    with pytest.raises(epsfree.InputError, match="sum to one"):
        epsfree.as_prior(d.LogisticNormal(torch.zeros(2), torch.ones(2)))


def test_sbi():
    torch = pytest.importorskip("torch")
    pytest.importorskip("sbi")
    from sbi.utils import BoxUniform, MultipleIndependent
    box = BoxUniform(-torch.ones(3), torch.ones(3))
    assert type(epsfree.as_prior(box)) is epsfree.Uniform
    parts = [torch.distributions.Gamma(torch.ones(1), torch.ones(1)), BoxUniform(torch.zeros(1), torch.ones(1)),
             torch.distributions.MultivariateNormal(torch.zeros(2), torch.eye(2))]
    prior = epsfree.as_prior(MultipleIndependent(parts))
    assert isinstance(prior, epsfree.Prior) and prior.dim == 4
    mixed = MultipleIndependent([torch.distributions.Laplace(torch.zeros(1), torch.ones(1)), *parts[:2]])
    custom = epsfree.as_prior(mixed)
    assert custom.kind == "custom" and np.isinf(custom.log_prob([[0.0, -1.0, 0.5], [0.0, 1.0, 1.5]])).all()
    with pytest.raises(epsfree.InputError, match="discrete"):
        epsfree.as_prior(MultipleIndependent([torch.distributions.Poisson(torch.ones(1)), *parts[:1]]))
