"""Posteriors given many observations, and at many observations."""
import time
import warnings

import numpy as np
import pytest

import epsfree


@pytest.fixture(scope="module")
def amortised():
    rng = np.random.default_rng(1)
    prior = epsfree.Uniform([-3, -3, -3], [3, 3, 3])
    theta = prior.sample((1500,), seed=1)
    mixing = np.array([[1, 0.5, 0], [0, 1, 0.5], [0.5, 0, 1]])
    x = theta @ mixing + 0.5 * rng.normal(size=theta.shape)
    npe = epsfree.NPE(prior).append_simulations(theta, x)
    npe.train(num_steps=1500)
    truth = np.array([0.5, -0.5, 1.0])
    observed = truth @ mixing + 0.5 * rng.normal(size=(1000, 3))
    return npe.build_posterior(), observed, truth


def test_many_observations_take_seconds_and_say_their_error(amortised):
    posterior, observed, truth = amortised
    widths = []
    for count in (20, 1000):
        began = time.perf_counter()
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            product = posterior.at(observed[:count])
        assert time.perf_counter() - began < 30  # 1 and 4 seconds on an idle core
        assert not product.combination.exact
        assert 0 < product.combination.total_variation < 0.05
        assert len(product.mixture[0]) <= 32
        widths.append(product.std().max())
    assert widths[1] < 0.3 * widths[0]
    exact = (posterior.at(observed[0]) * posterior.at(observed[0])).combination
    assert exact.exact and exact.total_variation == 0


def test_three_hundred_posteriors_are_drawn_from_in_half_a_second(amortised):
    posterior, observed, _ = amortised
    began = time.perf_counter()
    draws = posterior.sample_batched((100,), x=observed[:300], seed=5)
    at_once = time.perf_counter() - began
    began = time.perf_counter()
    for i in range(300):
        posterior.sample((100,), x=observed[i], seed=5 + i)
    one_by_one = time.perf_counter() - began
    assert draws.shape == (100, 300, 3)
    assert at_once < 1 and one_by_one < 2  # 0.1 and 0.15 s on an idle core; 8.7 s before
    for i in (0, 7, 299):
        assert (draws[:, i] == posterior.sample((100,), x=observed[i], seed=5 + i)).all()
        assert (draws[:, i] == posterior.at(observed[i]).sample((100,), seed=5 + i)).all()


def test_samples_at_the_bounds_agree_with_the_density(amortised):
    """Draws by rejection from the mixture are draws of the truncated one."""
    posterior, _, _ = amortised
    at_edge = posterior.at(np.array([4.4, 4.4, 4.4]))
    draws = at_edge.sample((20000,), seed=1)
    assert (np.abs(draws) <= 3).all()
    assert np.abs(draws.mean(axis=0) - at_edge.mean()).max() < 0.05 * at_edge.std().max() + 0.01
    for p in (0.1, 0.5, 0.9):
        # The standard error of a share of 20000 is 0.0035.
        below = (draws < at_edge.quantile(p)).mean(axis=0)
        assert np.abs(below - p).max() < 0.02


def test_thirty_parameters_that_are_cut_off_are_described_in_seconds():
    rng = np.random.default_rng(4)
    prior = epsfree.Uniform([0.0] * 30, [1.0] * 30)
    theta = prior.sample((400,), seed=1)
    mixing = np.eye(30) + 0.3 * rng.normal(size=(30, 30))
    npe = epsfree.NPE(prior).append_simulations(theta, theta @ mixing + rng.normal(size=theta.shape))
    npe.train(num_steps=100, network={"num_components": 1})
    posterior = npe.build_posterior().at(theta[0] @ mixing)
    began = time.perf_counter()
    described = posterior.describe()
    assert time.perf_counter() - began < 10  # 1 to 2 s on an idle core; a minute before
    assert len(described) == 30
