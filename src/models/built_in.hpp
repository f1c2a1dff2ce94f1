// The built-in models, one function per file of this room.
#pragma once

#include <memory>

#include "base/numbered_names.hpp"
#include "epsfree/models.hpp"

namespace epsfree {

std::shared_ptr<const Model> mixture_model();
std::shared_ptr<const Model> linear_regression_model();
std::shared_ptr<const Model> lotka_volterra_model();
std::shared_ptr<const Model> mg1_queue_model();

}  // namespace epsfree
