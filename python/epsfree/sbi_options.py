"""Options of `sbi`: each one is used under the library's own name or refused with the reason. None is ignored."""
from __future__ import annotations

import math

from .errors import InputError
from .method_table import methods

#: The method that learns a network from given simulations.
NETWORK = "mdn-with-prior"
_NUM_CHECKS = 200  # the library checks the held-out loss every epoch, but at most this often
_PATIENCE = 60  # checks without gain: mixtures find a further component after long plateaus
_HELD_OUT = 0.1  # sbi's own, where training is to stop early
#: Options that sbi gives another name.
_RENAMED = {"training_batch_size": "batch_size", "clip_max_norm": "gradient_clip"}
#: Groups of the library's options that are dictionaries.
_GROUPS = ("training", "network")
#: Options of sbi's `train` that can only have one value here, and why.
_FIXED = {
    "resume_training": (False, "every training starts from scratch; raise num_steps or max_num_epochs"),
    "force_first_round_loss": (False, "simulations from proposals are weighted by prior over proposals; leave "
                                      "proposal out in append_simulations to treat them as draws of the prior"),
    "discard_prior_samples": (False, "all simulations are used; make a new NPE with those that you want"),
    "calibration_kernel": (None, "simulations cannot be weighted by a kernel; density_estimator=\"local\" "
                                 "fits those near the observation"),
    "retrain_from_scratch": (True, "every training starts from scratch"),
}


def only(function: str, name: str, value: object, allowed: object, reason: str) -> None:
    """Refuses an option that can only have the value `allowed`."""
    if value is not allowed and value != allowed:
        raise InputError(f"{function}: {name} is {value!r}, expected {allowed!r}: {reason}")


def _whole(name, value):
    if isinstance(value, bool) or not hasattr(value, "__index__") or value < 1:
        raise InputError(f"train: {name} is {value!r}, expected a whole number, at least 1")
    return int(value)


def training_options(options, num_simulations):
    """Groups of the library's options from the arguments of `train`."""
    method = methods()[NETWORK]
    defaults = method._defaults("training")
    groups = {"training": {}, "network": {"num_components": 8}}
    epochs = {}
    for key, item in options.items():
        if key in _FIXED:
            only("train", key, item, *_FIXED[key])
        elif key == "dataloader_kwargs":
            only("train", key, item or None, None, "there is no data loader; batch_size sets how many "
                                                   "simulations a step takes")
        elif key in ("max_num_epochs", "stop_after_epochs"):
            epochs[key] = _whole(key, item)
        elif key in _GROUPS:
            if not isinstance(item, dict):
                raise InputError(f"train: {key} is {item!r}, expected a dictionary")
            groups[key].update(item)
        elif key in method._defaults(""):
            groups[key] = item
        elif _RENAMED.get(key, key) in defaults:
            groups["training"][_RENAMED.get(key, key)] = 0 if item is None else item
        else:
            raise InputError(f"train: there is no option {key!r}; there are "
                             f"{', '.join(defaults)}, max_num_epochs, stop_after_epochs, network={{...}}")
    if epochs:
        _count_epochs(groups["training"], defaults, num_simulations, **epochs)
    if groups["training"].get("validation_fraction", 0) > 0:
        groups["training"].setdefault("patience", _PATIENCE)
    return groups


def _count_epochs(training, defaults, num_simulations, max_num_epochs=None, stop_after_epochs=None):
    """Epochs as steps and checks, which the library counts in."""
    if max_num_epochs is not None and "num_steps" in training:
        raise InputError("train: max_num_epochs and num_steps both say when to stop; give one of them")
    if stop_after_epochs is not None and "patience" in training:
        raise InputError("train: stop_after_epochs and patience both say when to stop; give one of them")
    if stop_after_epochs is not None:
        training.setdefault("validation_fraction", _HELD_OUT)
        if training["validation_fraction"] == 0:
            raise InputError("train: stop_after_epochs needs held-out simulations, but validation_fraction "
                             "is 0; give a value above 0, or leave it out")
    held_out = math.floor(training.get("validation_fraction", 0) * num_simulations + 0.5)
    left = max(num_simulations - held_out, 1)
    per_epoch = left // min(int(training.get("batch_size", defaults["batch_size"])), left)
    if max_num_epochs is not None:
        # A limit, as in sbi, whose default is no limit at all. The learning rate falls to zero at the planned
        # end, so a plan that is far too long would never learn to the end.
        longest = max(int(defaults["num_steps"]), _NUM_CHECKS * per_epoch)
        training["num_steps"] = min(max_num_epochs * per_epoch, longest)
    if stop_after_epochs is not None:
        window = math.ceil(int(training.get("num_steps", defaults["num_steps"])) / _NUM_CHECKS)
        training["patience"] = math.ceil(stop_after_epochs * per_epoch / max(per_epoch, window))


def may_be_plain(groups):
    """Whether the simulations held out may choose between a Bayesian and a plain network."""
    return groups["training"].get("validation_fraction", 0) > 0 and "variational" not in groups["network"]


def is_clearly_better(summary, other, num_held_out):
    """Whether one training predicts the held-out simulations better than another by more than chance: by two
    standard errors of the mean, if the differences have a standard deviation of about one."""
    losses = [each.rounds[-1]["validation_loss"] for each in (summary, other)]
    if any(loss is None for loss in losses):
        return False
    return bool(losses[0] < losses[1] - 2 / math.sqrt(max(num_held_out, 1)))
