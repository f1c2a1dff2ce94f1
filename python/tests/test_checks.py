"""Checks of answers, their report, and distances between samples."""
import json
import warnings

import numpy as np
import pytest

import epsfree


def simulator(theta, rng):
    data = rng.normal(theta[0], 1, size=20)
    return [data.mean(), data.std()]


PRIOR = epsfree.Normal(0, 5, names=["mu"])


def test_an_answer_in_memory_is_checked_on_request():
    # By default only by what needs no new simulations.
    given = epsfree.infer(simulator, PRIOR, [1.0, 1.0], num_simulations=300, seed=1).check
    assert given.verdict == "pass" and "support" in {d["name"] for d in given}
    assert "posterior-predictive" not in {d["name"] for d in given}
    posterior = epsfree.infer(simulator, PRIOR, [1.0, 1.0], num_simulations=300, seed=1, check=True)
    check = posterior.check
    assert check.verdict == "pass" and check
    assert {"posterior-predictive", "misspecification-prior", "support"} <= {d["name"] for d in check}
    assert check["posterior-predictive"].verdict == "pass"
    assert "verdict: pass" in repr(check)
    with pytest.raises(KeyError, match="posterior-predictive"):
        check["nothing"]


def test_data_that_the_simulator_cannot_produce_fail():
    with pytest.warns(epsfree.EpsfreeWarning, match="far outside"):
        posterior = epsfree.infer(simulator, PRIOR, [1.0, 40.0], num_simulations=300, seed=1, check=True)
    assert posterior.check.verdict == "fail"
    assert not posterior.check
    assert "check the observation" in repr(posterior.check)


def test_calibration_of_a_python_simulator():
    posterior = epsfree.infer(simulator, PRIOR, [1.0, 1.0], num_simulations=150, seed=1, sbc=10)
    assert posterior.check.record["repetitions"] == 10
    assert "sbc-ranks" in {d["name"] for d in posterior.check}


def test_the_same_as_the_program_in_a_run_directory(tmp_path):
    posterior = epsfree.infer("mixture", num_simulations=500, seed=3, directory=tmp_path / "run")
    assert (tmp_path / "run" / "report.html").read_text().startswith("<!DOCTYPE html>")
    assert posterior.check.verdict == "pass"
    again = epsfree.check(tmp_path / "run")
    record = json.loads((tmp_path / "run" / "check.json").read_text())
    assert again.record["diagnoses"] == record["diagnoses"]
    assert posterior.check.record["diagnoses"] == record["diagnoses"]
    assert epsfree.check(tmp_path / "run", sbc=10).record["repetitions"] == 10
    page = epsfree.report(tmp_path / "run", tmp_path / "page.html")
    assert page == str(tmp_path / "page.html") and "<svg" in (tmp_path / "page.html").read_text()


def test_not_where_it_is_not_wanted(tmp_path):
    posterior = epsfree.infer("mixture", num_simulations=300, directory=tmp_path / "run", check=False)
    # What needs no simulations is looked at all the same, and nothing is written.
    assert posterior.check.verdict == "pass"
    assert not (tmp_path / "run" / "check.json").exists()
    assert not (tmp_path / "run" / "report.html").exists()


def test_a_closure_is_checked_where_it_was_run(tmp_path):
    posterior = epsfree.infer(simulator, PRIOR, [1.0, 1.0], num_simulations=300, directory=tmp_path / "run")
    assert posterior.check.verdict == "pass"
    with pytest.raises(epsfree.Error, match="Python"):
        epsfree.check(tmp_path / "run")


def test_an_interruption_stops_a_check():
    class Stop(Exception):
        pass

    def watch(event, **fields):
        if event == "repetition":
            raise Stop

    with pytest.raises(Stop):
        epsfree.infer("mixture", num_simulations=300, sbc=50, progress=watch)


def test_distances_between_samples():
    rng = np.random.default_rng(1)
    a, b, c = rng.normal(size=(400, 2)), rng.normal(size=(400, 2)), rng.normal(3, 1, size=(400, 2))
    assert abs(epsfree.c2st(a, b) - 0.5) < 0.06 and epsfree.c2st(a, c) > 0.95
    assert epsfree.mmd(a, b).p_value > 0.01 > epsfree.mmd(a, c).p_value
    assert epsfree.sliced_wasserstein(a, c) == pytest.approx(3, rel=0.1)
    assert epsfree.sliced_wasserstein(a, b) < 0.3
    assert epsfree.compare(a, c).verdict == "fail"


@pytest.mark.parametrize("call, message", [
    (lambda: epsfree.c2st(np.zeros((5, 2)), np.zeros((5, 3))), r"\(5, 2\).*\(5, 3\)"),
    (lambda: epsfree.c2st(np.zeros((5, 2, 1)), np.zeros((5, 2))), "first has shape"),
    (lambda: epsfree.c2st(np.full((50, 2), np.nan), np.zeros((50, 2))), "nan|finite"),
    (lambda: epsfree.c2st(np.zeros((1, 2)), np.zeros((0, 2))), "at least 2"),
    (lambda: epsfree.mmd(np.zeros((0, 2)), np.zeros((0, 2))), "at least 2"),
    (lambda: epsfree.sliced_wasserstein(np.zeros((3, 0)), np.zeros((3, 0))), "at least 1"),
    (lambda: epsfree.infer("mixture", num_simulations=200, sbc=-1), "sbc is -1"),
    (lambda: epsfree.infer("mixture", num_simulations=200, sbc=3), "3"),
    (lambda: epsfree.infer("mixture", num_simulations=200, check="yes"), "check is 'yes'"),
    (lambda: epsfree.check("nowhere"), "nowhere"),
    (lambda: epsfree.report("nowhere"), "nowhere"),
])
def test_bad_input_is_said(call, message):
    with pytest.raises(epsfree.Error, match=message):
        call()


def test_every_answer_is_checked_and_says_when_it_does_not_pass():
    prior = epsfree.Uniform([-3, -3], [3, 3])
    theta_o = np.array([0.5, -0.5])

    def simulator(theta, rng):
        return theta + 0.3 * rng.normal(size=2)

    with warnings.catch_warnings():
        warnings.simplefilter("error")
        good = epsfree.infer(simulator, prior, theta_o, num_simulations=1000, seed=1)
    assert good.check.verdict == "pass"
    assert good.check.record["simulations"]["posterior"] == 0
    assert "checks" not in repr(good)
    with pytest.warns(epsfree.CheckWarning, match="did not pass its checks") as caught:
        # Its epsilon is far too large.
        bad = epsfree.infer(simulator, prior, theta_o, num_simulations=200, seed=1,
                            method="rejection-abc")
    own = [each for each in caught if issubclass(each.category, epsfree.CheckWarning)]
    assert [each.filename for each in own] == [__file__]
    assert bad.check.verdict != "pass"
    assert f"checks: {bad.check.verdict}" in repr(bad)
