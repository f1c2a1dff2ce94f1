#include "infer/mdn/estimator_posterior.hpp"

#include <utility>

#include "epsfree/error.hpp"
#include "infer/mdn/correction.hpp"

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

void check_is_posterior(const Estimator::Parts& parts) {
  if (parts.direction == Direction::posterior) return;
  throw Error(ErrorKind::usage,
              "this estimator learnt the likelihood q(x | theta), which is no posterior by itself: "
              "sample from prior times likelihood, whose logarithm log_probs(x, theta) gives");
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

CorrectedPosterior corrected_posterior(const Estimator& estimator,
                                       const Eigen::Ref<const Eigen::VectorXd>& x) {
  const Estimator::Parts& parts = estimator.parts();
  check_is_posterior(parts);
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
  check_is_posterior(parts_);
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
