"""Neural posterior estimation step by step, in the words that users of `sbi` know."""
from __future__ import annotations

from typing import Any, Sequence

import numpy as np

from . import _core
from .arrays import checked_names, checked_seed, table, rows
from .errors import InputError
from .estimator import AmortisedPosterior, Estimator
from .infer import _At, _method
from .kinds import Numbers, PriorLike, Seed, Watch
from .posterior import Posterior
from .priors import Prior, as_prior
from .progress import Progress
from .reweighted import ReweightedPosterior
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
                 names: Sequence[str] | None = None, show_progress_bars: Watch = None) -> None:
        if density_estimator not in ("network", "local", "mdn", "maf", "nsf"):
            raise InputError(f"density_estimator is {density_estimator!r}, expected \"network\" or "
                             "\"local\"")
        if density_estimator in ("maf", "nsf"):
            raise InputError(f"density_estimator is {density_estimator!r}: there are no flows here; "
                             "expected \"network\" (a mixture density network) or \"local\"")
        self.prior = as_prior(prior, names)
        self.names = checked_names(names, self.prior.dim) or self.prior.names or []
        self._local = density_estimator == "local"
        self._seed = checked_seed(seed)
        self._progress = show_progress_bars
        custom = self.prior.kind == "custom"
        if custom and self._local:
            raise InputError("density_estimator \"local\" needs a prior of the library's families")
        # A network that is trained on draws of the prior has learnt it: the reference only says what
        # the coordinates are.
        self._library_prior = self.prior.reference if custom else self.prior
        self._set = _core.SimulationSet(self._library_prior._core)
        self._estimator = None
        self.summary = None

    def __len__(self) -> int:
        return len(self._set)

    def append_simulations(self, theta: Numbers, x: Numbers,
                           proposal: Posterior | AmortisedPosterior | Prior | None = None,
                           exclude_invalid_x: bool = True) -> NPE:
        """Adds simulations: theta and x in rows. `proposal` is the posterior that theta was drawn from;
        None: the prior. Rows of x that are not finite are invalid and left out. Returns itself."""
        theta = rows(theta, "theta", self.prior.dim)
        x = table(x, "x")
        if len(x) != len(theta):
            raise InputError(f"x has shape {x.shape}, expected ({len(theta)}, number of statistics) "
                             f"for theta of shape {theta.shape}")
        if proposal is self.prior:
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
        self._set.add(theta, x, None if proposal is None else proposal._core)
        self._estimator = None
        return self

    def train(self, seed: Seed = None, **options: Any) -> Estimator | None:
        """Trains the network on all simulations and returns it, an :class:`Estimator`; with
        density_estimator="local" there is nothing to train and None is returned.

        `options` are keys of [method.training] (`num_steps`, `batch_size`, `learning_rate`, ...) or
        whole groups: ``network={"num_components": 8}``.
        """
        if seed is not None:
            self._seed = checked_seed(seed)
        renamed = {"training_batch_size": "batch_size"}
        groups = {"training": {}, "network": {"num_components": 8}}
        for key, item in options.items():
            key = renamed.get(key, key)
            if isinstance(item, dict):
                groups.setdefault(key, {}).update(item)
            elif key in ("min_weight", "standardise_parameters"):
                groups[key] = item
            else:
                groups["training"][key] = item
        if self._local:
            return None
        with Progress(self._progress) as watch:
            result = _core.infer_from(self._set, np.empty(0), self.names,
                                      _method(dict(groups, name="mdn-with-prior")), self._seed, watch)
        self._estimator = Estimator(result.estimator)
        import json
        self.summary = Summary(json.loads(result.summary()))
        return self._estimator

    def build_posterior(self, density_estimator: Estimator | None = None,
                        prior: PriorLike = None) -> AmortisedPosterior:
        """The posterior for any observation: `.set_default_x(x)`, `.sample((1000,), x=x)`, ..."""
        if density_estimator is not None:
            at, estimator = _At(density_estimator), density_estimator
        elif self._local:
            at, estimator = _LocalFit(self._set, self.names, self._seed, self._progress), None
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

    def __init__(self, simulations, names, seed, progress):
        self._simulations = simulations
        self._names = names
        self._seed = seed
        self._progress = progress

    def __call__(self, x):
        with Progress(self._progress) as watch:
            result = _core.infer_from(self._simulations, x, self._names, _method({"name": "auto"}),
                                      self._seed, watch)
        return Posterior(result.posterior, summary=result.summary, observed=x)
