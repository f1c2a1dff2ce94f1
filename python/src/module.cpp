// The extension module epsfree._core: a thin layer that epsfree's Python code stands on.
#include <nanobind/nanobind.h>

#include "epsfree/version.hpp"
#include "python/src/bindings.hpp"

NB_MODULE(_core, module) {
  module.doc() = "What the Python package epsfree stands on. Use the package, not this.";
  // Models and posteriors that a script still holds at its end are no leaks.
  nanobind::set_leak_warnings(false);
  module.attr("version") = epsfree::version();
  epsfree::python::bind_errors(module);
  epsfree::python::bind_priors(module);
  epsfree::python::bind_posteriors(module);
  epsfree::python::bind_estimators(module);
  epsfree::python::bind_models(module);
  epsfree::python::bind_methods(module);
  epsfree::python::bind_problems(module);
  epsfree::python::bind_checks(module);
  epsfree::python::bind_calibrations(module);
}
