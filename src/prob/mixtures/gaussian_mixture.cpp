#include "epsfree/gaussian_mixture.hpp"

#include <algorithm>
#include <cmath>
#include <string>

#include "base/interruption.hpp"
#include "epsfree/error.hpp"
#include "prob/bracketed_root.hpp"
#include "prob/dimensions.hpp"
#include "prob/log_sum_exp.hpp"
#include "prob/normal.hpp"

namespace epsfree {
namespace {

/// Mean, standard deviation and weight of each component in one dimension.
struct Profile {
  Eigen::VectorXd means, stds, weights;
};

Profile profile(const GaussianMixture& mixture, Index dim) {
  const Index K = mixture.num_components();
  Profile result{Eigen::VectorXd(K), Eigen::VectorXd(K), mixture.weights()};
  for (Index k = 0; k < K; ++k) {
    const Gaussian& g = mixture.component(k);
    // The standard deviation is the norm of row `dim` of U^-1.
    Eigen::VectorXd unit = Eigen::VectorXd::Unit(g.dim(), dim);
    g.precision_factor().triangularView<Eigen::Upper>().transpose().solveInPlace(unit);
    result.means(k) = g.mean()(dim);
    result.stds(k) = unit.norm();
  }
  return result;
}

double lower_tail(const Profile& p, double value) {
  double sum = 0;
  for (Index k = 0; k < p.means.size(); ++k) {
    sum += p.weights(k) * normal_cdf((value - p.means(k)) / p.stds(k));
  }
  return sum;
}

double upper_tail(const Profile& p, double value) {
  double sum = 0;
  for (Index k = 0; k < p.means.size(); ++k) {
    sum += p.weights(k) * normal_cdf((p.means(k) - value) / p.stds(k));
  }
  return sum;
}

}  // namespace

GaussianMixture::GaussianMixture(std::vector<Gaussian> components, Eigen::VectorXd log_weights)
    : components_(std::move(components)), log_weights_(std::move(log_weights)) {
  if (components_.empty()) {
    throw Error(ErrorKind::input, "GaussianMixture: there are no components");
  }
  if (log_weights_.size() != num_components()) {
    throw Error(ErrorKind::input, "GaussianMixture: " + std::to_string(log_weights_.size()) +
                                      " log weights for " + std::to_string(num_components()) +
                                      " components");
  }
  for (const Gaussian& component : components_) {
    check_rows(component.dim(), dim(), "GaussianMixture: a component");
  }
  for (const double value : log_weights_) {
    if (std::isnan(value) || value == kInfinity) {
      throw Error(ErrorKind::input, "GaussianMixture: a log weight is NaN or +inf");
    }
  }
  if (log_weights_.maxCoeff() == -kInfinity) {
    throw Error(ErrorKind::input, "GaussianMixture: all log weights are -inf");
  }
  // Weights that are normalised but for rounding stay as they are: a mixture read from a file is
  // bit for bit the one that was written.
  constexpr double kRounding = 1e-14;
  if (std::abs(log_sum_exp(log_weights_)) > kRounding) {
    log_weights_.array() -= log_weights_.maxCoeff();  // first, so that large ones lose no digits
    log_weights_.array() -= log_sum_exp(log_weights_);
  }
}

GaussianMixture::GaussianMixture(Gaussian gaussian) : log_weights_(Eigen::VectorXd::Zero(1)) {
  components_.push_back(std::move(gaussian));
}

Eigen::VectorXd GaussianMixture::weights() const { return exp_each(log_weights_); }

double GaussianMixture::log_prob(const Eigen::Ref<const Eigen::VectorXd>& theta) const {
  return log_probs(theta)(0);
}

Eigen::VectorXd GaussianMixture::log_probs(const Eigen::Ref<const Eigen::MatrixXd>& thetas) const {
  Eigen::MatrixXd terms(num_components(), thetas.cols());
  for (Index k = 0; k < num_components(); ++k) {
    terms.row(k) = component(k).log_probs(thetas).array() + log_weights_(k);
  }
  Eigen::VectorXd result(thetas.cols());
  for (Index n = 0; n < thetas.cols(); ++n) result(n) = log_sum_exp(terms.col(n));
  return result;
}

Eigen::MatrixXd GaussianMixture::sample(Index count, Stream& stream) const {
  const Eigen::VectorXd alpha = weights();
  Eigen::MatrixXd thetas(dim(), count);
  for (Index n = 0; n < count; ++n) {
    check_interruption();
    thetas.col(n) = component(draw_index(alpha, stream)).sample(stream);
  }
  return thetas;
}

Eigen::VectorXd GaussianMixture::mean() const {
  Eigen::VectorXd sum = Eigen::VectorXd::Zero(dim());
  for (Index k = 0; k < num_components(); ++k) {
    sum += std::exp(log_weights_(k)) * component(k).mean();
  }
  return sum;
}

Eigen::MatrixXd GaussianMixture::covariance() const {
  const Eigen::VectorXd centre = mean();
  Eigen::MatrixXd sum = Eigen::MatrixXd::Zero(dim(), dim());
  for (Index k = 0; k < num_components(); ++k) {
    const Eigen::VectorXd offset = component(k).mean() - centre;
    sum += std::exp(log_weights_(k)) *
           (component(k).covariance() + Eigen::MatrixXd(offset * offset.transpose()));
  }
  return sum;
}

GaussianMixture GaussianMixture::marginal(std::span<const Index> dims) const {
  std::vector<Gaussian> parts;
  for (const Gaussian& g : components_) parts.push_back(g.marginal(dims));
  return GaussianMixture(std::move(parts), log_weights_);
}

GaussianMixture GaussianMixture::conditional(
    std::span<const Index> dims, const Eigen::Ref<const Eigen::VectorXd>& values) const {
  if (dims.empty()) return *this;
  std::vector<Gaussian> parts;
  Eigen::VectorXd log_weights = log_weights_;
  for (Index k = 0; k < num_components(); ++k) {
    parts.push_back(component(k).conditional(dims, values));
    log_weights(k) += component(k).marginal(dims).log_prob(values);
  }
  return GaussianMixture(std::move(parts), std::move(log_weights));
}

GaussianMixture GaussianMixture::affine(const Eigen::Ref<const Eigen::MatrixXd>& A,
                                        const Eigen::Ref<const Eigen::VectorXd>& b) const {
  std::vector<Gaussian> parts;
  for (const Gaussian& g : components_) parts.push_back(g.affine(A, b));
  return GaussianMixture(std::move(parts), log_weights_);
}

double GaussianMixture::cdf(Index dim, double value) const {
  check_dimension(dim, this->dim());
  if (std::isnan(value)) return value;
  return std::min(1.0, lower_tail(profile(*this, dim), value));
}

double GaussianMixture::quantile(Index dim, double probability) const {
  check_dimension(dim, this->dim());
  check_probability(probability);
  const double z = normal_quantile(probability);
  if (std::isinf(z)) return z;
  const Profile p = profile(*this, dim);
  // The quantile lies between the lowest and the highest of the components' own quantiles.
  const Eigen::VectorXd candidates = p.means + z * p.stds;
  double low = candidates.minCoeff();
  double high = candidates.maxCoeff();
  const double scale = p.stds.minCoeff();
  low -= 1e-9 * scale;
  high += 1e-9 * scale;
  const auto excess = [&](double x) {
    return probability < 0.5 ? lower_tail(p, x) - probability
                             : (1 - probability) - upper_tail(p, x);
  };
  return bracketed_root(excess, low, high);
}

Gaussian GaussianMixture::project() const {
  return Gaussian::from_covariance(mean(), covariance());
}

GaussianMixture GaussianMixture::prune(double min_weight) const {
  Index heaviest;
  log_weights_.maxCoeff(&heaviest);
  std::vector<Gaussian> parts;
  std::vector<double> kept;
  for (Index k = 0; k < num_components(); ++k) {
    if (k == heaviest || std::exp(log_weights_(k)) >= min_weight) {
      parts.push_back(component(k));
      kept.push_back(log_weights_(k));
    }
  }
  return GaussianMixture(std::move(parts), Eigen::Map<const Eigen::VectorXd>(
                                               kept.data(), static_cast<Index>(kept.size())));
}

}  // namespace epsfree
