// estimator.json, and what it says at the observation it was trained for.
#include "epsfree/estimator.hpp"

#include "fuzz/expect_error.hpp"
#include "fuzz/memory_file.hpp"
#include "fuzz/target.hpp"

EPSFREE_FUZZ_TARGET(estimator) {
  const epsfree::MemoryFile file(data, size);
  epsfree::expect_error([&] {
    const auto estimator = epsfree::load_estimator(file.path());
    if (estimator->parts().prior->dim() > 8) return;  // time, not faults
    const Eigen::VectorXd& x = estimator->parts().observed;
    epsfree::Stream stream(1);
    const Eigen::VectorXd theta = estimator->parts().prior->sample(stream);
    if (estimator->direction() == epsfree::Direction::likelihood) {
      estimator->log_probs(x, theta);
      estimator->density(theta);
      estimator->sample_each(theta, 2, stream);
      return;
    }
    estimator->log_probs(theta, x);
    estimator->density(x);
    estimator->posterior(x);
  });
}
