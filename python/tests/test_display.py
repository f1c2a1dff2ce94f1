"""What objects say of themselves: repr, tables for notebooks, dir(), types and messages."""
import inspect
import re

import numpy as np
import pytest

import epsfree
from conftest import OBSERVED, gaussian, gaussian_batch

PRIOR = epsfree.Independent({"mu": epsfree.Normal(0, 2), "log_sigma": epsfree.Uniform(-2, 2)})
#: Classes that users do not get objects of, or get as exceptions.
WITHOUT = {"CheckWarning", "EpsfreeWarning", "Error", "FileError", "InputError", "Interrupted", "StoppedError"}


class Disc:
    def sample(self, count, rng):
        angle, radius = rng.uniform(0, 2 * np.pi, count), np.sqrt(rng.uniform(0, 1, count))
        return np.column_stack([radius * np.cos(angle), radius * np.sin(angle)])

    def log_prob(self, theta):
        return np.where((theta ** 2).sum(1) < 1, -np.log(np.pi), -np.inf)


@pytest.fixture(scope="module")
def objects(posterior):
    """One of each public class, by its name."""
    theta = PRIOR.sample((200,), seed=1)
    npe = epsfree.NPE(PRIOR).append_simulations(theta, gaussian_batch(theta, np.random.default_rng(1)))
    estimator = npe.train(num_steps=50)
    check = epsfree.compare(theta, theta + 1)
    found = [posterior, posterior.summary, npe, estimator, npe.build_posterior(), check, check.diagnoses[0],
             epsfree.methods(), epsfree.methods()["smc-abc"], epsfree.methods()["smc-abc"].options["smc.quantile"],
             epsfree.models["mixture"], epsfree.models, epsfree.mmd(theta, theta, num_permutations=10),
             epsfree.CustomPrior(Disc()), epsfree.Dirichlet([1, 2]), PRIOR, epsfree.models["mixture"].prior,
             epsfree.Uniform(0, 1), epsfree.Normal(0, 1), epsfree.LogUniform(1, 2), epsfree.LogNormal(0, 1),
             epsfree.Exponential(1), epsfree.Gamma(1, 1), epsfree.Beta(1, 1), epsfree.HalfNormal(1),
             epsfree.TruncatedNormal(0, 1, 0, 1), epsfree.Gaussian([0, 0], np.eye(2)),
             epsfree.LinearImage(epsfree.Gamma(2, 1), [[2.0]])]
    found.append(epsfree.combine([posterior, posterior]).combination)
    found.append(epsfree.calibrate(theta[:100], theta[:100], lambda x, n: PRIOR.sample((n,), seed=1), num_posterior_samples=49))
    return {type(item).__name__: item for item in found}


def test_every_class_has_one(objects):
    classes = {name for name in epsfree.__all__ if inspect.isclass(getattr(epsfree, name))}
    assert classes - WITHOUT <= set(objects)


def test_everything_shows_itself(objects):
    for name, item in objects.items():
        assert not re.search(r"object at 0x", repr(item).replace(repr(getattr(item, "source", None)), "")), name
        html = item._repr_html_()
        assert html.startswith("<table>") and html.count("<t") >= 3, name
        assert html.count("<td>") == html.count("</td>"), name
    assert "mu" in objects["Posterior"]._repr_html_() and "97.5%" in objects["Posterior"]._repr_html_()
    assert "200 simulations" in repr(objects["NPE"])


def test_tables_escape_what_they_show():
    prior = epsfree.Normal(0, 1, names=["<script>"])
    assert "<script>" not in prior._repr_html_() and "&lt;script&gt;" in prior._repr_html_()


def test_dir_is_complete(objects, posterior):
    """All that a posterior can do can be asked of one for any observation, and dir() says so."""
    public = {name for name in dir(posterior) if not name.startswith("_")}
    assert public <= set(dir(objects["AmortisedPosterior"]))
    for item in objects.values():
        for name in vars(item) if hasattr(item, "__dict__") else ():
            assert name in dir(item)


def test_types_of_public_attributes(objects, tmp_path):
    """A type checker knows what each attribute and each result is."""
    pytest.importorskip("mypy")
    from test_documents import mypy_of
    lines, asked = ["import epsfree"], {}
    for name, item in objects.items():
        if name not in epsfree.__all__:
            continue
        lines.append(f"def of_{name}(item: epsfree.{name}) -> None:")
        for key in dir(item):
            # The types of pandas and ArviZ are theirs to give.
            if key.startswith("_") or key in dir(dict) or key in dir(tuple) or key in ("to_arviz", "to_dataframe"):
                continue
            lines.append(f"    reveal_type(item.{key})")
            asked[len(lines)] = f"{name}.{key}"
        lines.append("    pass")
    for key in epsfree.__all__:
        if inspect.isfunction(getattr(epsfree, key)) or key == "models":
            lines.append(f"reveal_type(epsfree.{key})")
            asked[len(lines)] = key
    answers = dict(re.findall(r'script\.py:(\d+): note: Revealed type is "(.*)"', mypy_of("\n".join(lines), tmp_path)))
    assert len(asked) > 150 and {str(number) for number in asked} == set(answers)
    vague = [f"{asked[int(number)]}: {answer}" for number, answer in answers.items()
             if answer == "Any" or answer.endswith("-> Any") or re.search(r"Union\[[^\]]*\bAny\b|\bAny \||\| Any\b", answer)]
    assert vague == []


NPE = epsfree.NPE(epsfree.Normal(0, 1)).append_simulations(np.zeros((50, 1)), np.zeros((50, 1)))


@pytest.mark.parametrize("call, message", [
    (lambda: epsfree.Uniform([0, 1], [1, 0]), r"^Uniform: parameter 2: low = 1 must be less than high = 0$"),
    (lambda: epsfree.Normal(float("nan"), 1), r"^Normal: mean of parameter 1: expected a finite number"),
    (lambda: epsfree.Gaussian([0, 0], -np.eye(2)), r"^Gaussian: covariance: the covariance is not positive"),
    (lambda: epsfree.LinearImage(epsfree.Normal(0, 1), [[0.0]]), r"^LinearImage: matrix: it is not invertible$"),
    (lambda: epsfree.infer(gaussian, PRIOR, OBSERVED, method="autoo"), r"^infer: method: got \"autoo\", expected one"),
    (lambda: epsfree.infer(gaussian, PRIOR, OBSERVED, num_simulations=-3), r"^infer: num_simulations is -3; it must"),
    (lambda: epsfree.infer(gaussian, PRIOR, OBSERVED, num_simulation=50), r"^infer: num_simulation: there is no such opt"),
    (lambda: epsfree.infer(gaussian, PRIOR, OBSERVED, training={"num_steps": -3}, method="mdn-with-prior"),
     r"^infer: training\[\"num_steps\"\] is -3"),
    (lambda: epsfree.infer(gaussian, PRIOR, OBSERVED, training=3, method="mdn-with-prior"),
     r"^infer: training: expected a dictionary"),
    (lambda: epsfree.infer(gaussian, PRIOR, OBSERVED, training={"num_steps": 3}),
     r'^infer: training is not for the method "auto"; the methods "mdn-with-prior", "mdn-with-proposal" have it$'),
    (lambda: epsfree.infer(gaussian, PRIOR, OBSERVED, abc={"distance": "mad"}),
     r'^infer: abc is not for the method "auto"; the methods "rejection-abc", "mcmc-abc", "smc-abc" have it$'),
    (lambda: epsfree.infer(gaussian, PRIOR, OBSERVED, training={"num_steps": object()}), r"^training.num_steps: <object"),
    (lambda: epsfree.infer(gaussian, PRIOR, OBSERVED, method="smc-abc", distance="foo"), r"^infer: distance: got \"foo\""),
    (lambda: epsfree.infer(gaussian, PRIOR, OBSERVED, **{"a b": 3}), r"no such option"),
    (lambda: epsfree.infer(gaussian, PRIOR, OBSERVED, statistic_names=["a"]), r"^statistic_names is \['a'\], expected 2"),
    (lambda: epsfree.infer(gaussian, PRIOR, OBSERVED, names=["a", "a"]), r"^names is .* expected each name once"),
    (lambda: epsfree.infer("mixture", epsfree.Uniform([0, 0], [1, 1])), r"^prior has 2 parameters, expected 1"),
    (lambda: NPE.train(num_steps=-3), r"^train: num_steps is -3; it must"),
    (lambda: NPE.train(learning_rate="a"), r"^train: learning_rate: expected a number"),
    (lambda: NPE.train(network={"num_component": 3}), r"^train: network\[\"num_component\"\]: there is no such option")])
def test_messages_speak_of_arguments(call, message):
    with pytest.raises(epsfree.InputError, match=message) as caught:
        call()
    assert not re.search(r":\d+:|key '|TOML|problem file", str(caught.value))
