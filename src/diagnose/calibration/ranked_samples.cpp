#include "diagnose/calibration/ranked_samples.hpp"

#include <algorithm>
#include <cmath>

namespace epsfree {

RankedSamples::RankedSamples(const Posterior& posterior, Index count, Stream& stream)
    : count_(count) {
  if (const WeightedSamples* weighted = posterior.weighted_samples()) {
    points_ = weighted->points();
    masses_ = weighted->weights() * weighted->effective_size();
  } else {
    points_ = posterior.sample(count, stream);
    masses_ = Eigen::VectorXd::Ones(count);
  }
}

int RankedSamples::rank(double own, const Eigen::Ref<const Eigen::VectorXd>& values,
                        Stream& ties) const {
  double below = 0, equal = 0;
  for (Index i = 0; i < values.size(); ++i) {
    if (values[i] < own) below += masses_[i];
    if (values[i] == own) equal += masses_[i];
  }
  const double cells = static_cast<double>(count_ + 1);
  const double place = (below + ties.uniform() * (equal + 1)) / (masses_.sum() + 1);
  return std::clamp(static_cast<int>(place * cells), 0, static_cast<int>(count_));
}

Eigen::VectorXd RankedSamples::mean() const { return points_ * masses_ / masses_.sum(); }

Eigen::VectorXd RankedSamples::standard_deviation() const {
  return ((points_.colwise() - mean()).array().square().matrix() * masses_ / masses_.sum())
      .cwiseSqrt();
}

}  // namespace epsfree
