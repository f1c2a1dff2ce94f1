// Uses the installed headers and library, nothing else.
#include <epsfree/epsfree.hpp>

#include <cstdio>

namespace {

// Matrices that the library allocated are written to and freed here, and the other way round: both
// must agree on their alignment, whatever instruction set this program is compiled for.
bool exchanges_matrices(epsfree::Stream& stream) {
  for (epsfree::Index dim = 1; dim <= 9; ++dim) {
    const epsfree::PriorPtr prior =
        epsfree::uniform_prior(Eigen::VectorXd::Zero(dim), Eigen::VectorXd::Ones(dim));
    Eigen::MatrixXd thetas = prior->sample(17, stream);
    thetas = Eigen::MatrixXd(thetas.array().sqrt() + 1.0);
    if (!(thetas.minCoeff() > 1 && thetas.maxCoeff() < 2)) return false;
    const epsfree::Gaussian gaussian = epsfree::Gaussian::from_covariance(
        thetas.rowwise().mean(), Eigen::MatrixXd::Identity(dim, dim) * 4.0);
    Eigen::MatrixXd covariance = gaussian.covariance();
    covariance.diagonal().array() -= 4.0;
    if (!covariance.isZero(1e-12)) return false;
    const epsfree::GaussianMixture copy = epsfree::GaussianMixture(gaussian);
    if (!copy.mean().isApprox(gaussian.mean(), 1e-12)) return false;
  }
  return true;
}

}  // namespace

int main() {
  epsfree::Stream stream(1);
  const double uniform = stream.uniform();
  std::printf("epsfree %s, a uniform number %.3f\n", epsfree::version(), uniform);
  if (!exchanges_matrices(stream)) {
    std::printf("matrices from the library are not what they should be\n");
    return 1;
  }
  return uniform > 0 && uniform < 1 ? 0 : 1;
}
