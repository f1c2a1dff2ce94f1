// The parts of the module, one function each.
#pragma once

#include <nanobind/nanobind.h>

namespace epsfree::python {

void bind_errors(nanobind::module_& module);
void bind_priors(nanobind::module_& module);
void bind_posteriors(nanobind::module_& module);
void bind_estimators(nanobind::module_& module);
void bind_models(nanobind::module_& module);
void bind_methods(nanobind::module_& module);
void bind_checks(nanobind::module_& module);
void bind_calibrations(nanobind::module_& module);
void bind_problems(nanobind::module_& module);

}  // namespace epsfree::python
