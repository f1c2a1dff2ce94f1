#include "infer/local/simulation_pool.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace epsfree {
namespace {

/// log(exp(a) + exp(b)) of each entry.
Eigen::VectorXd log_add(const Eigen::VectorXd& a, const Eigen::VectorXd& b) {
  // Where both are -inf, which a posterior's density may be, any finite number will do.
  const Eigen::ArrayXd top = a.array().max(b.array()).max(std::numeric_limits<double>::lowest());
  return top + ((a.array() - top).exp() + (b.array() - top).exp()).log();
}

}  // namespace

LocalTarget LocalTarget::of_prior(const Prior& prior) {
  LocalTarget target{Eigen::VectorXd::Zero(prior.dim()), prior.coordinate_log_density()};
  return target.around(prior.coordinate_mean());
}

LocalTarget LocalTarget::of(const Gaussian& gaussian) {
  return {gaussian.mean(), {gaussian.precision(), Eigen::VectorXd::Zero(gaussian.dim())}};
}

double LocalTarget::operator()(const Eigen::Ref<const Eigen::VectorXd>& z) const {
  const Eigen::VectorXd y = z - origin;
  return log_density.shift.dot(y) - 0.5 * y.dot(log_density.precision * y);
}

LocalTarget LocalTarget::around(const Eigen::VectorXd& other) const {
  const Eigen::VectorXd moved = other - origin;
  return {other, {log_density.precision, log_density.shift - log_density.precision * moved}};
}

LocalTarget LocalTarget::between(const LocalTarget& a, const LocalTarget& b, double share) {
  const LocalTarget moved = a.around(b.origin);
  return {b.origin,
          {(1 - share) * moved.log_density.precision + share * b.log_density.precision,
           (1 - share) * moved.log_density.shift + share * b.log_density.shift}};
}

SimulationPool::SimulationPool(PriorPtr prior) : prior_(std::move(prior)) {}

Eigen::VectorXd SimulationPool::log_density(const Source& source, const Eigen::MatrixXd& z) const {
  const double log_count = std::log(static_cast<double>(source.count));
  if (source.posterior) {
    Eigen::VectorXd result(z.cols());
    for (Index i = 0; i < z.cols(); ++i) {
      result[i] = log_count + source.posterior->log_prob(prior_->from_coordinates(z.col(i))) +
                  prior_->log_jacobian(z.col(i));
    }
    return result;
  }
  if (!source.proposal.is_prior()) {
    return source.proposal.gaussian->log_probs(z).array() + (log_count - source.log_mass);
  }
  Eigen::VectorXd result(z.cols());
  for (Index i = 0; i < z.cols(); ++i) {
    result[i] = log_count + prior_->log_prob(prior_->from_coordinates(z.col(i))) +
                prior_->log_jacobian(z.col(i));
  }
  return result;
}

void SimulationPool::add(const Proposal& proposal, const SimulatedPairs& pairs, double mass) {
  if (pairs.size() == 0) return;
  double log_mass = proposal.is_prior() ? 0 : std::log(mass);
  if (!std::isfinite(log_mass)) {  // not given, or too small for a double
    log_mass = TruncatedMixture(GaussianMixture(*proposal.gaussian), prior_->coordinate_support())
                   .log_mass();
  }
  add_source(Source{proposal, log_mass, pairs.size()}, pairs);
}

void SimulationPool::add_from(PosteriorPtr proposal, const SimulatedPairs& pairs) {
  if (pairs.size() == 0) return;
  if (!proposal) return add(Proposal{}, pairs);
  add_source(Source{{}, 0, pairs.size(), std::move(proposal)}, pairs);
}

void SimulationPool::add_source(Source source, const SimulatedPairs& pairs) {
  const Index before = size();
  Eigen::VectorXd log_new = log_density(source, pairs.coordinates);
  for (const Source& each : sources_)
    log_new = log_add(log_new, log_density(each, pairs.coordinates));
  if (before > 0) log_mixture_ = log_add(log_mixture_, log_density(source, coordinates_));

  const Index after = before + pairs.size();
  coordinates_.conservativeResize(pairs.coordinates.rows(), after);
  coordinates_.rightCols(pairs.size()) = pairs.coordinates;
  statistics_.conservativeResize(pairs.statistics.rows(), after);
  statistics_.rightCols(pairs.size()) = pairs.statistics;
  log_mixture_.conservativeResize(after);
  log_mixture_.tail(pairs.size()) = log_new;
  sources_.push_back(std::move(source));
}

SimulationPool SimulationPool::part(const std::vector<Index>& simulations) const {
  SimulationPool result(prior_);
  result.sources_ = sources_;
  result.coordinates_ = coordinates_(Eigen::all, simulations);
  result.statistics_ = statistics_(Eigen::all, simulations);
  result.log_mixture_ = log_mixture_(simulations);
  return result;
}

SimulationPool SimulationPool::with_statistics(Eigen::MatrixXd statistics) const {
  SimulationPool other(prior_);
  other.sources_ = sources_;
  other.coordinates_ = coordinates_;
  other.log_mixture_ = log_mixture_;
  other.statistics_ = std::move(statistics);
  return other;
}

Eigen::VectorXd SimulationPool::weights_towards(const LocalTarget& target) const {
  const Eigen::MatrixXd y = coordinates_.colwise() - target.origin;
  const Eigen::MatrixXd& P = target.log_density.precision;
  Eigen::VectorXd log_weights = y.transpose() * target.log_density.shift -
                                0.5 * (P * y).cwiseProduct(y).colwise().sum().transpose() -
                                log_mixture_;
  return (log_weights.array() - log_weights.maxCoeff()).exp();
}

}  // namespace epsfree
