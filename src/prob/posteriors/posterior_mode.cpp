// The highest point of a posterior's density.
#include <algorithm>
#include <cmath>
#include <functional>
#include <vector>

#include "base/dense_solvers.hpp"
#include "base/interruption.hpp"
#include "epsfree/error.hpp"
#include "epsfree/posterior.hpp"
#include "prob/log_sum_exp.hpp"
#include "prob/priors/inside.hpp"

namespace epsfree {
namespace {

constexpr Index kNumDraws = 500;
constexpr std::size_t kNumStarts = 4;
constexpr double kFirstStep = 0.5;  // in standard deviations
constexpr double kLastStep = 1e-7;
constexpr int kMostClimbingSteps = 5000;

using Density = std::function<double(const Eigen::VectorXd&)>;

struct Peak {
  Eigen::VectorXd point;
  double height;
};

/// Compass search along the columns of `directions`: needs no derivative and may run along a bound.
Peak climb(const Density& density, Peak peak, const Eigen::MatrixXd& directions) {
  double step = kFirstStep;
  for (int i = 0; i < kMostClimbingSteps && step > kLastStep; ++i) {
    Peak best = peak;
    for (Index d = 0; d < directions.cols(); ++d) {
      for (const double sign : {1.0, -1.0}) {
        const Eigen::VectorXd candidate = peak.point + sign * step * directions.col(d);
        check_interruption();
        const double height = density(candidate);
        if (height > best.height) best = {candidate, height};
      }
    }
    if (best.height > peak.height) {
      peak = best;
      step *= 1.3;
    } else {
      step /= 2;
    }
  }
  return peak;
}

/// From the best of several starts.
Eigen::VectorXd highest(const Density& density, const Eigen::MatrixXd& starts,
                        const Eigen::MatrixXd& covariance) {
  std::vector<Peak> peaks;
  for (Index i = 0; i < starts.cols(); ++i) {
    check_interruption();
    const double height = density(starts.col(i));
    if (std::isfinite(height)) peaks.push_back({starts.col(i), height});
  }
  if (peaks.empty()) throw Error(ErrorKind::internal, "map: no point has a finite density");
  std::sort(peaks.begin(), peaks.end(),
            [](const Peak& a, const Peak& b) { return a.height > b.height; });
  peaks.resize(std::min(peaks.size(), kNumStarts));
  // The axes, to run along bounds, and the principal directions, to run along a ridge.
  const Index dim = starts.rows();
  Eigen::MatrixXd directions(dim, 2 * dim);
  directions.leftCols(dim) = covariance.diagonal().cwiseSqrt().asDiagonal();
  directions.rightCols(dim) = Cholesky(covariance).lower();
  Peak best = peaks.front();
  for (const Peak& start : peaks) {
    Peak peak = climb(density, start, directions);
    if (peak.height > best.height) best = std::move(peak);
  }
  return best.point;
}

}  // namespace

Eigen::VectorXd Posterior::mode() const {
  if (!has_log_prob()) {
    throw Error(ErrorKind::usage,
                "map: this posterior is of kind \"" + kind() + "\", whose density is not known");
  }
  Stream stream(1, {.purpose = Purpose::moments});
  return highest([&](const Eigen::VectorXd& theta) { return log_prob(theta); },
                 sample(kNumDraws, stream), covariance());
}

Eigen::VectorXd MixturePosterior::mode() const {
  const TruncatedMixture& z = coordinates_;
  const Eigen::VectorXd top = z.mixture().map();
  if (prior().coordinates_are_identity() && z.support().contains(top)) return top;
  Stream stream(1, {.purpose = Purpose::moments});
  const Index K = z.mixture().num_components();
  Eigen::MatrixXd starts(z.dim(), K + 1 + kNumDraws);
  // Where the support is no box, what lies outside has no density and is left out.
  const auto inside = [&](const Eigen::VectorXd& point) {
    return z.support().is_box() ? bring_inside(z.support(), point) : point;
  };
  starts.col(0) = inside(top);
  for (Index k = 0; k < K; ++k) starts.col(k + 1) = inside(z.mixture().component(k).mean());
  starts.rightCols(kNumDraws) = z.sample(kNumDraws, stream);
  const Eigen::MatrixXd centred =
      starts.rightCols(kNumDraws).colwise() - starts.rightCols(kNumDraws).rowwise().mean().eval();
  return prior().from_coordinates(highest(
      [&](const Eigen::VectorXd& point) {
        const double height = z.log_prob(point);
        return height == -kInfinity ? height : height - prior().log_jacobian(point);
      },
      starts, centred * centred.transpose() / static_cast<double>(kNumDraws)));
}

}  // namespace epsfree
