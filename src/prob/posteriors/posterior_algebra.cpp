#include "epsfree/posterior_algebra.hpp"

namespace epsfree {

PriorPtr marginal_prior(const PriorPtr& prior, std::span<const Index> dims) {
  return prior->marginal(dims);
}

PosteriorPtr marginal(const PosteriorPtr& posterior, std::span<const Index> dims) {
  return posterior->marginal(dims);
}

PosteriorPtr conditional(const Posterior& posterior, std::span<const Index> dims,
                         const Eigen::Ref<const Eigen::VectorXd>& values) {
  return posterior.conditional(dims, values);
}

Eigen::VectorXd map_estimate(const Posterior& posterior) { return posterior.mode(); }

}  // namespace epsfree
