#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <chrono>

#include "epsfree/error.hpp"
#include "epsfree/posterior_algebra.hpp"
#include "python/src/arrays.hpp"
#include "python/src/bindings.hpp"
#include "python/src/handles.hpp"
#include "python/src/interruptible.hpp"
#include "run/open_run.hpp"

namespace epsfree::python {
namespace {

using Indices = std::vector<Index>;

const TruncatedMixture& mixture_of(const PosteriorHandle& self) {
  const TruncatedMixture* mixture = self.posterior->mixture();
  if (mixture != nullptr) return *mixture;
  throw Error(ErrorKind::usage, "mixture: this posterior is of kind \"" + self.posterior->kind() +
                                    "\", not a mixture of Gaussians");
}

NumpyMatrix sample(const PosteriorHandle& self, Index count, std::uint64_t seed) {
  return rows(interruptible([&] {
    // As `epsfree sample --seed` draws.
    Stream stream(seed, {.purpose = Purpose::posterior_sample});
    return self.posterior->sample(count, stream);
  }));
}

NumpyVector log_prob(const PosteriorHandle& self, const Rows& thetas) {
  const auto points = columns(thetas);
  return array(interruptible([&] {
    Eigen::VectorXd result(points.cols());
    for (Index i = 0; i < points.cols(); ++i) {
      check_interruption();
      const auto theta = points.col(i);
      result[i] = theta.allFinite() ? self.posterior->log_prob(theta)
                                    : -std::numeric_limits<double>::infinity();
    }
    return result;
  }));
}

NumpyMatrix quantile(const PosteriorHandle& self, const Values& probabilities) {
  const auto p = vector(probabilities);
  return rows(interruptible([&] {
    Eigen::MatrixXd result(self.posterior->dim(), p.size());
    for (Index j = 0; j < p.size(); ++j) {
      for (Index i = 0; i < result.rows(); ++i) {
        check_interruption();
        result(i, j) = self.posterior->quantile(i, p[j]);
      }
    }
    return result;
  }));
}

/// Weights, means in rows, and the covariances below each other.
std::tuple<NumpyVector, NumpyMatrix, NumpyMatrix> components(const PosteriorHandle& self) {
  const GaussianMixture& mixture = mixture_of(self).mixture();
  const Index K = mixture.num_components(), dim = mixture.dim();
  Eigen::MatrixXd means(dim, K), covariances(dim * dim, K);
  for (Index k = 0; k < K; ++k) {
    means.col(k) = mixture.component(k).mean();
    covariances.col(k) = mixture.component(k).covariance().reshaped();
  }
  return {array(mixture.weights()), rows(std::move(means)), rows(std::move(covariances))};
}

/// Points with their weights, of a posterior that is samples.
std::tuple<NumpyMatrix, NumpyVector> weighted_samples(const PosteriorHandle& self) {
  const WeightedSamples* samples = self.posterior->weighted_samples();
  if (samples == nullptr) {
    throw Error(ErrorKind::usage, "weighted_samples: this posterior is of kind \"" +
                                      self.posterior->kind() + "\", not a set of samples");
  }
  return {rows(samples->points()), array(samples->weights())};
}

}  // namespace

void bind_posteriors(nb::module_& module) {
  nb::class_<PosteriorHandle>(module, "Posterior")
      .def_prop_ro("dim", [](const PosteriorHandle& self) { return self.posterior->dim(); })
      .def_prop_ro("kind", [](const PosteriorHandle& self) { return self.posterior->kind(); })
      .def_prop_ro("names", [](const PosteriorHandle& self) { return self.posterior->names(); })
      .def_prop_ro(
          "prior",
          [](const PosteriorHandle& self) { return PriorHandle{self.posterior->prior_ptr()}; })
      .def_prop_ro("has_log_prob",
                   [](const PosteriorHandle& self) { return self.posterior->has_log_prob(); })
      .def_prop_ro(
          "log_prob_is_integral",
          [](const PosteriorHandle& self) { return self.posterior->log_prob_is_integral(); })
      .def("sample", &sample)
      .def("log_prob", &log_prob)
      .def("mean",
           [](const PosteriorHandle& self) {
             return array(interruptible([&] { return self.posterior->mean(); }));
           })
      .def("covariance",
           [](const PosteriorHandle& self) {
             return rows(interruptible([&] { return self.posterior->covariance(); }));
           })
      .def("quantile", &quantile)
      .def("map",
           [](const PosteriorHandle& self) {
             return array(interruptible([&] { return map_estimate(*self.posterior); }));
           })
      .def("marginal",
           [](const PosteriorHandle& self, const Indices& dims) {
             return interruptible([&] { return PosteriorHandle{marginal(self.posterior, dims)}; });
           })
      .def("conditional",
           [](const PosteriorHandle& self, const Indices& dims, const Values& values) {
             return interruptible([&] {
               return PosteriorHandle{conditional(*self.posterior, dims, vector(values))};
             });
           })
      .def("components", &components)
      .def("weighted_samples", &weighted_samples)
      .def("mass_on_support",
           [](const PosteriorHandle& self) {
             const std::optional<Estimate> mass =
                 interruptible([&] { return self.posterior->mass_on_support(); });
             if (mass) return mass->value;
             throw Error(ErrorKind::usage, "mass_on_support: this posterior is of kind \"" +
                                               self.posterior->kind() +
                                               "\", which was not cut off at a support");
           })
      .def("to_text",
           [](const PosteriorHandle& self) {
             return interruptible([&] { return posterior_text(*self.posterior); });
           })
      .def("save", [](const PosteriorHandle& self, const std::string& path) {
        interruptible([&] { save_posterior(*self.posterior, path); });
      });
  module.def("combine", [](const std::vector<const PosteriorHandle*>& handles) {
    std::vector<PosteriorPtr> posteriors;
    for (const PosteriorHandle* handle : handles) posteriors.push_back(handle->posterior);
    const CombinedPosterior all = interruptible([&] { return combine_all(posteriors); });
    return std::tuple(PosteriorHandle{all.posterior}, all.is_exact, all.total_variation,
                      all.divergence, all.warning());
  });
  // For bench/python_overhead.py: the library's own share of `sample`.
  module.def(
      "seconds_of_sampling", [](const PosteriorHandle& self, Index count, std::uint64_t seed) {
        const nb::gil_scoped_release release;
        const auto start = std::chrono::steady_clock::now();
        Stream stream(seed, {.purpose = Purpose::posterior_sample});
        const Eigen::MatrixXd thetas = self.posterior->sample(count, stream);
        return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
      });
  module.def("parse_posterior", [](const std::string& text) {
    return interruptible([&] { return PosteriorHandle{parse_posterior(text)}; });
  });
  module.def("open_posterior", [](const std::string& path) {
    return interruptible([&] { return PosteriorHandle{open_posterior(path)}; });
  });
  module.def("samples_posterior",
             [](const PriorHandle& prior, const std::vector<std::string>& names, const Rows& thetas,
                const Values& log_weights) {
               return PosteriorHandle{std::make_shared<SamplesPosterior>(
                   prior.prior, names, WeightedSamples(columns(thetas), vector(log_weights)))};
             });
}

}  // namespace epsfree::python
