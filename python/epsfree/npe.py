"""Neural posterior estimation step by step, in the words that users of `sbi` know."""
from __future__ import annotations

import copy
import json
from typing import Any, Sequence

import numpy as np

from . import _core, display
from .arguments import speaking_of_arguments
from .arrays import checked_names, checked_seed, table, rows
from .errors import InputError
from .estimator import AmortisedPosterior, Estimator
from .infer import _At, _method
from .kinds import Numbers, PriorLike, Seed, Watch
from .posterior import Posterior
from .priors import Prior, as_prior
from .progress import Progress
from .reweighted import ReweightedPosterior
from .sbi_options import NETWORK, is_clearly_better, may_be_plain, only, training_options
from .simplex_posterior import SimplexPosterior
from .simulation_set import SimulationSet
from .summary import Summary


class NPE:
    """Learns posteriors from simulations that you make.

    `density_estimator` is "network", a mixture density network that is trained once and holds for any
    observation, or "local", the library's default method, which fits the simulations anew at each
    observation: slower to ask and more accurate, above all with few simulations and over rounds.

    >>> import numpy as np, epsfree
    >>> rng = np.random.default_rng(1)
    >>> prior = epsfree.Uniform([-3, -3], [3, 3])
    >>> theta = prior.sample((400,), seed=1)
    >>> x = theta + 0.3 * rng.normal(size=theta.shape)
    >>> npe = epsfree.NPE(prior, density_estimator="local").append_simulations(theta, x)
    >>> posterior = npe.build_posterior().set_default_x([0.5, -0.5])
    >>> bool(np.abs(posterior.mean() - [0.5, -0.5]).max() < 0.2)
    True

    A second round, from where the first points to:

    >>> proposal = posterior.at()
    >>> theta = proposal.sample((200,), seed=2)
    >>> x = theta + 0.3 * rng.normal(size=theta.shape)
    >>> posterior = npe.append_simulations(theta, x, proposal=proposal).build_posterior()
    >>> posterior.sample((10,), x=[0.5, -0.5], seed=1).shape
    (10, 2)
    """

    def __init__(self, prior: PriorLike, density_estimator: str = "network", seed: Seed = 1,
                 names: Sequence[str] | None = None, show_progress_bars: Watch = None,
                 device: str = "cpu", summary_writer: None = None, tracker: None = None) -> None:
        only("NPE", "device", str(device), "cpu", "training runs on the CPU")
        only("NPE", "summary_writer", summary_writer, None, "`summary` has the history of the training")
        only("NPE", "tracker", tracker, None, "`summary` has the history of the training")
        if density_estimator not in ("network", "local", "mdn", "maf", "nsf"):
            raise InputError(f"density_estimator is {density_estimator!r}, expected \"network\" or "
                             "\"local\"")
        if density_estimator in ("maf", "nsf"):
            raise InputError(f"density_estimator is {density_estimator!r}: there are no flows here; "
                             "expected \"network\" (a mixture density network) or \"local\"")
        self.prior = as_prior(prior, names)
        self._given_prior = prior
        self.names: list[str] = checked_names(names, self.prior.dim) or self.prior.names or []
        self._local = density_estimator == "local"
        self._seed = checked_seed(seed)
        self._progress = show_progress_bars
        if self.prior.kind == "custom" and self._local:
            raise InputError("density_estimator \"local\" needs a prior of the library's families")
        self._set = SimulationSet(self.prior._inner)
        self._estimator: Estimator | None = None
        #: What the last training did, or None.
        self.summary: Summary | None = None

    def __len__(self) -> int:
        return len(self._set)

    def __getstate__(self):
        # What the prior was given as may need torch to be read again; what it became does not.
        return dict(self.__dict__, _given_prior=None)

    def __copy__(self) -> NPE:
        other = type(self).__new__(type(self))
        other.__dict__.update(self.__dict__, _set=copy.copy(self._set))  # simulations may be added to either
        return other

    def __repr__(self):
        kind = "local" if self._local else "network" if self._estimator is None else "trained network"
        return f"<epsfree.NPE of kind {kind!r} with {len(self)} simulations under {self.prior!r}>"

    def _repr_html_(self) -> str:
        kind = "local" if self._local else "network"
        trained = "nothing to train" if self._local else "yes" if self._estimator is not None else "no"
        return display.table("NPE", [("density estimator", kind), ("simulations", len(self)),
                                     ("trained", trained), ("prior", repr(self.prior))])

    def append_simulations(self, theta: Numbers, x: Numbers,
                           proposal: Posterior | AmortisedPosterior | Prior | None = None,
                           exclude_invalid_x: bool | None = True, data_device: str | None = None) -> NPE:
        """Adds simulations: theta and x in rows. `proposal` is the posterior that theta was drawn from;
        None: the prior. Rows of x that are not finite are invalid and left out; with
        `exclude_invalid_x=False` they are an error. Returns itself."""
        only("append_simulations", "data_device", data_device or "cpu", "cpu", "simulations are kept in "
                                                                               "main memory")
        theta = rows(theta, "theta", self.prior.dim)
        x = table(x, "x")
        if len(x) != len(theta):
            raise InputError(f"x has shape {x.shape}, expected ({len(theta)}, number of statistics) "
                             f"for theta of shape {theta.shape}")
        invalid = np.flatnonzero(~np.isfinite(x).all(axis=1))
        if exclude_invalid_x is False and len(invalid):
            raise InputError(f"x[{invalid[0]}] is {x[invalid[0]].tolist()}, which is not finite ("
                             f"{len(invalid)} of {len(x)} rows are not), so it cannot be used for training; "
                             "leave exclude_invalid_x out, or give finite numbers")
        if proposal is self.prior or proposal is self._given_prior:
            proposal = None
        if isinstance(proposal, AmortisedPosterior):
            proposal = proposal.at()
        if proposal is not None and not isinstance(proposal, Posterior):
            raise InputError(f"proposal is {type(proposal).__name__}, expected a posterior of epsfree "
                             "or None for the prior")
        if proposal is not None and self.prior.kind == "custom":
            raise InputError("append_simulations: proposals need a prior of the library's families")
        if isinstance(proposal, ReweightedPosterior):
            raise InputError("proposal: a reweighted posterior cannot be one; use its `reference`")
        if isinstance(proposal, SimplexPosterior):
            proposal = proposal.sticks
        usable = self.prior._usable(theta)
        if usable is not None and not usable.all():
            i = int(np.flatnonzero(~usable)[0])
            raise InputError(f"theta[{i}] is {theta[i].tolist()}, which is outside the prior's support; "
                             "expected draws from the prior")
        self._set.add(self.prior._to_inner(theta), x, None if proposal is None else proposal._core)
        self._estimator = None
        return self

    def train(self, seed: Seed = None, **options: Any) -> Estimator | None:
        """Trains the network on all simulations and returns it, an :class:`Estimator`; with
        density_estimator="local" there is nothing to train and None is returned.

        `options` are keys of [method.training] (`num_steps`, `batch_size`, `learning_rate`, ...) or
        whole groups: ``network={"num_components": 8}``. sbi's names also work:
        `training_batch_size`, `max_num_epochs`, `clip_max_norm`, and `stop_after_epochs`, which holds out a
        tenth of the simulations unless `validation_fraction` is given. An option that cannot be
        followed here is an error.

        Held-out simulations decide when to stop. They also choose the network: a plain one if it predicts
        them clearly better than the Bayesian one. ``network={"variational": True}`` trains only the
        Bayesian one.
        """
        if seed is not None:
            self._seed = checked_seed(seed)
        if self._local:
            if options:
                raise InputError(f"train: density_estimator=\"local\" trains nothing, so {next(iter(options))} "
                                 "has no effect; leave it out, or use density_estimator=\"network\"")
            return None
        show_summary = options.pop("show_train_summary", False)
        groups = training_options(options, len(self))
        self._estimator, self.summary = self._trained(groups)
        if may_be_plain(groups):
            # Stopping early keeps a plain network from overfitting, and the Bayesian one's prior may cost
            # it components that the simulations would support: those held out say which is better.
            plain = self._trained(dict(groups, network=dict(groups["network"], variational=False)))
            if is_clearly_better(plain[1], self.summary, len(self) * groups["training"]["validation_fraction"]):
                self._estimator, self.summary = plain
        if show_summary:
            print(self.summary)
        return self._estimator

    def _trained(self, groups):
        """A network and the summary of its training."""
        with speaking_of_arguments("train", "training"), Progress(self._progress) as watch:
            result = _core.infer_from(self._set.core, np.empty(0), self.names[:self.prior._inner.dim],
                                      _method(dict(groups, name=NETWORK)), self._seed, watch)
        return (Estimator(result.estimator, self.prior, learnt=True),
                Summary(json.loads(result.summary())))

    def build_posterior(self, density_estimator: Estimator | None = None, prior: PriorLike = None,
                        sample_with: str = "direct") -> AmortisedPosterior:
        """The posterior for any observation: `.set_default_x(x)`, `.sample((1000,), x=x)`, ...

        `density_estimator` is one that :meth:`train` returned; None: the last. Posteriors are sampled
        directly, under the prior that they were learnt with.
        """
        only("build_posterior", "sample_with", sample_with, "direct", "posteriors are mixtures, which are "
                                                                     "sampled exactly")
        if prior is not None and prior is not self._given_prior and as_prior(prior) != self.prior:
            raise InputError(f"build_posterior: prior is {prior!r}, expected {self.prior!r}, which the "
                             "simulations were added under; make a new NPE for another prior")
        if density_estimator is not None and not isinstance(density_estimator, Estimator):
            raise InputError(f"build_posterior: density_estimator is {type(density_estimator).__name__}, "
                             "expected what train() returned")
        if density_estimator is not None:
            at, estimator = _At(density_estimator), density_estimator
        elif self._local:
            at, estimator = _LocalFit(self._set, self.prior, self.names, self._seed, self._progress), None
        else:
            if self._estimator is None:
                self.train()
            at, estimator = _At(self._estimator), self._estimator
        if not len(self._set):
            raise InputError("build_posterior: there are no simulations; call append_simulations first")
        names = self.names or [f"theta{i + 1}" for i in range(self.prior.dim)]
        return AmortisedPosterior(at, self._set.num_statistics, names, estimator=estimator,
                                  summary=self.summary)


class _LocalFit:
    """The default method's fit to given simulations, at x."""

    def __init__(self, simulations, prior, names, seed, progress):
        self._simulations = simulations
        self._prior = prior
        self._names = names[:prior._inner.dim]
        self._seed = seed
        self._progress = progress

    def __call__(self, x):
        with Progress(self._progress) as watch:
            result = _core.infer_from(self._simulations.core, x, self._names, _method({"name": "auto"}),
                                      self._seed, watch)
        plain = Posterior(result.posterior, prior=self._prior._inner, summary=result.summary, observed=x)
        return self._prior._answer(plain, learnt=False, summary=result.summary, observed=x)
