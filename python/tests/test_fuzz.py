"""No input crashes the interpreter: arrays of every shape, type and layout, where arrays go."""
import numpy as np
import pytest

import epsfree
from conftest import gaussian


def arrays(rng):
    """Whatever somebody might hand over."""
    shapes = [(), (0,), (1,), (2,), (3,), (0, 0), (0, 2), (2, 0), (1, 2), (2, 2), (5, 2), (2, 5), (2, 2, 2)]
    dtypes = ["f8", "f4", "f2", "i8", "u1", "?", "c16", "O", "S3", "U3", "M8[s]", ">f8"]
    for shape in shapes:
        dtype = rng.choice(dtypes)
        try:
            base = rng.normal(size=shape).astype(dtype)
        except (TypeError, ValueError):
            base = np.zeros(shape, dtype)
        yield base
        if base.ndim == 2 and base.size:
            yield base.T
            yield np.asfortranarray(base)
            yield base[::-1, ::-1]
            yield np.repeat(base, 2, axis=1)[:, ::2]
            readonly = base.copy()
            readonly.flags.writeable = False
            yield readonly
    yield np.broadcast_to(np.float64(0.5), (4, 2))
    yield np.array([[np.nan, np.inf], [1e308, -1e308]])
    yield from (None, "text", b"bytes", 3, -1, 2.5, float("nan"), [], [[]], [[1], [2, 3]], {}, {"a": 1}, object(),
                range(2), 10**400, True, [None, 1], np.ma.masked_array([1.0, 2.0], [True, False]))


EXPECTED = (ValueError, TypeError, epsfree.Error, OverflowError, KeyError, AttributeError)


def surfaces(posterior, amortised, prior):
    return {
        "log_prob": lambda a: posterior.log_prob(a),
        "prior.log_prob": lambda a: prior.log_prob(a),
        "prior.contains": lambda a: prior.contains(a),
        "sample": lambda a: posterior.sample(a, seed=1) if np.size(a) < 3 and not (
            np.size(a) and np.asarray(a).dtype.kind in "fiu" and np.max(np.abs(np.nan_to_num(a))) > 99) else 0,
        "seed": lambda a: posterior.sample((2,), seed=a),
        "quantile": lambda a: posterior.quantile(a),
        "marginal": lambda a: posterior.marginal(a),
        "conditional": lambda a: posterior.conditional(mu=a),
        "named": lambda a: posterior.named(a),
        "at": lambda a: amortised.at(a),
        "sample_batched": lambda a: amortised.sample_batched((2,), a, seed=1),
        "append theta": lambda a: epsfree.NPE(prior).append_simulations(a, np.zeros((5, 2))),
        "append x": lambda a: epsfree.NPE(prior).append_simulations(np.zeros((5, 2)), a),
        "proposal": lambda a: epsfree.NPE(prior).append_simulations(np.zeros((5, 2)), np.zeros((5, 2)), proposal=a),
        "Uniform": lambda a: epsfree.Uniform(a, 3.0),
        "Gaussian": lambda a: epsfree.Gaussian(a, a),
        "LinearImage": lambda a: epsfree.LinearImage(prior, a, a),
        "observed": lambda a: epsfree.infer(gaussian, prior, a, num_simulations=10, batch=False),
        "names": lambda a: epsfree.Uniform([0, 0], 1, names=a),
        "simulate": lambda a: epsfree.models["mixture"].simulate(a),
        "combine": lambda a: epsfree.combine(a),
        "prior": lambda a: epsfree.as_prior(a),
        "option": lambda a: epsfree.infer("mixture", num_simulations=10, min_weight=a),
    }


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("seed", [1, 2])
def test_no_input_crashes(posterior, seed):
    prior = posterior.prior
    theta = prior.sample((60,), seed=1)
    amortised = epsfree.NPE(prior).append_simulations(theta, theta)
    amortised.train(num_steps=20)
    amortised = amortised.build_posterior()
    good = 0
    for name, call in surfaces(posterior, amortised, prior).items():
        for array in arrays(np.random.default_rng(seed)):
            try:
                call(array)
                good += 1
            except EXPECTED:
                pass
            except Exception as error:  # noqa: BLE001
                pytest.fail(f"{name} of {array!r} raised {type(error).__name__}: {error}")
    assert good > 50


@pytest.mark.filterwarnings("ignore")
def test_no_answer_of_a_simulator_crashes():
    prior = epsfree.Normal([0, 0], 1)
    for answer in arrays(np.random.default_rng(3)):
        for batch in (False, True, None):
            try:
                epsfree.infer(lambda theta, rng: answer, prior, [0.0, 1.0], num_simulations=30, batch=batch)
            except EXPECTED:
                pass


def test_layouts_do_not_change_numbers(posterior):
    theta = posterior.sample((6,), seed=1)
    expected = posterior.log_prob(theta)
    wide = np.repeat(theta, 3, axis=1)[:, ::3]
    for other in (np.asfortranarray(theta), wide, theta.astype(">f8"), theta.tolist(), theta[::-1][::-1]):
        assert (posterior.log_prob(other) == expected).all()
    assert np.allclose(posterior.log_prob(theta.astype("f4")), expected, atol=1e-4)
