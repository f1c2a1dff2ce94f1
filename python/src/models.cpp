#include "epsfree/models.hpp"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "epsfree/runner.hpp"
#include "python/src/arrays.hpp"
#include "python/src/bindings.hpp"
#include "python/src/handles.hpp"
#include "python/src/interruptible.hpp"

namespace epsfree::python {
namespace {

NumpyMatrix simulate(const ModelHandle& self, const Rows& thetas, std::uint64_t seed) {
  const SimulatorPtr simulator = self.model->simulator();
  const auto points = columns(thetas);
  return rows(interruptible([&] {
    ThreadRunner runner;
    return runner.run({.simulator = *simulator, .thetas = points, .seed = seed}).statistics;
  }));
}

}  // namespace

void bind_models(nb::module_& module) {
  nb::class_<ModelHandle>(module, "Model")
      .def_prop_ro("name", [](const ModelHandle& self) { return self.model->name(); })
      .def_prop_ro("description", [](const ModelHandle& self) { return self.model->description(); })
      .def_prop_ro("prior",
                   [](const ModelHandle& self) { return PriorHandle{self.model->prior()}; })
      .def_prop_ro("names", [](const ModelHandle& self) { return self.model->parameter_names(); })
      .def_prop_ro("statistic_names",
                   [](const ModelHandle& self) { return self.model->statistic_names(); })
      .def_prop_ro(
          "truth", [](const ModelHandle& self) { return array(self.model->default_truth()); },
          nb::rv_policy::automatic)
      .def_prop_ro(
          "observed", [](const ModelHandle& self) { return array(self.model->default_observed()); },
          nb::rv_policy::automatic)
      .def("simulate", &simulate)
      .def("exact_posterior",
           [](const ModelHandle& self, const Values& observed) -> std::optional<PosteriorHandle> {
             PosteriorPtr posterior = self.model->exact_posterior(vector(observed));
             if (!posterior) return std::nullopt;
             return PosteriorHandle{std::move(posterior)};
           });
  module.def("models", [] {
    std::vector<ModelHandle> all;
    for (const auto& each : models()) all.push_back({each});
    return all;
  });
}

}  // namespace epsfree::python
