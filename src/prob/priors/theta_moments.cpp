// Moments and quantiles of theta where its coordinates are a truncated mixture.

#include <cmath>
#include <optional>
#include <vector>

#include "epsfree/truncated_mixture.hpp"
#include "prob/log_sum_exp.hpp"
#include "prob/mixtures/truncated_points.hpp"
#include "prob/priors/family_forms.hpp"
#include "prob/priors/inside.hpp"
#include "prob/priors/priors.hpp"

namespace epsfree {
namespace {

// A mass that is only estimated, to 1e-4, is good enough for the variance of a log coordinate with
// at least this variance: the points that are the alternative miss the tail of such a theta.
constexpr double kWideLogVariance = 0.25;
// Components below this share are left out, as by the points.
constexpr double kSmallestShare = 1e-14;

/// Which coordinates are logarithms, if each is that or theta itself.
std::optional<std::vector<bool>> log_coordinates(const std::vector<Marginal>& marginals) {
  std::vector<bool> result;
  for (const Marginal& marginal : marginals) {
    if (is_quantile_transformed(marginal.family())) return std::nullopt;
    result.push_back(is_log_transformed(marginal.family()));
  }
  return result;
}

/// One component's moments. exp(z_i) times the density of N(m, S) is that of N(m + S e_i, S) times
/// exp(m_i + S_ii / 2), so that with M(t) the mass of N(m + S t, S) on the support
///   E[exp(z_i)] = exp(m_i + S_ii / 2) M(e_i) / M(0),
///   cov(exp(z_i), exp(z_j)) = E[exp(z_i)] E[exp(z_j)] (exp(S_ij) M(e_i + e_j) M(0) / M(e_i) /
///   M(e_j) - 1), cov(exp(z_i), z_j) = E[exp(z_i)] (E_i[z_j] - E[z_j]), E_i over N(m + S e_i, S) on
///   the support.
class TiltedComponent {
 public:
  TiltedComponent(const Gaussian& gaussian, const Support& support, const std::vector<bool>& is_log)
      : gaussian_(gaussian),
        support_(support),
        is_log_(is_log),
        S_(gaussian.covariance()),
        independent_(all_diagonal(GaussianMixture(gaussian), support)) {}

  /// Nothing where the moments are not known well enough.
  std::optional<ThetaMoments> moments() {
    const Index dim = gaussian_.dim();
    const TruncatedMixture plain = tilted(Eigen::VectorXd::Zero(dim));
    ThetaMoments result{plain.mean(), plain.covariance()};
    const Eigen::VectorXd z_mean = result.mean;
    Eigen::VectorXd log_masses = Eigen::VectorXd::Zero(dim);
    Eigen::MatrixXd shifts = Eigen::MatrixXd::Zero(dim, dim);  // E_i[z] - E[z] in column i
    for (Index i = 0; i < dim; ++i) {
      if (!is_log(i)) continue;
      const TruncatedMixture once = tilted(Eigen::VectorXd::Unit(dim, i));
      log_masses(i) = once.log_mass();
      shifts.col(i) = once.mean() - z_mean;
      result.mean(i) =
          std::exp(gaussian_.mean()(i) + 0.5 * S_(i, i) + log_masses(i) - plain.log_mass());
    }
    for (Index i = 0; i < dim; ++i) {
      for (Index j = 0; j <= i; ++j) {
        if (is_log(i) && is_log(j)) {
          const TruncatedMixture twice =
              tilted(Eigen::VectorXd::Unit(dim, i) + Eigen::VectorXd::Unit(dim, j));
          result.covariance(i, j) = result.mean(i) * result.mean(j) *
                                    std::expm1(S_(i, j) + twice.log_mass() + plain.log_mass() -
                                               log_masses(i) - log_masses(j));
        } else if (is_log(i)) {
          result.covariance(i, j) = result.mean(i) * shifts(j, i);
        } else if (is_log(j)) {
          result.covariance(i, j) = result.mean(j) * shifts(i, j);
        }
        result.covariance(j, i) = result.covariance(i, j);
      }
    }
    if (!known_ && !all_wide()) return std::nullopt;
    return result;
  }

 private:
  bool is_log(Index i) const { return is_log_[static_cast<std::size_t>(i)]; }

  bool all_wide() const {
    for (Index i = 0; i < S_.rows(); ++i) {
      if (is_log(i) && S_(i, i) < kWideLogVariance) return false;
    }
    return true;
  }

  TruncatedMixture tilted(const Eigen::VectorXd& tilt) {
    TruncatedMixture result(GaussianMixture(Gaussian::from_precision_factor(
                                gaussian_.mean() + S_ * tilt, gaussian_.precision_factor())),
                            support_);
    known_ = known_ && (independent_ || result.log_mass() > -kNothingCutOff);
    return result;
  }

  const Gaussian& gaussian_;
  const Support& support_;
  const std::vector<bool>& is_log_;
  Eigen::MatrixXd S_;
  bool independent_;
  bool known_ = true;  // all masses and means so far without sampling error
};

std::optional<ThetaMoments> closed_form(const TruncatedMixture& z,
                                        const std::vector<bool>& is_log) {
  std::vector<ThetaMoments> parts;
  std::vector<double> shares;
  ThetaMoments result{Eigen::VectorXd::Zero(z.dim()), Eigen::MatrixXd::Zero(z.dim(), z.dim())};
  for (Index k = 0; k < z.mixture().num_components(); ++k) {
    const double share =
        std::exp(z.mixture().log_weights()(k) + z.log_component_masses()(k) - z.log_mass());
    if (share < kSmallestShare) continue;
    std::optional<ThetaMoments> part =
        TiltedComponent(z.mixture().component(k), z.support(), is_log).moments();
    if (!part) return std::nullopt;
    result.mean += share * part->mean;
    shares.push_back(share);
    parts.push_back(std::move(*part));
  }
  for (std::size_t k = 0; k < parts.size(); ++k) {
    const Eigen::VectorXd offset = parts[k].mean - result.mean;
    result.covariance += shares[k] * (parts[k].covariance + offset * offset.transpose());
  }
  if (!result.mean.allFinite() || !result.covariance.allFinite()) return std::nullopt;
  return result;
}

/// The distribution of theta as weighted points, for what has no closed form.
WeightedSamples theta_points(const Prior& prior, const TruncatedMixture& coordinates) {
  const WeightedSamples& z = coordinates.points();
  Eigen::MatrixXd thetas(z.dim(), z.size());
  for (Index n = 0; n < z.size(); ++n) {
    thetas.col(n) = prior.from_coordinates(z.points().col(n));
  }
  return WeightedSamples(std::move(thetas), z.weights().array().log());
}

}  // namespace

ThetaMoments Prior::theta_moments(const TruncatedMixture& z) const {
  if (coordinates_are_identity()) return {z.mean(), z.covariance()};
  const WeightedSamples points = theta_points(*this, z);
  return {points.mean(), points.covariance()};
}

double Prior::theta_quantile(const TruncatedMixture& z, Index dim, double probability) const {
  if (coordinates_are_identity()) return z.quantile(dim, probability);
  return theta_points(*this, z).quantile(dim, probability);
}

ThetaMoments IndependentPrior::theta_moments(const TruncatedMixture& z) const {
  if (coordinates_are_identity()) return Prior::theta_moments(z);
  if (const auto is_log = log_coordinates(marginals_)) {
    if (auto moments = closed_form(z, *is_log)) return std::move(*moments);
  }
  return Prior::theta_moments(z);
}

double IndependentPrior::theta_quantile(const TruncatedMixture& z, Index dim,
                                        double probability) const {
  // Each dimension's map is monotone, so quantiles go through it.
  const double own = z.quantile(dim, probability);
  return marginals_[static_cast<std::size_t>(dim)].from_coordinate(own);
}

}  // namespace epsfree
