// The highest mode of a mixture (Carreira-Perpinan 2000): from every component's mean, Newton steps
// where the density is concave and they climb, fixed-point steps (which always climb) elsewhere.
#include <cmath>

#include "base/dense_solvers.hpp"
#include "base/interruption.hpp"
#include "epsfree/gaussian_mixture.hpp"
#include "prob/log_sum_exp.hpp"

namespace epsfree {
namespace {

struct LocalShape {
  double log_prob;
  Eigen::VectorXd gradient;            // of log p
  Eigen::MatrixXd negative_hessian;    // of log p
  Eigen::MatrixXd expected_precision;  // sum_k r_k P_k
};

LocalShape local_shape(const GaussianMixture& mixture,
                       const std::vector<Eigen::MatrixXd>& precisions, const Eigen::VectorXd& x) {
  const Index dim = mixture.dim();
  Eigen::VectorXd terms(mixture.num_components());
  for (Index k = 0; k < terms.size(); ++k) {
    terms(k) = mixture.log_weights()(k) + mixture.component(k).log_prob(x);
  }
  LocalShape shape{log_sum_exp(terms), Eigen::VectorXd::Zero(dim), Eigen::MatrixXd::Zero(dim, dim),
                   Eigen::MatrixXd::Zero(dim, dim)};
  for (Index k = 0; k < terms.size(); ++k) {
    const double r = std::exp(terms(k) - shape.log_prob);
    const Eigen::MatrixXd& P = precisions[static_cast<std::size_t>(k)];
    const Eigen::VectorXd pull = P * (mixture.component(k).mean() - x);
    shape.gradient += r * pull;
    shape.expected_precision += r * P;
    shape.negative_hessian -= r * (pull * pull.transpose());
  }
  shape.negative_hessian += shape.expected_precision + shape.gradient * shape.gradient.transpose();
  return shape;
}

}  // namespace

Eigen::VectorXd GaussianMixture::map() const {
  if (num_components() == 1) return component(0).mean();
  constexpr int kMaxSteps = 500;
  std::vector<Eigen::MatrixXd> precisions;
  for (const Gaussian& g : components_) precisions.push_back(g.precision());
  Eigen::VectorXd best = component(0).mean();
  double best_log_prob = -kInfinity;
  for (Index start = 0; start < num_components(); ++start) {
    if (log_weights_(start) == -kInfinity) continue;
    Eigen::VectorXd x = component(start).mean();
    LocalShape here = local_shape(*this, precisions, x);
    for (int step = 0; step < kMaxSteps; ++step) {
      check_interruption();
      const Cholesky newton(here.negative_hessian);
      Eigen::VectorXd move = newton.succeeded()
                                 ? newton.solve(here.gradient)
                                 : Cholesky(here.expected_precision).solve(here.gradient);
      LocalShape there = local_shape(*this, precisions, x + move);
      if (newton.succeeded() && !(there.log_prob >= here.log_prob)) {
        move = Cholesky(here.expected_precision).solve(here.gradient);
        there = local_shape(*this, precisions, x + move);
      }
      if (!(there.log_prob >= here.log_prob)) break;  // as high as rounding allows
      const double moved = std::sqrt(std::abs(move.dot(here.expected_precision * move)));
      x += move;
      here = std::move(there);
      if (moved < 1e-13) break;
    }
    if (here.log_prob > best_log_prob) {
      best_log_prob = here.log_prob;
      best = x;
    }
  }
  return best;
}

}  // namespace epsfree
