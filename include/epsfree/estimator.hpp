// The trained network as a result of its own: q(theta | x), saved with all that is needed to use
// it.
#pragma once

#include <Eigen/Core>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "epsfree/gaussian.hpp"
#include "epsfree/mixture_density_network.hpp"
#include "epsfree/posterior.hpp"
#include "epsfree/standardiser.hpp"

namespace epsfree {

/// A mixture density network of z (the prior's coordinates, standardised) given x (standardised),
/// and the proposal that its training parameters came from, if that was not the prior.
class Estimator {
 public:
  struct Parts {
    PriorPtr prior;
    std::vector<std::string> names;
    std::string method;
    Standardiser statistics;  ///< x as the network sees it
    Standardiser parameters;  ///< z as the network sees it; diagonal
    std::shared_ptr<const MixtureDensityNetwork<float>> network;
    std::optional<Gaussian> proposal;  ///< in z; none: trained on the prior
    Eigen::VectorXd observed;
    Index num_examples = 0;    ///< simulations the network was last trained on
    double min_weight = 1e-3;  ///< components below are pruned before the correction
  };
  explicit Estimator(Parts parts) : parts_(std::move(parts)) {}

  const Parts& parts() const { return parts_; }
  /// Whether it holds for any observation: it was trained on parameters from the prior.
  bool amortised() const { return !parts_.proposal.has_value(); }
  /// q(z | x): the network's own answer in the prior's coordinates, not corrected for the proposal.
  GaussianMixture density(const Eigen::Ref<const Eigen::VectorXd>& x) const;
  /// The posterior at an observation, without new simulations. Throws ErrorKind::usage unless
  /// amortised() or x is the observation it was trained for.
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
