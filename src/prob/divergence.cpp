#include "epsfree/divergence.hpp"

#include <cmath>
#include <string>

#include "epsfree/error.hpp"
#include "prob/dimensions.hpp"

namespace epsfree {
namespace {

void require_samples(Index count, const char* where) {
  if (count >= 2) return;
  throw Error(ErrorKind::usage, std::string(where) + ": num_samples = " + std::to_string(count) +
                                    ", must be at least 2");
}

Estimate mean_of(const Eigen::ArrayXd& terms) {
  const double n = static_cast<double>(terms.size());
  const double mean = terms.mean();
  return {mean, std::sqrt((terms - mean).square().sum() / (n - 1) / n)};
}

}  // namespace

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
  require_samples(num_samples, "kl_divergence");
  const Eigen::MatrixXd thetas = p.sample(num_samples, stream);
  return mean_of(p.log_probs(thetas) - q.log_probs(thetas));
}

Estimate kl_divergence(const Posterior& p, const Posterior& q, Index num_samples, Stream& stream) {
  require_samples(num_samples, "kl_divergence");
  const Eigen::MatrixXd samples = p.sample(num_samples, stream);
  return kl_divergence(samples, p.log_probs(samples), q);
}

Estimate kl_divergence(const Eigen::Ref<const Eigen::MatrixXd>& samples,
                       const Eigen::Ref<const Eigen::VectorXd>& log_densities, const Posterior& q) {
  check_rows(samples.rows(), q.dim(), "kl_divergence: samples");
  require_samples(samples.cols(), "kl_divergence");
  if (log_densities.size() != samples.cols()) {
    throw Error(ErrorKind::usage, "kl_divergence: " + std::to_string(log_densities.size()) +
                                      " log densities for " + std::to_string(samples.cols()) +
                                      " samples");
  }
  return mean_of(log_densities - q.log_probs(samples));
}

Estimate cross_entropy(const Eigen::Ref<const Eigen::MatrixXd>& samples, const Posterior& q) {
  check_rows(samples.rows(), q.dim(), "cross_entropy: samples");
  require_samples(samples.cols(), "cross_entropy");
  return mean_of(-q.log_probs(samples));
}

}  // namespace epsfree
