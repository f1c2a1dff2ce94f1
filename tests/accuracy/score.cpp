#include "accuracy/score.hpp"

#include <cmath>

namespace epsfree {
namespace {

constexpr Index kNumSamples = 50000;

Estimate mean_of(const Eigen::VectorXd& values) {
  const double n = static_cast<double>(values.size());
  const double mean = values.mean();
  return {mean, std::sqrt((values.array() - mean).square().sum() / (n - 1) / n)};
}

}  // namespace

Estimate kl_from_exact(const Posterior& exact, const Posterior& learnt) {
  Stream stream(1, {.purpose = Purpose::divergence});
  const Eigen::MatrixXd thetas = exact.sample(kNumSamples, stream);
  return mean_of(exact.log_probs(thetas) - learnt.log_probs(thetas));
}

Estimate cross_entropy(const Eigen::MatrixXd& reference, const Posterior& learnt) {
  return mean_of(-learnt.log_probs(reference));
}

}  // namespace epsfree
