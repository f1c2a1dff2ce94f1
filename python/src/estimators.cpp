#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "python/src/arrays.hpp"
#include "python/src/bindings.hpp"
#include "python/src/handles.hpp"

namespace epsfree::python {

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
             const nb::gil_scoped_release release;
             return PosteriorHandle{self.estimator->posterior(vector(x))};
           })
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
