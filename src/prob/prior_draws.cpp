#include "prob/prior_draws.hpp"

#include <algorithm>
#include <cmath>

#include "prob/inside.hpp"
#include "prob/priors.hpp"

namespace epsfree {
namespace {

void draw_independent(const IndependentPrior& prior, Stream& stream,
                      Eigen::Ref<Eigen::MatrixXd> thetas) {
  const std::vector<Marginal>& marginals = prior.marginals();
  for (Index n = 0; n < thetas.cols(); ++n) {
    for (Index i = 0; i < thetas.rows(); ++i) {
      const Marginal& marginal = marginals[static_cast<std::size_t>(i)];
      if (marginal.family() == Family::uniform) {
        const double low = marginal.parameters()[0], high = marginal.parameters()[1];
        thetas(i, n) = std::clamp(stream.uniform(low, high), low, high);
      } else {
        thetas(i, n) = marginal.sample(stream);
      }
    }
  }
}

/// theta = A u + b in place, and back inside where rounding has left the support.
void map_columns(const LinearImagePrior& prior, Eigen::Ref<Eigen::MatrixXd> points) {
  const Support support = prior.coordinate_support();
  const Eigen::MatrixXd to_box = support.to_box();
  const Eigen::MatrixXd& A = prior.A();
  const Index dim = points.rows();
  Eigen::VectorXd theta(dim);
  for (Index n = 0; n < points.cols(); ++n) {
    for (Index i = 0; i < dim; ++i) {
      double sum = prior.b()[i];
      for (Index j = 0; j < dim; ++j) sum += A(i, j) * points(j, n);
      theta[i] = sum;
    }
    bool inside = true;
    for (Index i = 0; i < dim; ++i) {
      double sum = 0;
      for (Index j = 0; j < dim; ++j) sum += to_box(i, j) * theta[j];
      // With some room: what lies this near to a bound is looked at properly.
      const double low = support.lower()[i], high = support.upper()[i];
      const double room = 1e-9 * std::min(high - low, 1.0) + 1e-12 * std::abs(sum);
      inside = inside && sum > low + room && sum < high - room;
    }
    points.col(n) = theta;
    if (!inside && !prior.contains(points.col(n))) points.col(n) = bring_inside(support, theta);
  }
}

}  // namespace

void draw_columns(const Prior& prior, Stream& stream, Eigen::Ref<Eigen::MatrixXd> thetas) {
  if (const auto* independent = dynamic_cast<const IndependentPrior*>(&prior)) {
    draw_independent(*independent, stream, thetas);
    return;
  }
  const auto* image = dynamic_cast<const LinearImagePrior*>(&prior);
  if (image != nullptr && image->coordinates_are_identity()) {
    draw_columns(image->base(), stream, thetas);
    map_columns(*image, thetas);
    return;
  }
  for (Index n = 0; n < thetas.cols(); ++n) thetas.col(n) = prior.sample(stream);
}

}  // namespace epsfree
