"""Distributions with the names, attributes and supports of torch's and sbi's, without torch: what they are is
theirs to say, how they draw and what density they have is SciPy's."""
import numpy as np
import scipy.stats as stats


class _Constraint:
    is_discrete = False

    def __init__(self, **bounds):
        self.__dict__.update(bounds)


class _Interval(_Constraint):
    pass


class _GreaterThan(_Constraint):
    pass


class _Real(_Constraint):
    pass


class _IntegerGreaterThan(_Constraint):
    is_discrete = True


class _Cat(_Constraint):
    @property
    def is_discrete(self):
        return any(each.is_discrete for each in self.cseq)


class Distribution:
    """One number per parameter and density, as a batch of torch's."""
    positive = False

    def __init__(self, frozen, **attributes):
        self._frozen = frozen
        self.__dict__.update({name: np.asarray(item, dtype=np.float32) for name, item in attributes.items()})
        self.size = int(np.broadcast(*attributes.values()).size)

    @property
    def support(self):
        return _GreaterThan(lower_bound=0.0) if self.positive else _Real()

    def sample(self, shape=()):
        return self._frozen.rvs(size=tuple(shape) + (self.size,)).astype(np.float32)

    def log_prob(self, theta):
        return self._frozen.logpdf(theta)


class Uniform(Distribution):
    def __init__(self, low, high):
        super().__init__(stats.uniform(np.asarray(low), np.asarray(high) - np.asarray(low)), low=low, high=high)

    @property
    def support(self):
        return _Interval(lower_bound=self.low, upper_bound=self.high)


class Normal(Distribution):
    def __init__(self, loc, scale):
        super().__init__(stats.norm(loc, scale), loc=loc, scale=scale)


class LogNormal(Distribution):
    positive = True

    def __init__(self, loc, scale):
        super().__init__(stats.lognorm(scale, scale=np.exp(loc)), loc=loc, scale=scale)


class Gamma(Distribution):
    positive = True

    def __init__(self, concentration, rate):
        super().__init__(stats.gamma(concentration, scale=1 / np.asarray(rate)), concentration=concentration, rate=rate)


class Beta(Distribution):
    def __init__(self, concentration1, concentration0):
        super().__init__(stats.beta(concentration1, concentration0), concentration1=concentration1,
                         concentration0=concentration0)

    @property
    def support(self):
        return _Interval(lower_bound=0.0, upper_bound=1.0)


class Exponential(Distribution):
    positive = True

    def __init__(self, rate):
        super().__init__(stats.expon(scale=1 / np.asarray(rate)), rate=rate)

    def log_prob(self, theta):  # as torch has it without validate_args: finite where it should be -inf
        return np.log(self.rate) - self.rate * theta


class HalfNormal(Distribution):
    positive = True

    def __init__(self, scale):
        super().__init__(stats.halfnorm(scale=scale), scale=scale)


class Weibull(Distribution):
    """A family that the library does not have; its density does not end where its support does."""
    positive = True

    def __init__(self, scale, concentration):
        super().__init__(stats.weibull_min(concentration, scale=scale), scale=scale, concentration=concentration)

    def log_prob(self, theta):
        ratio = np.abs(theta) / self.scale
        return np.log(self.concentration / self.scale) + (self.concentration - 1) * np.log(ratio) - (
            ratio ** self.concentration)


class Poisson(Distribution):
    def __init__(self, rate):
        super().__init__(stats.poisson(rate), rate=rate)

    @property
    def support(self):
        return _IntegerGreaterThan(lower_bound=0)

    def log_prob(self, theta):
        return self._frozen.logpmf(theta)


class Independent:
    """The parameters of a batch as one event."""

    def __init__(self, base_dist, reinterpreted_batch_ndims):
        self.base_dist, self.size = base_dist, base_dist.size

    @property
    def support(self):
        return _Constraint(base_constraint=self.base_dist.support, is_discrete=self.base_dist.support.is_discrete)

    def sample(self, shape=()):
        return self.base_dist.sample(shape)

    def log_prob(self, theta):
        return self.base_dist.log_prob(theta).sum(-1)


class BoxUniform(Independent):
    def __init__(self, low, high):
        super().__init__(Uniform(low, high), 1)


class MultipleIndependent:
    def __init__(self, dists):
        self.dists = dists
        self.size = sum(each.size for each in dists)

    @property
    def support(self):
        return _Cat(cseq=[each.support for each in self.dists], lengths=[each.size for each in self.dists])

    def sample(self, shape=()):
        return np.concatenate([each.sample(shape) for each in self.dists], axis=-1)

    def log_prob(self, theta):
        total, at = 0, 0
        for each in self.dists:
            values = each.log_prob(theta[:, at:at + each.size])
            total = total + (values.sum(1) if np.ndim(values) > 1 else values)
            at += each.size
        return total


class MultivariateNormal:
    def __init__(self, loc, covariance_matrix):
        self.loc, self.covariance_matrix = np.asarray(loc, np.float32), np.asarray(covariance_matrix, np.float32)
        self.size = len(self.loc)
        self._frozen = stats.multivariate_normal(loc, covariance_matrix)
        self.support = _Real()

    def sample(self, shape=()):
        return self._frozen.rvs(size=tuple(shape))

    def log_prob(self, theta):
        return self._frozen.logpdf(theta)


class Dirichlet:
    def __init__(self, concentration):
        self.concentration = np.asarray(concentration, np.float32)

    def sample(self, shape=()):
        return np.random.dirichlet(self.concentration, size=tuple(shape)).astype(np.float32)

    def log_prob(self, theta):
        theta = np.asarray(theta, float)
        return stats.dirichlet(self.concentration).logpdf((theta / theta.sum(-1, keepdims=True)).T)
