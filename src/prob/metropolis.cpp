#include "prob/metropolis.hpp"

#include <array>
#include <cmath>
#include <utility>

#include "base/dense_solvers.hpp"
#include "epsfree/error.hpp"
#include "prob/dimensions.hpp"
#include "prob/log_sum_exp.hpp"

namespace epsfree {
namespace {

// Times 2.38 / sqrt(D), the best for Gaussian targets in many dimensions (Roberts, Gelman & Gilks
// 1997).
constexpr std::array kLadder = {0.125, 0.25, 0.5, 1.0, 2.0};
constexpr std::size_t kMiddle = 3;
// Of the covariance that was given, mixed into the one learnt, so that it is never singular.
constexpr double kShrinkage = 0.01;
constexpr double kFewestStatesPerDimension = 10;

Eigen::MatrixXd factor_of(const Eigen::MatrixXd& covariance) {
  const Cholesky cholesky(covariance);
  if (!covariance.allFinite() || !cholesky.succeeded()) {
    throw Error(ErrorKind::input, "MetropolisChains: the covariance is not positive definite");
  }
  return cholesky.lower();
}

}  // namespace

MetropolisChains::MetropolisChains(Eigen::MatrixXd states, Eigen::VectorXd log_densities,
                                   const Eigen::Ref<const Eigen::MatrixXd>& covariance,
                                   const MetropolisOptions& options)
    : options_(options),
      states_(std::move(states)),
      proposals_(states_),
      log_densities_(std::move(log_densities)),
      log_uniforms_(Eigen::VectorXd::Zero(states_.cols())),
      moved_(static_cast<std::size_t>(states_.cols()), false),
      scale_(options.scale > 0 ? options.scale : 2.38 / std::sqrt(double(states_.rows()))),
      tuning_(options.scale <= 0),
      rungs_(moved_.size(), kMiddle),
      jumps_(Eigen::VectorXd::Zero(Index{kLadder.size()})),
      tries_(jumps_),
      sum_(Eigen::VectorXd::Zero(states_.rows())),
      squares_(Eigen::MatrixXd::Zero(states_.rows(), states_.rows())) {
  if (states_.size() == 0 || log_densities_.size() != states_.cols() ||
      covariance.rows() != dim() || covariance.cols() != dim()) {
    throw Error(ErrorKind::input, "MetropolisChains: states, densities and covariance do not fit");
  }
  if (!states_.allFinite() || !log_densities_.allFinite()) {
    throw Error(ErrorKind::input, "MetropolisChains: a chain starts where there is no density");
  }
  factor_ = factor_of(covariance);
  origin_ = states_.rowwise().mean();
}

double MetropolisChains::width_of(std::size_t chain) const {
  return tuning_ ? scale_ * kLadder[rungs_[chain]] : scale_;
}

void MetropolisChains::propose(std::span<Stream> streams) {
  check_rows(static_cast<Index>(streams.size()), num_chains(), "MetropolisChains: streams");
  Eigen::VectorXd noise(dim());
  for (Index c = 0; c < num_chains(); ++c) {
    const auto chain = static_cast<std::size_t>(c);
    Stream& stream = streams[chain];
    if (tuning_) rungs_[chain] = stream.below(kLadder.size());
    for (double& value : noise) value = stream.normal();
    proposals_.col(c) = states_.col(c) + width_of(chain) * (factor_ * noise);
    log_uniforms_[c] = std::log(stream.uniform());
  }
}

bool MetropolisChains::would_accept(Index chain, double log_density) const {
  // False for NaN too.
  return log_density > -kInfinity && log_uniforms_[chain] < log_density - log_densities_[chain];
}

Index MetropolisChains::decide(const Eigen::Ref<const Eigen::VectorXd>& log_densities) {
  check_rows(log_densities.size(), num_chains(), "MetropolisChains: log densities");
  Index count = 0;
  for (Index c = 0; c < num_chains(); ++c) {
    const auto chain = static_cast<std::size_t>(c);
    moved_[chain] = would_accept(c, log_densities[c]);
    if (tuning_) tries_[static_cast<Index>(rungs_[chain])] += 1;
    if (!moved_[chain]) continue;
    if (tuning_) {
      const Eigen::VectorXd jump = proposals_.col(c) - states_.col(c);
      jumps_[static_cast<Index>(rungs_[chain])] +=
          factor_.triangularView<Eigen::Lower>().solve(jump).squaredNorm();
    }
    states_.col(c) = proposals_.col(c);
    log_densities_[c] = log_densities[c];
    ++count;
  }
  return count;
}

void MetropolisChains::tune(long step, long burn_in) {
  const Eigen::MatrixXd centred = states_.colwise() - origin_;
  num_states_ += static_cast<double>(num_chains());
  sum_ += centred.rowwise().sum();
  squares_ += centred * centred.transpose();
  if (step + 1 == burn_in / 4 || step + 1 == burn_in / 2) reshape();
  if (step + 1 < burn_in || !tuning_) return;
  tuning_ = false;
  Index best = 0;
  const Eigen::ArrayXd mean_jumps = jumps_.array() / tries_.array().max(1.0);
  if (mean_jumps.maxCoeff(&best) > 0) scale_ *= kLadder[static_cast<std::size_t>(best)];
}

/// Takes the shape of the steps from the states since the last time; the first of them are still on
/// the way from the start.
void MetropolisChains::reshape() {
  const double D = static_cast<double>(dim());
  if (!options_.full && options_.scale > 0) return;
  if (num_states_ < kFewestStatesPerDimension * D) return;
  const Eigen::VectorXd mean = sum_ / num_states_;
  const Eigen::MatrixXd learnt = squares_ / num_states_ - mean * mean.transpose();
  const Eigen::MatrixXd before = covariance();
  // How much wider the states are than the covariance before, on average over its directions.
  const Eigen::MatrixXd inverse =
      factor_.triangularView<Eigen::Lower>().solve(Eigen::MatrixXd::Identity(dim(), dim()));
  const double ratio = (inverse * learnt).cwiseProduct(inverse).sum() / D;
  num_states_ = 0;
  sum_.setZero();
  squares_.setZero();
  if (!(ratio > 1e-12) || !std::isfinite(ratio)) return;  // they have hardly moved
  Eigen::MatrixXd next = ratio * before;
  if (options_.full) next = kShrinkage * next + (1 - kShrinkage) * learnt;
  const Cholesky cholesky(next);
  if (!next.allFinite() || !cholesky.succeeded()) return;
  factor_ = cholesky.lower();
  jumps_.setZero();  // were in units of the shape before
  tries_.setZero();
}

}  // namespace epsfree
