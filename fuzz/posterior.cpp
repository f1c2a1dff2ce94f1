// posterior.json, and what can be done with whatever could be loaded.
#include "epsfree/posterior.hpp"

#include "fuzz/expect_error.hpp"
#include "fuzz/memory_file.hpp"
#include "fuzz/target.hpp"

EPSFREE_FUZZ_TARGET(posterior) {
  const epsfree::MemoryFile file(data, size);
  epsfree::expect_error([&] {
    const epsfree::PosteriorPtr posterior = epsfree::load_posterior(file.path());
    if (posterior->dim() > 8) return;  // time, not faults
    epsfree::Stream stream(1);
    const Eigen::MatrixXd samples = posterior->sample(3, stream);
    if (posterior->has_log_prob()) posterior->log_probs(samples);
    posterior->mean();
    posterior->standard_deviation();
    posterior->quantile(0, 0.5);
  });
}
