"""Calibration from pairs, of anything that samples."""
import numpy as np
import pytest

import epsfree


@pytest.fixture(scope="module")
def pairs():
    rng = np.random.default_rng(7)
    theta = rng.normal(size=(300, 2))
    return theta, theta + rng.normal(size=theta.shape)


def exact(x, n, width=1.0, shift=0.0, seed=None):
    rng = np.random.default_rng(abs(hash(x.tobytes())) % 2**32)
    return rng.normal(x / 2 + shift, width * np.sqrt(0.5), size=(n, len(x)))


class LikeSbi:
    """The interface of sbi's posteriors."""

    def __init__(self, width):
        self.width = width

    def sample(self, sample_shape, x=None, show_progress_bars=True):
        assert show_progress_bars is False
        return exact(np.asarray(x, dtype=float), sample_shape[0], self.width)


def test_right_posteriors_pass(pairs):
    found = epsfree.calibrate(*pairs, LikeSbi(1.0), x_o=[0.5, -0.5])
    assert found.verdict == "pass", found
    assert {d["name"] for d in found} >= {"sbc-ranks", "expected-coverage", "tarp", "lc2st"}
    assert found.ranks.shape == (300, 2)
    assert found.ranks.min() >= 0 and found.ranks.max() <= found.num_samples
    # A share of 300 has a standard error of 0.03 at most.
    for level, share in found.coverage().items():
        assert abs(share - level) < 0.1


# A tenth too much or too little is not to be seen in 300 pairs; these are.
@pytest.mark.parametrize("wrong", [dict(width=0.5), dict(width=2.0), dict(shift=0.5)])
def test_wrong_posteriors_fail(pairs, wrong):
    found = epsfree.calibrate(*pairs, lambda x, n: exact(x, n, **wrong))
    assert found.verdict == "fail"
    assert not found


def test_the_prior_is_no_posterior(pairs):
    """Its ranks are uniform; TARP with reference points that depend on x sees it."""
    rng = np.random.default_rng(1)
    found = epsfree.calibrate(*pairs, lambda x, n: rng.normal(size=(n, 2)))
    assert found["tarp"].verdict == "fail"


def test_an_amortised_posterior_is_drawn_from_at_once(pairs):
    theta, x = pairs
    npe = epsfree.NPE(epsfree.Normal([0, 0], [1, 1]))
    rng = np.random.default_rng(3)
    own = rng.normal(size=(2000, 2))
    npe.append_simulations(own, own + rng.normal(size=own.shape)).train(num_steps=1500)
    found = epsfree.calibrate(theta, x, npe.build_posterior(), num_posterior_samples=199)
    assert found.verdict != "fail", found
    assert found.num_samples == 199


def test_what_cannot_be_is_refused(pairs):
    theta, x = pairs
    with pytest.raises(epsfree.InputError, match="expected the same number"):
        epsfree.calibrate(theta[:50], x, exact)
    with pytest.raises(epsfree.InputError, match="at least 10 pairs"):
        epsfree.calibrate(theta[:5], x[:5], exact)
    with pytest.raises(epsfree.InputError, match="shape"):
        epsfree.calibrate(theta, x, lambda x, n: np.zeros((n, 3)))
    with pytest.raises(epsfree.InputError, match="single observation"):
        epsfree.calibrate(theta, x, epsfree.models["mixture"].exact_posterior())
    with pytest.raises(epsfree.InputError, match="function of x"):
        epsfree.calibrate(theta, x, 3)


def test_predictive_checks_from_arrays():
    x = np.random.default_rng(2).normal(size=(400, 3))
    assert epsfree.predictive_check([0.1, 0.2, -0.3], x).verdict == "pass"
    found = epsfree.predictive_check([0.1, 7.0, -0.3], x, statistic_names=["a", "b", "c"])
    assert found.verdict == "fail"
    with pytest.raises(epsfree.InputError, match="at least 20"):
        epsfree.predictive_check([0.0], np.zeros((5, 1)))
