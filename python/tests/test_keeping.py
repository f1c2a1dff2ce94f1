"""What can be pickled and copied, and what it is afterwards."""
import copy
import pickle

import numpy as np
import pytest

import epsfree
from conftest import OBSERVED, gaussian_batch

WAYS = [lambda item: pickle.loads(pickle.dumps(item)), copy.copy, copy.deepcopy]
PRIORS = [epsfree.Uniform([0, 1], [1, 2], names=["a", "b"]), epsfree.Normal(0, 1), epsfree.LogUniform(1, 2),
          epsfree.LogNormal(0, 1), epsfree.Exponential(2), epsfree.Gamma(2, 3), epsfree.Beta(2, 3),
          epsfree.HalfNormal(2), epsfree.TruncatedNormal(0, 1, -1, np.inf),
          epsfree.Gaussian([0, 1], [[1, 0.3], [0.3, 2]]), epsfree.LinearImage(epsfree.Gamma(2, 1), [[2.0]], [1.0]),
          epsfree.Independent({"a": epsfree.Normal(0, 1), "b": epsfree.Uniform(0, 1)}),
          epsfree.Dirichlet([1, 2, 3], names=["a", "b", "c"]), epsfree.models["mg1-queue"].prior]


@pytest.fixture(scope="module")
def simulations():
    prior = epsfree.Independent({"mu": epsfree.Normal(0, 2), "log_sigma": epsfree.Uniform(-2, 2)})
    theta = prior.sample((300,), seed=1)
    return prior, theta, gaussian_batch(theta, np.random.default_rng(1))


@pytest.mark.parametrize("way", WAYS, ids=["pickle", "copy", "deepcopy"])
@pytest.mark.parametrize("prior", PRIORS, ids=[type(prior).__name__ for prior in PRIORS])
def test_priors_keep_their_class(prior, way):
    again = way(prior)
    assert type(again) is type(prior) and again == prior and again.names == prior.names
    assert repr(again) == repr(prior)
    assert (again.sample((5,), seed=1) == prior.sample((5,), seed=1)).all()


@pytest.mark.parametrize("way", WAYS, ids=["pickle", "copy", "deepcopy"])
@pytest.mark.parametrize("kind", ["network", "local"])
def test_npe(simulations, way, kind):
    prior, theta, x = simulations
    x = x.copy()
    x[7] = np.nan
    npe = epsfree.NPE(prior, kind).append_simulations(theta, x)
    proposal = epsfree.NPE(prior, "local").append_simulations(theta, x).build_posterior().at(OBSERVED)
    more = proposal.sample((100,), seed=2)
    npe.append_simulations(more, gaussian_batch(more, np.random.default_rng(2)), proposal=proposal)
    if kind == "network":
        npe.train(num_steps=100)
    again = way(npe)
    assert type(again) is epsfree.NPE and len(again) == len(npe) == 399
    first, second = (each.build_posterior().set_default_x(OBSERVED) for each in (npe, again))
    assert (first.sample((5,), seed=1) == second.sample((5,), seed=1)).all()
    again.append_simulations(theta, x)
    assert (len(npe), len(again)) == (399, 698)  # the original is as it was
    if kind == "network":
        assert again.train(num_steps=50) is not None
        assert again.summary["simulations"]["invalid"] == 2


@pytest.mark.parametrize("way", WAYS, ids=["pickle", "copy", "deepcopy"])
def test_dropped_simulations_are_counted(simulations, way):
    prior, theta, x = simulations
    npe = epsfree.NPE(prior).append_simulations(theta[:5], np.full_like(x[:5], np.nan))
    again = way(npe)
    with pytest.raises(epsfree.InputError, match="number of statistics"):
        again.append_simulations(theta, x[:, :1])
    again.append_simulations(theta, x).train(num_steps=50)
    assert again.summary["simulations"]["invalid"] == 5


@pytest.mark.parametrize("way", WAYS, ids=["pickle", "copy", "deepcopy"])
def test_local_posteriors(simulations, way):
    prior, theta, x = simulations
    amortised = epsfree.NPE(prior, "local").append_simulations(theta, x).build_posterior().set_default_x(OBSERVED)
    one = amortised.at()
    for item in (amortised, one):
        again = way(item)
        assert type(again) is type(item)
        assert (again.sample((5,), seed=1) == item.sample((5,), seed=1)).all()
        assert again.names == item.names and (again.default_x == item.default_x).all()
    again = way(amortised)
    again.set_default_x([0.0, 0.0])
    assert amortised.default_x.tolist() == OBSERVED
    assert type(way(one).prior) is type(one.prior)


class Mine(epsfree.Posterior):
    """A user's own."""


def test_posteriors_keep_what_they_have(posterior):
    mine = Mine(posterior._core, prior=posterior.prior, summary=posterior.summary, observed=posterior.default_x)
    mine.check = epsfree.Check({"diagnoses": [], "notes": ["none made"]})
    again = pickle.loads(pickle.dumps(mine))
    assert type(again) is Mine and again.summary == mine.summary
    assert type(again.summary) is epsfree.Summary and again.check.notes == ["none made"]
    assert (again.default_x == mine.default_x).all() and again.prior == mine.prior


def test_the_document_warns_of_pickles():
    from conftest import ROOT
    assert "unpickle only what you trust" in (ROOT / "docs" / "python.md").read_text(encoding="utf-8")
