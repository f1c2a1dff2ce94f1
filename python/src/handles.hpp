// What Python holds of the library's objects, all of which are immutable and shared.
#pragma once

#include <memory>

#include "epsfree/estimator.hpp"
#include "epsfree/models.hpp"
#include "epsfree/posterior.hpp"
#include "epsfree/prior.hpp"

namespace epsfree::python {

struct PriorHandle {
  PriorPtr prior;
};
struct PosteriorHandle {
  PosteriorPtr posterior;
};
struct EstimatorHandle {
  std::shared_ptr<const Estimator> estimator;
};
struct ModelHandle {
  std::shared_ptr<const Model> model;
};

}  // namespace epsfree::python
