#include "epsfree/divergence.hpp"

#include <cmath>
#include <string>

#include "epsfree/error.hpp"
#include "prob/dimensions.hpp"

namespace epsfree {

double kl_divergence(const Gaussian& p, const Gaussian& q) {
  check_rows(q.dim(), p.dim(), "kl_divergence: q");
  // M = U_q U_p^-1, upper triangular, has tr(S_q^-1 S_p) = |M|^2 and det(S_p) / det(S_q) =
  // det(M)^2. Summed by diagonal entry, x^2 - 1 - log x^2, nothing large cancels for p close to q.
  const Eigen::MatrixXd M =
      p.precision_factor().triangularView<Eigen::Upper>().solve<Eigen::OnTheRight>(
          q.precision_factor());
  const Eigen::VectorXd d =
      q.precision_factor().triangularView<Eigen::Upper>() * (q.mean() - p.mean());
  double sum = d.squaredNorm();
  for (Index j = 0; j < M.cols(); ++j) {
    const double excess = M(j, j) * M(j, j) - 1;
    const double log_square = std::abs(excess) < 0.5 ? std::log1p(excess) : 2 * std::log(M(j, j));
    sum += excess - log_square + M.col(j).head(j).squaredNorm();
  }
  return 0.5 * sum;
}

Estimate kl_divergence(const GaussianMixture& p, const GaussianMixture& q, Index num_samples,
                       Stream& stream) {
  check_rows(q.dim(), p.dim(), "kl_divergence: q");
  if (p.num_components() == 1 && q.num_components() == 1) {
    return {kl_divergence(p.component(0), q.component(0)), 0};
  }
  if (num_samples < 2) {
    throw Error(ErrorKind::usage, "kl_divergence: num_samples = " + std::to_string(num_samples) +
                                      ", must be at least 2");
  }
  const Eigen::MatrixXd thetas = p.sample(num_samples, stream);
  const Eigen::ArrayXd terms = p.log_probs(thetas) - q.log_probs(thetas);
  const double n = static_cast<double>(num_samples);
  const double mean = terms.mean();
  const double variance = (terms - mean).square().sum() / (n - 1);
  return {mean, std::sqrt(variance / n)};
}

}  // namespace epsfree
