"""What can be asked of a posterior."""
import copy
import pickle

import numpy as np
import pytest

import epsfree


def test_shapes(posterior):
    assert posterior.sample((7,), seed=1).shape == (7, 2)
    assert posterior.sample(7, seed=1).shape == (7, 2)
    assert posterior.sample((2, 3), seed=1).shape == (2, 3, 2)
    assert posterior.sample((), seed=1).shape == (2,)
    assert posterior.sample((0,), seed=1).shape == (0, 2)
    assert posterior.log_prob(posterior.sample((5,))).shape == (5,)
    assert posterior.log_prob([0.0, 0.0]).shape == (1,)
    assert posterior.quantile(0.5).shape == (2,)
    assert posterior.covariance().shape == (2, 2)
    weights, means, covariances = posterior.mixture
    assert weights.sum() == pytest.approx(1) and covariances.shape == (len(means), 2, 2)


def test_seeds(posterior):
    assert (posterior.sample((5,), seed=3) == posterior.sample((5,), seed=3)).all()
    assert not (posterior.sample((5,)) == posterior.sample((5,))).any()
    generator = np.random.default_rng(1)
    assert not (posterior.sample((5,), seed=generator) == posterior.sample((5,), seed=generator)).any()


def test_density_is_normalised(posterior):
    a, b = np.linspace(-6, 6, 400), np.linspace(-2, 2, 400)
    grid = np.stack(np.meshgrid(a, b, indexing="ij"), -1).reshape(-1, 2)
    total = np.exp(posterior.log_prob(grid)).sum() * (a[1] - a[0]) * (b[1] - b[0])
    assert total == pytest.approx(1, abs=0.02)
    assert posterior.log_prob([[0, 3.0]])[0] == -np.inf
    assert posterior.log_prob([[np.nan, 0]])[0] == -np.inf


def test_map_is_the_highest(posterior):
    best = posterior.log_prob(posterior.map())[0]
    assert best >= posterior.log_prob(posterior.sample((2000,), seed=1)).max()


def test_marginal_and_conditional(posterior):
    marginal = posterior.marginal(["log_sigma"])
    assert marginal.names == ["log_sigma"]
    assert marginal.mean()[0] == pytest.approx(posterior.mean()[1])
    assert posterior.marginal(["log_sigma", "mu"]).names == ["log_sigma", "mu"]
    given = posterior.conditional(mu=0.4)
    points = np.linspace(-1, 1, 5)
    joint = posterior.log_prob(np.column_stack([np.full(5, 0.4), points]))
    difference = joint - given.log_prob(points)
    assert np.ptp(difference) < 1e-8
    with pytest.raises(ValueError, match="sigma"):
        posterior.marginal("sigma")
    with pytest.raises(ValueError, match="outside"):
        posterior.conditional(log_sigma=7)


def test_product_counts_the_prior_once(posterior):
    both = posterior * posterior
    theta = posterior.sample((6,), seed=1)
    expected = 2 * posterior.log_prob(theta) - posterior.prior.log_prob(theta)
    assert np.ptp(both.log_prob(theta) - expected) < 1e-6
    assert epsfree.combine([posterior] * 3).std()[0] < both.std()[0]
    with pytest.raises(ValueError, match="different priors"):
        posterior * epsfree.models["mixture"].exact_posterior()


def test_named(posterior):
    assert list(posterior.describe()) == ["mu", "log_sigma"]
    assert posterior.named(posterior.map())["mu"] == posterior.map()[0]
    assert "mu" in repr(posterior)


def test_keeping(posterior, tmp_path):
    theta = posterior.sample((5,), seed=1)
    posterior.save(tmp_path / "posterior.json")
    for other in (epsfree.load(tmp_path / "posterior.json"), pickle.loads(pickle.dumps(posterior)),
                  copy.copy(posterior), copy.deepcopy(posterior)):
        assert (other.sample((5,), seed=1) == theta).all()
        assert other.names == posterior.names
    part = posterior.marginal("mu")
    part.save(tmp_path / "part.json")
    assert (epsfree.load(tmp_path / "part.json").log_prob(theta[:, :1]) == part.log_prob(theta[:, :1])).all()


def test_data_frames(posterior):
    pandas = pytest.importorskip("pandas")
    frame = posterior.to_dataframe(50)
    assert isinstance(frame, pandas.DataFrame) and list(frame.columns) == ["mu", "log_sigma"]


def test_arviz(posterior):
    pytest.importorskip("arviz")
    data = posterior.to_arviz(50)
    assert data["posterior"]["mu"].shape == (1, 50)


def test_one_observation_only(posterior):
    assert posterior.sample((1,), x=[0.5, 0.2]).shape == (1, 2)
    with pytest.raises(ValueError, match="mdn-with-prior"):
        posterior.sample((1,), x=[0.0, 0.0])
    with pytest.raises(ValueError):
        posterior.set_default_x([0.0, 0.0])


@pytest.mark.filterwarnings("ignore::epsfree.EpsfreeWarning")
def test_plots(posterior, tmp_path):
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("agg")
    figure, axes = posterior.plot(truth=[0.5, 0.2], prior=True)
    assert axes.shape == (2, 2) and len(axes[1, 0].lines) >= 3
    figure.savefig(tmp_path / "corner.png")
    figure, axes = epsfree.pairplot([posterior, posterior * posterior], labels=["one", "two"],
                                    names=["a", "b"])
    assert axes[1, 0].get_ylabel() == "b"
    queue = epsfree.infer("mg1-queue", num_simulations=300, seed=1)
    assert queue.plot()[1].shape == (3, 3)
    assert posterior.plot_history() is not None
    samples = epsfree.infer("mixture", method="rejection-abc", num_simulations=500, seed=1)
    assert samples.plot()[1].shape == (1, 1)
    matplotlib.pyplot.close("all")
