"""Options that sbi has are honoured or refused, never ignored."""
import numpy as np
import pytest

import epsfree

PRIOR = epsfree.Uniform([-1, -1], [1, 1])
THETA = PRIOR.sample((400,), seed=1)
X = THETA + 0.3 * np.random.default_rng(1).normal(size=THETA.shape)


def npe(**options):
    return epsfree.NPE(PRIOR, **options).append_simulations(THETA, X)


def trained(**options):
    learner = npe()
    learner.train(**options)
    return learner.summary.rounds[-1]


def test_epochs_are_counted():
    assert trained(max_num_epochs=7, training_batch_size=50)["num_steps"] == 7 * 8
    assert trained(max_num_epochs=7, batch_size=50, validation_fraction=0.25)["num_steps"] == 7 * 6
    assert trained(max_num_epochs=3, batch_size=4000)["num_steps"] == 3


def test_stopping_after_epochs():
    """With a rate so small that nothing is gained beyond rounding, training stops after that many epochs."""
    few = trained(stop_after_epochs=3, max_num_epochs=500, learning_rate=0.5, training_batch_size=60, seed=1)
    assert few["stopped_because"] == "validation" and few["validation_loss"] is not None
    # 360 are left: 6 steps an epoch, and 500 epochs are checked every 15 steps.
    assert few["num_steps"] - few["best_step"] == 2 * 15
    many = trained(stop_after_epochs=30, max_num_epochs=500, learning_rate=0.5, training_batch_size=60, seed=1)
    assert many["num_steps"] - many["best_step"] == 12 * 15 or many["stopped_because"] == "steps"


def test_clipping_and_summary(capsys):
    learner = npe()
    learner.train(clip_max_norm=None, num_steps=20, show_train_summary=True)
    assert "400 simulations" in capsys.readouterr().out
    free = learner.build_posterior().at([0.0, 0.0]).mean()
    learner.train(clip_max_norm=1e-3, num_steps=20)
    assert (learner.build_posterior().at([0.0, 0.0]).mean() != free).any()
    assert capsys.readouterr().out == ""


def test_values_that_change_nothing_are_accepted():
    learner = npe(device="cpu", summary_writer=None, tracker=None)
    learner.train(num_steps=10, resume_training=False, force_first_round_loss=False, discard_prior_samples=False,
                  calibration_kernel=None, retrain_from_scratch=True, dataloader_kwargs=None)
    assert learner.build_posterior(prior=PRIOR, sample_with="direct").dim == 2


@pytest.mark.parametrize("call, message", [
    (lambda: npe(device="cuda"), "device is 'cuda', expected 'cpu'"),
    (lambda: npe(summary_writer=3), "summary_writer"),
    (lambda: npe().append_simulations(THETA, X, data_device="cuda"), "data_device"),
    (lambda: npe().train(resume_training=True), "resume_training is True, expected False: every training"),
    (lambda: npe().train(force_first_round_loss=True), "force_first_round_loss"),
    (lambda: npe().train(discard_prior_samples=True), "discard_prior_samples"),
    (lambda: npe().train(calibration_kernel=lambda x: x), "calibration_kernel"),
    (lambda: npe().train(retrain_from_scratch=False), "retrain_from_scratch"),
    (lambda: npe().train(dataloader_kwargs={"shuffle": False}), "dataloader_kwargs"),
    (lambda: npe().train(max_num_epochs=0), "max_num_epochs is 0, expected a whole number"),
    (lambda: npe().train(max_num_epochs=2.5), "max_num_epochs is 2.5"),
    (lambda: npe().train(max_num_epochs=2, num_steps=3), "max_num_epochs and num_steps"),
    (lambda: npe().train(stop_after_epochs=2, patience=3), "stop_after_epochs and patience"),
    (lambda: npe().train(stop_after_epochs=2, validation_fraction=0), "validation_fraction is 0"),
    (lambda: npe().train(network=3), "network is 3, expected a dictionary"),
    (lambda: npe().train(epochs=3), "no option 'epochs'.*max_num_epochs"),
    (lambda: npe(density_estimator="local").train(num_steps=3), "trains nothing, so num_steps has no effect"),
    (lambda: npe().build_posterior(sample_with="mcmc"), "sample_with is 'mcmc', expected 'direct'"),
    (lambda: npe().build_posterior(prior=epsfree.Uniform([-2, -2], [2, 2])), "prior is .*make a new NPE"),
    (lambda: npe().build_posterior(density_estimator=3), "density_estimator is int")])
def test_what_cannot_be_honoured_is_refused(call, message):
    with pytest.raises(epsfree.InputError, match=message):
        call()


def test_invalid_rows():
    x = X.copy()
    x[[3, 5]] = np.nan
    for exclude in (True, None):
        assert len(epsfree.NPE(PRIOR).append_simulations(THETA, x, exclude_invalid_x=exclude)) == 398
    with pytest.raises(epsfree.InputError, match=r"x\[3\].*2 of 400 rows.*exclude_invalid_x"):
        epsfree.NPE(PRIOR).append_simulations(THETA, x, exclude_invalid_x=False)
    assert len(epsfree.NPE(PRIOR).append_simulations(THETA, X, exclude_invalid_x=False)) == 400


def test_progress_bars(capsys):
    learner = npe(show_progress_bars=False)
    learner.train(num_steps=20)
    posterior = learner.build_posterior().set_default_x([0.0, 0.0])
    posterior.sample((10,), show_progress_bars=False)
    posterior.sample((10,))
    assert capsys.readouterr().err == ""
    posterior.sample((10,), show_progress_bars=True)
    assert "sampling" in capsys.readouterr().err
    posterior.sample_batched((10,), x=X[:3], show_progress_bars=True)
    assert "3/3" in capsys.readouterr().err
    posterior.at().map(show_progress_bars=True)
    assert "searching" in capsys.readouterr().err
    seen = []
    posterior.sample((10,), show_progress_bars=lambda event, **fields: seen.append((event, fields["done"])))
    assert seen == [("sampling", 0), ("sampling", 10)]
    with pytest.raises(TypeError, match="show_progress_bars"):
        posterior.log_prob([[0.0, 0.0]], show_progress_bars=True)


def test_sbis_default_of_epochs_is_no_limit():
    """It would otherwise plan a billion steps, with checks every five million."""
    round_ = trained(max_num_epochs=2**31 - 1, stop_after_epochs=20)
    assert 0 < round_["num_steps"] <= 5000
