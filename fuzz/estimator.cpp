// estimator.json, and the posterior at the observation it was trained for.
#include "epsfree/estimator.hpp"

#include "fuzz/expect_error.hpp"
#include "fuzz/memory_file.hpp"
#include "fuzz/target.hpp"

EPSFREE_FUZZ_TARGET(estimator) {
  const epsfree::MemoryFile file(data, size);
  epsfree::expect_error([&] {
    const auto estimator = epsfree::load_estimator(file.path());
    if (estimator->parts().prior->dim() > 8) return;  // time, not faults
    estimator->density(estimator->parts().observed);
    estimator->posterior(estimator->parts().observed);
  });
}
