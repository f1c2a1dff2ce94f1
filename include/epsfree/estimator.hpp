// What was learnt as a result of its own: a conditional density, saved with all that is needed to
// use it.
#pragma once

#include <Eigen/Core>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "epsfree/conditional_density.hpp"
#include "epsfree/gaussian.hpp"
#include "epsfree/posterior.hpp"
#include "epsfree/standardiser.hpp"

namespace epsfree {

/// Which way round a density was learnt.
enum class Direction {
  posterior,   ///< parameters given statistics: q(theta | x)
  likelihood,  ///< statistics given parameters: q(x | theta)
};
std::string to_string(Direction direction);

/// A density of z (the prior's coordinates, standardised) given x (standardised), or of x given z,
/// and the proposal that its training parameters came from, if that was not the prior.
///
/// Const functions may be called from several threads at once.
class Estimator {
 public:
  struct Parts {
    PriorPtr prior;
    std::vector<std::string> names;
    std::string method;
    Standardiser statistics;  ///< x as the density sees it
    Standardiser parameters;  ///< z as the density sees it; diagonal
    std::shared_ptr<const ConditionalDensity<float>> conditional;
    Direction direction = Direction::posterior;
    std::optional<Gaussian> proposal;  ///< in z; none: trained on the prior
    Eigen::VectorXd observed;
    Index num_examples = 0;    ///< simulations the density was last trained on
    double min_weight = 1e-3;  ///< components below are pruned before the correction
  };
  /// Throws ErrorKind::input unless the dimensions of the parts agree.
  explicit Estimator(Parts parts);

  const Parts& parts() const { return parts_; }
  Direction direction() const { return parts_.direction; }
  /// How targets and contexts are standardised.
  const Standardiser& targets() const;
  const Standardiser& contexts() const;
  /// Whether it holds for any observation: it was trained on parameters from the prior, or it is a
  /// likelihood, which does not depend on where they came from.
  bool amortised() const;

  /// log q of each column in the user's units: theta and x as the prior and the simulator have
  /// them. One column on either side is used with all of the other. Not corrected for the proposal,
  /// and q(theta | x) not normalised on the prior's support; minus infinity for targets outside of
  /// it.
  Eigen::VectorXd log_probs(const Eigen::Ref<const Eigen::MatrixXd>& targets,
                            const Eigen::Ref<const Eigen::MatrixXd>& contexts) const;
  /// `count` targets for each column of `contexts`, all in the user's units: those of context i are
  /// the columns i * count to (i + 1) * count - 1. Draws of theta outside of the prior's support
  /// are replaced by others. Throws ErrorKind::stopped where next to nothing of q lies in the
  /// support.
  Eigen::MatrixXd sample_each(const Eigen::Ref<const Eigen::MatrixXd>& contexts, Index count,
                              Stream& stream) const;

  /// q at one context as a mixture of Gaussians, not corrected for the proposal: of z, the prior's
  /// coordinates, at an observation x; or of x at parameters theta. Throws ErrorKind::usage where
  /// the density is no such mixture.
  GaussianMixture density(const Eigen::Ref<const Eigen::VectorXd>& context) const;
  /// The posterior at an observation, without new simulations. Throws ErrorKind::usage if it learnt
  /// a likelihood, if its density is no mixture, and unless amortised() or x is the observation it
  /// was trained for.
  PosteriorPtr posterior(const Eigen::Ref<const Eigen::VectorXd>& x) const;

 private:
  Parts parts_;
};

/// Saves as versioned JSON, atomically; numbers round-trip exactly.
void save_estimator(const Estimator& estimator, const std::string& path);
std::shared_ptr<const Estimator> load_estimator(const std::string& path);
/// The same file as text; `source` names it in messages.
std::string estimator_text(const Estimator& estimator);
std::shared_ptr<const Estimator> parse_estimator(const std::string& text,
                                                 const std::string& source = "estimator");

}  // namespace epsfree
