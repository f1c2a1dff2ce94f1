#include "prob/regression/stacking.hpp"

#include <cmath>
#include <limits>

namespace epsfree {
namespace {

constexpr int kMaxStackingSteps = 200;
constexpr double kTolerance = 1e-4;
constexpr double kFewestErrors = 0.3;
// Below everything that differs by a finite factor; a candidate that gives an example no density at
// all must not make the sums NaN.
constexpr double kLeastLogDensity = -700;

/// The stack of those candidates that are `kept`.
Eigen::VectorXd maximise(const Eigen::MatrixXd& densities, const Eigen::VectorXd& importance,
                         const Eigen::VectorXd& kept) {
  Eigen::VectorXd a = kept / kept.sum();
  for (int i = 0; i < kMaxStackingSteps; ++i) {
    const Eigen::VectorXd mixed = densities * a;
    Eigen::VectorXd next = a.cwiseProduct(densities.transpose() * importance.cwiseQuotient(mixed));
    next /= next.sum();
    const double change = (next - a).cwiseAbs().maxCoeff();
    a = next;
    if (change < kTolerance) break;
  }
  return a;
}

/// Whether `with` predicts better than `without` by more than some of its sampling error.
bool better(const Eigen::VectorXd& with, const Eigen::VectorXd& without,
            const Eigen::VectorXd& importance) {
  const Eigen::ArrayXd gain = with.array().log() - without.array().log();
  const double total = importance.sum();
  const double mean = importance.dot(gain.matrix()) / total;
  const double error = std::sqrt((importance.array() * (gain - mean)).square().sum()) / total;
  return mean > kFewestErrors * error;
}

}  // namespace

Eigen::VectorXd stacking_weights(const Eigen::Ref<const Eigen::MatrixXd>& log_densities,
                                 const Eigen::Ref<const Eigen::VectorXd>& importance) {
  const Eigen::Index C = log_densities.cols();
  // Finite even where no candidate gives any density.
  const Eigen::VectorXd best =
      log_densities.rowwise().maxCoeff().cwiseMax(std::numeric_limits<double>::lowest());
  const Eigen::MatrixXd densities =
      (log_densities.colwise() - best).cwiseMax(kLeastLogDensity).array().exp();
  Eigen::VectorXd kept = Eigen::VectorXd::Ones(C);
  Eigen::VectorXd shares = maximise(densities, importance, kept);
  for (Eigen::Index c = C - 1; c >= 0 && kept.sum() > 1; --c) {
    Eigen::VectorXd fewer = kept;
    fewer[c] = 0;
    const Eigen::VectorXd without = maximise(densities, importance, fewer);
    if (better(densities * shares, densities * without, importance)) continue;
    kept = fewer;
    shares = without;
  }
  return shares;
}

}  // namespace epsfree
