// What a larger budget would change, predicted from the simulations at hand.
#pragma once

#include <Eigen/Core>
#include <functional>
#include <optional>

#include "infer/local/local_fit.hpp"

namespace epsfree {

struct MeanAndDeviation {
  Eigen::VectorXd mean, deviation;
};

/// Fits parts of a pool as the whole was fitted, and measures how far their answers lie from its
/// own: random halves show what chance does, and the half that is nearest to the observation shows
/// what the fit still gets wrong because its examples are spread too far. docs/diagnostics.md says
/// how well that predicts.
class ChangeForecast {
 public:
  ChangeForecast(const SimulationPool& pool, const Eigen::VectorXd& observed,
                 const LocalTarget& target, bool target_is_prior, LocalFitOptions options);

  using Moments = std::function<std::optional<MeanAndDeviation>(const GaussianMixture&)>;
  /// The expected change by twice the simulations: of the mean in standard deviations, or of their
  /// logarithm, whichever is larger over all parameters. NaN where no part could be fitted.
  double change(const LocalFit& whole, const Moments& moments) const;

 private:
  std::optional<Eigen::ArrayXd> squared_distance(const std::vector<Index>& part,
                                                 const MeanAndDeviation& whole,
                                                 const Moments& moments) const;
  std::vector<Index> nearest_half() const;

  const SimulationPool& pool_;
  const Eigen::VectorXd& observed_;
  const LocalTarget& target_;
  bool target_is_prior_;
  LocalFitOptions options_;
};

}  // namespace epsfree
