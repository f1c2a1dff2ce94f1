#include "prob/priors/priors.hpp"

#include <cmath>
#include <string>
#include <typeinfo>

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

void Prior::draw_columns(Stream& stream, Eigen::Ref<Eigen::MatrixXd> thetas) const {
  for (Index n = 0; n < thetas.cols(); ++n) thetas.col(n) = sample(stream);
}

PriorPtr Prior::marginal(std::span<const Index> dims) const {
  check_some(dims, "marginal");
  other_dimensions(dims, dim());
  return marginal_of(dims);
}

PriorPtr Prior::conditional(std::span<const Index> dims,
                            const Eigen::Ref<const Eigen::VectorXd>& values) const {
  return conditional_on(dims, values, left_by_condition(dims, values.size(), dim()));
}

PriorPtr Prior::marginal_of(std::span<const Index> dims) const {
  PriorPtr self = weak_from_this().lock();
  if (!self) {
    throw Error(ErrorKind::usage,
                "marginal: it keeps the prior, which has to be made by std::make_shared");
  }
  return std::make_shared<MarginalPrior>(std::move(self),
                                         std::vector<Index>(dims.begin(), dims.end()));
}

PriorPtr Prior::conditional_on(std::span<const Index>, const Eigen::Ref<const Eigen::VectorXd>&,
                               std::span<const Index>) const {
  throw Error(ErrorKind::usage,
              "conditional: that of a prior of kind \"" + kind() + "\" is not known");
}

bool Prior::has_parameters_of(const Prior&) const { return false; }

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

PriorPtr IndependentPrior::marginal_of(std::span<const Index> dims) const {
  std::vector<Marginal> marginals;
  for (const Index dim : dims) marginals.push_back(marginals_[static_cast<std::size_t>(dim)]);
  return independent_prior(std::move(marginals));
}

PriorPtr IndependentPrior::conditional_on(std::span<const Index>,
                                          const Eigen::Ref<const Eigen::VectorXd>&,
                                          std::span<const Index> others) const {
  return marginal_of(others);
}

bool IndependentPrior::has_parameters_of(const Prior& other) const {
  return marginals_ == static_cast<const IndependentPrior&>(other).marginals_;
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

PriorPtr GaussianPrior::marginal_of(std::span<const Index> dims) const {
  return gaussian_prior(gaussian_.marginal(dims));
}

PriorPtr GaussianPrior::conditional_on(std::span<const Index> dims,
                                       const Eigen::Ref<const Eigen::VectorXd>& values,
                                       std::span<const Index>) const {
  return gaussian_prior(gaussian_.conditional(dims, values));
}

bool GaussianPrior::has_parameters_of(const Prior& other) const {
  const Gaussian& its = static_cast<const GaussianPrior&>(other).gaussian_;
  return gaussian_.mean() == its.mean() && gaussian_.precision_factor() == its.precision_factor();
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
  return &a == &b || (typeid(a) == typeid(b) && a.dim() == b.dim() && a.has_parameters_of(b));
}

}  // namespace epsfree
