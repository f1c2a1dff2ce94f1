#include "infer/mdn/correction.hpp"

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "base/dense_solvers.hpp"
#include "epsfree/divergence.hpp"
#include "epsfree/error.hpp"
#include "epsfree/truncated_mixture.hpp"
#include "epsfree/weighted_samples.hpp"

namespace epsfree {
namespace {

constexpr Index kNumImportanceSamples = 20000;
// Components of the mixture that stands for importance weights.
constexpr double kMostFitted = 8;
constexpr double kSamplesPerComponent = 50;
// The correction depends on q and the proposal alone, so its own random numbers are fixed: saved
// estimators give the same posterior again.
constexpr std::uint64_t kImportanceSeed = 1;
// No component's precision is taken to be known better than from so many examples.
constexpr double kFewestForDamping = 20;
// Where next to nothing of a correction lies in the support, it is one component's far tail, blown
// up.
constexpr double kNegligibleMass = 1e-4;

/// The same Gaussian seen from `origin`. The correction is computed with the proposal's mean as the
/// origin: quadratics around a far-off zero are differences of huge numbers.
Gaussian seen_from(const Gaussian& gaussian, const Eigen::VectorXd& origin) {
  return Gaussian::from_precision_factor(gaussian.mean() - origin, gaussian.precision_factor());
}
LogQuadratic seen_from(const LogQuadratic& f, const Eigen::VectorXd& origin) {
  return {f.precision, f.shift - f.precision * origin};
}

double evaluate(const LogQuadratic& f, const Eigen::Ref<const Eigen::VectorXd>& z) {
  return -0.5 * z.dot(f.precision * z) + f.shift.dot(z);
}

/// The eigenvalues of a symmetric matrix raised to at least `floor`.
Eigen::MatrixXd floor_eigenvalues(const Eigen::MatrixXd& matrix, double floor) {
  const SymmetricEigen eigen = symmetric_eigen(matrix);
  return eigen.vectors * eigen.values.cwiseMax(floor).asDiagonal() * eigen.vectors.transpose();
}

/// The mass of a mixture on the prior's support; 0 where doubles cannot represent it.
double mass_on_support(const GaussianMixture& mixture, const Prior& prior) {
  try {
    return TruncatedMixture(mixture, prior.coordinate_support()).mass().value;
  } catch (const Error&) {
    return 0;
  }
}

/// How a component's corrected precision is mended.
struct Damping {
  bool is_improper = false;   ///< it was not positive definite
  Eigen::MatrixXd precision;  ///< what must be added to it; empty if nothing must
};

/// What makes no direction of the corrected precision of q's component smaller than its own
/// sampling error.
///
/// The precision of a component that was learnt from n examples is known to a relative standard
/// error of sqrt(2 / n). Where it differs from the proposal's by less, the likelihood in that
/// direction cannot be told from flat, and the difference, positive or not, is noise.
Damping damping_of(const Gaussian& component, const Eigen::MatrixXd& prior,
                   const Eigen::MatrixXd& proposal, double num_examples,
                   const DampingOptions& options) {
  const Index dim = component.dim();
  const auto U = component.precision_factor().triangularView<Eigen::Upper>();
  // All relative to the component's own precision: U^-T (...) U^-1.
  const auto relative = [&](const Eigen::MatrixXd& precision) -> Eigen::MatrixXd {
    const Eigen::MatrixXd half = U.solve<Eigen::OnTheRight>(precision);
    return U.transpose().solve(half);
  };
  const Eigen::MatrixXd likelihood = Eigen::MatrixXd::Identity(dim, dim) - relative(proposal);
  const Eigen::MatrixXd corrected = likelihood + relative(prior);
  const double floor =
      std::max(std::sqrt(2 / std::max(num_examples, kFewestForDamping)), options.least_precision);
  const SymmetricEigen eigen = symmetric_eigenvalues(corrected);
  if (!corrected.allFinite() || eigen.values[0] >= floor) return {};
  // A likelihood never makes a posterior wider than its prior.
  const Eigen::MatrixXd repaired =
      floor_eigenvalues(floor_eigenvalues(likelihood, 0) + relative(prior), floor);
  return {!(eigen.values[0] > 0), U.transpose() * (repaired - corrected) * Eigen::MatrixXd(U)};
}

/// reweight() times exp(-1/2 (z - m)^T damping (z - m)), with m the component's mean.
std::optional<ScaledGaussian> reweight_damped(const Gaussian& component, const LogQuadratic& p,
                                              const LogQuadratic& p_tilde,
                                              const Eigen::MatrixXd& damping) {
  const Eigen::VectorXd pull = damping * component.mean();
  std::optional<ScaledGaussian> result =
      reweight(component, {p.precision + damping, p.shift + pull}, p_tilde);
  if (result) result->log_scale -= 0.5 * component.mean().dot(pull);
  return result;
}

}  // namespace

std::optional<Correction> correct_analytically(const GaussianMixture& q, const Prior& prior,
                                               const Gaussian& proposal, Index num_examples,
                                               const DampingOptions& options) {
  const Eigen::VectorXd& origin = proposal.mean();
  const LogQuadratic p = seen_from(prior.coordinate_log_density(), origin);
  const LogQuadratic p_tilde = LogQuadratic::of(seen_from(proposal, origin));
  std::vector<Gaussian> components;
  std::vector<double> log_weights;
  int improper = 0, dropped = 0, damped = 0;
  for (Index k = 0; k < q.num_components(); ++k) {
    const double share = std::exp(q.log_weights()[k]) * static_cast<double>(num_examples);
    const Gaussian component = seen_from(q.component(k), origin);
    const Damping damping = damping_of(component, p.precision, p_tilde.precision, share, options);
    const bool is_damped = damping.precision.size() > 0;
    improper += damping.is_improper ? 1 : 0;
    // Nothing is known of it, and dividing it by the proposal's far tail could make it the whole
    // answer.
    if (is_damped && share < options.handful) {
      ++dropped;
      continue;
    }
    // S_k' = (S_k^-1 - S_0^-1 [+ prior's])^-1, m_k' and c_k likewise; log_scale is -c_k / 2.
    const std::optional<ScaledGaussian> corrected =
        is_damped ? reweight_damped(component, p, p_tilde, damping.precision)
                  : reweight(component, p, p_tilde);
    if (!corrected || !std::isfinite(corrected->log_scale)) {
      ++dropped;
      continue;
    }
    damped += is_damped ? 1 : 0;
    components.push_back(seen_from(corrected->gaussian, -origin));
    log_weights.push_back(q.log_weights()[k] + corrected->log_scale);
  }
  if (components.empty()) return std::nullopt;
  const Eigen::VectorXd weights =
      Eigen::Map<const Eigen::VectorXd>(log_weights.data(), static_cast<Index>(log_weights.size()));
  return Correction{.mixture = GaussianMixture(std::move(components), weights),
                    .components_improper = improper,
                    .components_damped = damped,
                    .components_dropped = dropped};
}

Correction correct_by_importance(const GaussianMixture& q, const Prior& prior,
                                 const Gaussian& proposal) {
  const Eigen::VectorXd& origin = proposal.mean();
  const LogQuadratic p = seen_from(prior.coordinate_log_density(), origin);
  const LogQuadratic p_tilde = LogQuadratic::of(seen_from(proposal, origin));
  Stream stream(kImportanceSeed, {.purpose = Purpose::importance});
  const TruncatedMixture on_support(q, prior.coordinate_support());
  const Eigen::MatrixXd z = on_support.sample(kNumImportanceSamples, stream);
  Eigen::VectorXd log_weights(z.cols());
  for (Index i = 0; i < z.cols(); ++i) {
    const Eigen::VectorXd centred = z.col(i) - origin;
    log_weights[i] = evaluate(p, centred) - evaluate(p_tilde, centred);
  }
  const WeightedSamples samples(z, log_weights);
  EmOptions em;
  // As many as the learnt density has, but a stack of mixtures has dozens, and few effective
  // samples say little about many.
  const double most = std::min(kMostFitted, samples.effective_size() / kSamplesPerComponent);
  em.num_components = static_cast<int>(
      std::clamp(static_cast<double>(q.num_components()), 1.0, std::max(most, 1.0)));
  em.max_iterations = 50;
  em.tolerance = 1e-5;
  em.num_restarts = 1;
  Stream starts(kImportanceSeed, {.purpose = Purpose::expectation_maximisation});
  return Correction{.mixture = fit_mixture(samples, em, starts).mixture,
                    .components_improper = static_cast<int>(q.num_components()),
                    .components_dropped = static_cast<int>(q.num_components()),
                    .importance = true,
                    .effective_size = samples.effective_size(),
                    .num_weights = samples.size()};
}

Correction correct(const GaussianMixture& q, const Prior& prior, const Gaussian& proposal,
                   Index num_examples, const DampingOptions& damping) {
  std::optional<Correction> analytic =
      correct_analytically(q, prior, proposal, num_examples, damping);
  if (analytic && mass_on_support(analytic->mixture, prior) >= kNegligibleMass) {
    return std::move(*analytic);
  }
  try {
    return correct_by_importance(q, prior, proposal);
  } catch (const Error& error) {
    throw Error(
        ErrorKind::stopped,
        std::string("the learnt density could not be corrected for the proposal, neither in "
                    "closed form nor by importance weights (") +
            error.what() + "). Raise num_simulations, or try another seed.");
  }
}

}  // namespace epsfree
