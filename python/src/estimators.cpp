#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "python/src/arrays.hpp"
#include "python/src/bindings.hpp"
#include "python/src/handles.hpp"
#include "python/src/interruptible.hpp"

namespace epsfree::python {
namespace {

/// Draws at each row of x, one set after the other; the i-th as `posterior(x_i).sample(count, seed
/// + i)` has them.
NumpyMatrix sample_at(const EstimatorHandle& self, const Rows& x, Index count, std::uint64_t seed) {
  const auto observations = columns(x);
  return rows(interruptible([&] {
    const Index dim = self.estimator->parts().prior->dim();
    Eigen::MatrixXd draws(dim, count * observations.cols());
    for (Index i = 0; i < observations.cols(); ++i) {
      check_interruption();
      constexpr std::uint64_t kSeeds = std::uint64_t{1} << 63;
      Stream stream((seed + static_cast<std::uint64_t>(i)) % kSeeds,
                    {.purpose = Purpose::posterior_sample});
      draws.middleCols(i * count, count) =
          self.estimator->posterior(observations.col(i))->sample(count, stream);
    }
    return draws;
  }));
}

}  // namespace

void bind_estimators(nb::module_& module) {
  nb::class_<EstimatorHandle>(module, "Estimator")
      .def_prop_ro("amortised",
                   [](const EstimatorHandle& self) { return self.estimator->amortised(); })
      .def_prop_ro("method",
                   [](const EstimatorHandle& self) { return self.estimator->parts().method; })
      .def_prop_ro("names",
                   [](const EstimatorHandle& self) { return self.estimator->parts().names; })
      .def_prop_ro(
          "prior",
          [](const EstimatorHandle& self) { return PriorHandle{self.estimator->parts().prior}; })
      .def_prop_ro(
          "observed",
          [](const EstimatorHandle& self) { return array(self.estimator->parts().observed); },
          nb::rv_policy::automatic)
      .def_prop_ro(
          "num_statistics",
          [](const EstimatorHandle& self) { return self.estimator->parts().statistics.dim(); })
      .def("posterior",
           [](const EstimatorHandle& self, const Values& x) {
             return interruptible(
                 [&] { return PosteriorHandle{self.estimator->posterior(vector(x))}; });
           })
      .def("sample_at", &sample_at)
      .def("to_text", [](const EstimatorHandle& self) { return estimator_text(*self.estimator); })
      .def("save", [](const EstimatorHandle& self, const std::string& path) {
        save_estimator(*self.estimator, path);
      });
  module.def("parse_estimator",
             [](const std::string& text) { return EstimatorHandle{parse_estimator(text)}; });
  module.def("load_estimator",
             [](const std::string& path) { return EstimatorHandle{load_estimator(path)}; });
}

}  // namespace epsfree::python
