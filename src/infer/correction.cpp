#include "infer/correction.hpp"

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "epsfree/divergence.hpp"
#include "epsfree/truncated_mixture.hpp"
#include "epsfree/weighted_samples.hpp"

namespace epsfree {
namespace {

constexpr Index kNumImportanceSamples = 20000;
// The correction depends on q and the proposal alone, so its own random numbers are fixed: saved
// estimators give the same posterior again.
constexpr std::uint64_t kImportanceSeed = 1;

double evaluate(const LogQuadratic& f, const Eigen::Ref<const Eigen::VectorXd>& z) {
  return -0.5 * z.dot(f.precision * z) + f.shift.dot(z);
}

}  // namespace

std::optional<Correction> correct_analytically(const GaussianMixture& q, const Prior& prior,
                                               const Gaussian& proposal) {
  const LogQuadratic p = prior.coordinate_log_density();
  const LogQuadratic p_tilde = LogQuadratic::of(proposal);
  std::vector<Gaussian> components;
  std::vector<double> log_weights;
  int dropped = 0;
  for (Index k = 0; k < q.num_components(); ++k) {
    // S_k' = (S_k^-1 - S_0^-1 [+ prior's])^-1, m_k' and c_k likewise; log_scale is -c_k / 2.
    const std::optional<ScaledGaussian> corrected = reweight(q.component(k), p, p_tilde);
    if (!corrected || !std::isfinite(corrected->log_scale)) {
      ++dropped;
      continue;
    }
    components.push_back(corrected->gaussian);
    log_weights.push_back(q.log_weights()[k] + corrected->log_scale);
  }
  if (components.empty()) return std::nullopt;
  const Eigen::VectorXd weights =
      Eigen::Map<const Eigen::VectorXd>(log_weights.data(), static_cast<Index>(log_weights.size()));
  return Correction{.mixture = GaussianMixture(std::move(components), weights),
                    .components_dropped = dropped};
}

Correction correct_by_importance(const GaussianMixture& q, const Prior& prior,
                                 const Gaussian& proposal) {
  const LogQuadratic p = prior.coordinate_log_density();
  const LogQuadratic p_tilde = LogQuadratic::of(proposal);
  Stream stream(kImportanceSeed, {.purpose = Purpose::importance});
  const TruncatedMixture on_support(q, prior.coordinate_support());
  const Eigen::MatrixXd z = on_support.sample(kNumImportanceSamples, stream);
  Eigen::VectorXd log_weights(z.cols());
  for (Index i = 0; i < z.cols(); ++i) {
    log_weights[i] = evaluate(p, z.col(i)) - evaluate(p_tilde, z.col(i));
  }
  const WeightedSamples samples(z, log_weights);
  EmOptions em;
  em.num_components = static_cast<int>(q.num_components());
  Stream starts(kImportanceSeed, {.purpose = Purpose::expectation_maximisation});
  return Correction{.mixture = fit_mixture(samples, em, starts).mixture,
                    .components_dropped = static_cast<int>(q.num_components()),
                    .importance = true,
                    .effective_size = samples.effective_size(),
                    .num_weights = samples.size()};
}

}  // namespace epsfree
