#include "prob/priors/priors.hpp"

#include <cmath>
#include <string>

#include "base/interruption.hpp"
#include "epsfree/error.hpp"
#include "prob/dimensions.hpp"
#include "prob/log_sum_exp.hpp"

namespace epsfree {
namespace {

template <class Value>
Eigen::VectorXd each(const std::vector<Marginal>& marginals, Value value) {
  Eigen::VectorXd result(static_cast<Index>(marginals.size()));
  for (Index i = 0; i < result.size(); ++i) {
    result(i) = value(marginals[static_cast<std::size_t>(i)], i);
  }
  return result;
}

}  // namespace

Eigen::MatrixXd Prior::sample(Index count, Stream& stream) const {
  Eigen::MatrixXd thetas(dim(), count);
  for (Index n = 0; n < count; ++n) {
    check_interruption();
    thetas.col(n) = sample(stream);
  }
  return thetas;
}

IndependentPrior::IndependentPrior(std::vector<Marginal> marginals)
    : marginals_(std::move(marginals)) {
  if (marginals_.empty()) {
    throw Error(ErrorKind::input, "independent prior: at least one marginal is needed");
  }
}

Eigen::VectorXd IndependentPrior::sample(Stream& stream) const {
  return each(marginals_, [&](const Marginal& m, Index) { return m.sample(stream); });
}

double IndependentPrior::log_prob(const Eigen::Ref<const Eigen::VectorXd>& theta) const {
  check_rows(theta.size(), dim(), "independent prior: theta");
  return each(marginals_, [&](const Marginal& m, Index i) { return m.log_prob(theta(i)); }).sum();
}

bool IndependentPrior::contains(const Eigen::Ref<const Eigen::VectorXd>& theta) const {
  if (theta.size() != dim()) return false;
  for (Index i = 0; i < dim(); ++i) {
    if (!marginals_[static_cast<std::size_t>(i)].contains(theta(i))) return false;
  }
  return true;
}

Eigen::VectorXd IndependentPrior::mean() const {
  return each(marginals_, [](const Marginal& m, Index) { return m.mean(); });
}

Eigen::MatrixXd IndependentPrior::covariance() const {
  return each(marginals_, [](const Marginal& m, Index) { return m.variance(); }).asDiagonal();
}

Eigen::VectorXd IndependentPrior::to_coordinates(
    const Eigen::Ref<const Eigen::VectorXd>& theta) const {
  check_rows(theta.size(), dim(), "independent prior: theta");
  return each(marginals_, [&](const Marginal& m, Index i) { return m.to_coordinate(theta(i)); });
}

Eigen::VectorXd IndependentPrior::from_coordinates(
    const Eigen::Ref<const Eigen::VectorXd>& z) const {
  check_rows(z.size(), dim(), "independent prior: z");
  return each(marginals_, [&](const Marginal& m, Index i) { return m.from_coordinate(z(i)); });
}

double IndependentPrior::log_jacobian(const Eigen::Ref<const Eigen::VectorXd>& z) const {
  check_rows(z.size(), dim(), "independent prior: z");
  return each(marginals_, [&](const Marginal& m, Index i) { return m.log_jacobian(z(i)); }).sum();
}

bool IndependentPrior::coordinates_are_identity() const {
  for (const Marginal& marginal : marginals_) {
    if (!marginal.coordinate_is_identity()) return false;
  }
  return true;
}

Support IndependentPrior::coordinate_support() const {
  return Support::box(
      each(marginals_, [](const Marginal& m, Index) { return m.coordinate_lower(); }),
      each(marginals_, [](const Marginal& m, Index) { return m.coordinate_upper(); }));
}

LogQuadratic IndependentPrior::coordinate_log_density() const {
  const Eigen::VectorXd precisions =
      each(marginals_, [](const Marginal& m, Index) { return m.coordinate_precision(); });
  return {precisions.asDiagonal(),
          each(marginals_, [](const Marginal& m, Index) { return m.coordinate_shift(); })};
}

Eigen::VectorXd IndependentPrior::coordinate_mean() const {
  return each(marginals_, [](const Marginal& m, Index) { return m.coordinate_mean(); });
}

Eigen::VectorXd IndependentPrior::coordinate_std() const {
  return each(marginals_, [](const Marginal& m, Index) { return m.coordinate_std(); });
}

double GaussianPrior::log_prob(const Eigen::Ref<const Eigen::VectorXd>& theta) const {
  return theta.allFinite() ? gaussian_.log_prob(theta) : -kInfinity;
}

bool GaussianPrior::contains(const Eigen::Ref<const Eigen::VectorXd>& theta) const {
  return theta.size() == dim() && theta.allFinite();
}

Eigen::VectorXd GaussianPrior::coordinate_std() const {
  return gaussian_.covariance().diagonal().cwiseSqrt();
}

PriorPtr independent_prior(std::vector<Marginal> marginals) {
  return std::make_shared<IndependentPrior>(std::move(marginals));
}

PriorPtr uniform_prior(const Eigen::Ref<const Eigen::VectorXd>& low,
                       const Eigen::Ref<const Eigen::VectorXd>& high) {
  check_rows(high.size(), low.size(), "uniform prior: high");
  std::vector<Marginal> marginals;
  for (Index i = 0; i < low.size(); ++i) marginals.push_back(Marginal::uniform(low(i), high(i)));
  return independent_prior(std::move(marginals));
}

PriorPtr gaussian_prior(Gaussian gaussian) {
  return std::make_shared<GaussianPrior>(std::move(gaussian));
}

PriorPtr linear_image_prior(PriorPtr base, Eigen::MatrixXd A, Eigen::VectorXd b) {
  return std::make_shared<LinearImagePrior>(std::move(base), std::move(A), std::move(b));
}

bool same_prior(const Prior& a, const Prior& b) {
  if (&a == &b) return true;
  if (a.kind() != b.kind() || a.dim() != b.dim()) return false;
  if (const auto* first = dynamic_cast<const IndependentPrior*>(&a)) {
    const auto* second = dynamic_cast<const IndependentPrior*>(&b);
    return second && first->marginals() == second->marginals();
  }
  if (const auto* first = dynamic_cast<const GaussianPrior*>(&a)) {
    const auto* second = dynamic_cast<const GaussianPrior*>(&b);
    return second && first->gaussian().mean() == second->gaussian().mean() &&
           first->gaussian().precision_factor() == second->gaussian().precision_factor();
  }
  if (const auto* first = dynamic_cast<const LinearImagePrior*>(&a)) {
    const auto* second = dynamic_cast<const LinearImagePrior*>(&b);
    return second && first->A() == second->A() && first->b() == second->b() &&
           same_prior(first->base(), second->base());
  }
  if (const auto* first = dynamic_cast<const MarginalPrior*>(&a)) {
    const auto* second = dynamic_cast<const MarginalPrior*>(&b);
    return second && first->dims() == second->dims() && same_prior(first->base(), second->base());
  }
  return false;
}

}  // namespace epsfree
