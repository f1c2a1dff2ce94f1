#include "prob/stacking.hpp"

namespace epsfree {
namespace {

constexpr int kMaxIterations = 200;
constexpr double kTolerance = 1e-4;
// Below everything that differs by a finite factor; a candidate that gives an example no density at
// all must not make the sums NaN.
constexpr double kLeastLogDensity = -700;

}  // namespace

Eigen::VectorXd stacking_weights(const Eigen::Ref<const Eigen::MatrixXd>& log_densities,
                                 const Eigen::Ref<const Eigen::VectorXd>& importance) {
  const Eigen::Index C = log_densities.cols();
  Eigen::VectorXd a = Eigen::VectorXd::Constant(C, 1 / static_cast<double>(C));
  if (C == 1) return a;
  const Eigen::VectorXd best = log_densities.rowwise().maxCoeff();
  const Eigen::MatrixXd relative =
      (log_densities.colwise() - best).cwiseMax(kLeastLogDensity).array().exp();
  for (int i = 0; i < kMaxIterations; ++i) {
    const Eigen::VectorXd mixed = relative * a;
    Eigen::VectorXd next =
        a.cwiseProduct(relative.transpose() * importance.cwiseQuotient(mixed));
    next /= next.sum();
    const double change = (next - a).cwiseAbs().maxCoeff();
    a = next;
    if (change < kTolerance) break;
  }
  return a;
}

}  // namespace epsfree
