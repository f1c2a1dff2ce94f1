#include "epsfree/estimator.hpp"

#include <optional>
#include <utility>
#include <vector>

#include "epsfree/error.hpp"
#include "infer/mdn/correction.hpp"
#include "infer/mdn/estimator_posterior.hpp"

namespace epsfree {
namespace {

// Below this, what is cut off at the prior's bounds is most of the answer.
constexpr double kSmallMass = 0.05;
constexpr double kSmallEffectiveShare = 0.01;

std::string name_of(const Correction& correction, bool has_proposal) {
  if (!has_proposal) return "none";
  if (correction.importance) return "importance";
  if (correction.components_dropped > 0) return "analytic on fewer components";
  return correction.components_damped > 0 ? "analytic, damped" : "analytic";
}

std::shared_ptr<const MixturePosterior> on_support(const Estimator::Parts& parts,
                                                   const GaussianMixture& mixture) {
  try {
    auto posterior = std::make_shared<MixturePosterior>(parts.prior, parts.names, mixture);
    posterior->coordinates().log_mass();  // throws where there is none
    return posterior;
  } catch (const Error&) {
    throw Error(ErrorKind::stopped,
                "the learnt density has no mass on the prior's support: the observation is unlike "
                "anything the network was trained on. Check the observation, or raise "
                "num_simulations.");
  }
}

}  // namespace

GaussianMixture Estimator::density(const Eigen::Ref<const Eigen::VectorXd>& x) const {
  if (x.size() != parts_.statistics.dim()) {
    throw Error(ErrorKind::input, "the observation has " + std::to_string(x.size()) +
                                      " values, but the estimator was trained on " +
                                      std::to_string(parts_.statistics.dim()) + " statistics");
  }
  if (!x.allFinite()) {
    throw Error(ErrorKind::input, "the observation holds a value that is not a finite number");
  }
  const GaussianMixture standardised =
      parts_.network->mixture_at(parts_.statistics.apply(x).col(0));
  // y = M (z - shift) with M diagonal, so that U_z = U_y M is upper triangular again.
  const Eigen::MatrixXd& M = parts_.parameters.matrix();
  std::vector<Gaussian> components;
  for (const Gaussian& component : standardised.components()) {
    components.push_back(
        Gaussian::from_precision_factor(parts_.parameters.invert(component.mean()).col(0),
                                        component.precision_factor() * M.diagonal().asDiagonal()));
  }
  return GaussianMixture(std::move(components), standardised.log_weights());
}

CorrectedPosterior corrected_posterior(const Estimator& estimator,
                                       const Eigen::Ref<const Eigen::VectorXd>& x) {
  const Estimator::Parts& parts = estimator.parts();
  const GaussianMixture q = estimator.density(x).prune(parts.min_weight);
  const Correction corrected = parts.proposal
                                   ? correct(q, *parts.prior, *parts.proposal, parts.num_examples)
                                   : Correction{.mixture = q};

  CorrectedPosterior answer;
  answer.posterior = on_support(parts, corrected.mixture);
  answer.correction = name_of(corrected, parts.proposal.has_value());
  answer.components_improper = corrected.components_improper;
  answer.components_dropped = corrected.components_dropped;
  answer.components_damped = corrected.components_damped;
  answer.effective_sample_size = corrected.effective_size;
  if (corrected.components_dropped > 0) {
    answer.warnings.push_back(
        "the correction for the proposal failed for " +
        std::to_string(corrected.components_dropped) + " of " + std::to_string(q.num_components()) +
        " components" +
        (corrected.importance ? "; importance weights were used instead" : ", which were dropped"));
  }
  if (corrected.importance &&
      corrected.effective_size <
          kSmallEffectiveShare * static_cast<double>(corrected.num_weights)) {
    answer.warnings.push_back("the importance correction rests on an effective sample of only " +
                              std::to_string(static_cast<long>(corrected.effective_size)) + " of " +
                              std::to_string(corrected.num_weights) + " draws; do not trust it");
  }
  if (answer.posterior->coordinates().mass().value < kSmallMass) {
    answer.warnings.push_back(
        "less than 5% of the learnt density lies in the prior's support; the posterior is what is "
        "left of it there");
  }
  return answer;
}

PosteriorPtr Estimator::posterior(const Eigen::Ref<const Eigen::VectorXd>& x) const {
  if (!amortised() && (x.size() != parts_.observed.size() || x != parts_.observed)) {
    throw Error(ErrorKind::usage,
                "this estimator was trained with the method '" + parts_.method +
                    "' for one observation and does not hold for another; run the inference again, "
                    "or use the method 'mdn-with-prior'");
  }
  if (!amortised()) return corrected_posterior(*this, x).posterior;
  // There is nothing to correct, and the mass on the support can wait until it is needed: samples
  // at hundreds of observations do without.
  return std::make_shared<MixturePosterior>(parts_.prior, parts_.names,
                                            density(x).prune(parts_.min_weight));
}

}  // namespace epsfree
