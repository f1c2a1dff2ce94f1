// Asking a posterior about parts of itself, and joining several.
#pragma once

#include <Eigen/Core>
#include <optional>
#include <span>
#include <vector>

#include "epsfree/posterior.hpp"

namespace epsfree {

/// Some parameters of a joint posterior, which is kept: that of a mixture which is cut off at its
/// prior's bounds is no truncated mixture any more, and other kinds may have no closed form at all.
/// Samples, moments and quantiles are those of the joint posterior. The density of a mixture's
/// marginal integrates each component over the other parameters' box, exactly where one parameter
/// is left out and by Genz's rule, to about 1e-3, otherwise. There is none (`has_log_prob`) where
/// the prior is an image of another, and for other kinds.
class MarginalPosterior final : public Posterior {
 public:
  MarginalPosterior(PosteriorPtr joint, std::vector<Index> dims);

  std::string kind() const override { return "marginal"; }
  const Posterior& joint() const { return *joint_; }
  const std::vector<Index>& dims() const { return dims_; }

  Eigen::MatrixXd sample(Index count, Stream& stream) const override;
  bool has_log_prob() const override { return has_density_; }
  double log_prob(const Eigen::Ref<const Eigen::VectorXd>& theta) const override;
  Eigen::VectorXd mean() const override;
  Eigen::MatrixXd covariance() const override;
  double log_prob_error() const override { return joint_->log_prob_error(); }
  bool log_prob_is_integral() const override { return true; }
  double quantile(Index dim, double probability) const override;

 protected:
  PosteriorPtr marginal_of(std::span<const Index> dims) const override;

 private:
  PosteriorPtr joint_;
  std::vector<Index> dims_, others_;
  /// What the others are expected to be, given these: offset + slope * z, with a constant spread.
  struct Others {
    Eigen::VectorXd offset, std;
    Eigen::MatrixXd slope;
  };
  bool others_are_cut(const Others& others, const Eigen::VectorXd& z) const;

  bool has_density_;
  /// Of each component: nothing where the others' bounds take no mass from it.
  std::vector<std::optional<Others>> cut_;
  Eigen::VectorXd lower_, upper_;  // of the others
};

/// Prior::marginal, Posterior::marginal and Posterior::conditional as functions.
PriorPtr marginal_prior(const PriorPtr& prior, std::span<const Index> dims);
PosteriorPtr marginal(const PosteriorPtr& posterior, std::span<const Index> dims);
PosteriorPtr conditional(const Posterior& posterior, std::span<const Index> dims,
                         const Eigen::Ref<const Eigen::VectorXd>& values);

/// The posterior given all data sets, and how far it is from the exact product. The numbers of
/// components of the posteriors multiply. If there are more than a few hundred, components are
/// merged (Runnalls 2007). The error is estimated with the exact density, which is known up to its
/// normaliser.
struct CombinedPosterior {
  PosteriorPtr posterior;
  bool is_exact = true;  ///< nothing was merged or dropped, and the errors are zero
  /// Estimated: the largest error of the probability of any set of parameters.
  double total_variation = 0;
  /// Estimated: the divergence KL(posterior || exact product) in nats.
  double divergence = 0;

  /// Above this total variation the posterior should not be used.
  static constexpr double kLargeError = 0.05;
  /// Empty unless the error is large.
  std::string warning() const;
};
/// The prior is counted once, as by `combine` of two. Throws ErrorKind::input as that does. The
/// time grows with the number of posteriors, not faster.
CombinedPosterior combine_all(std::span<const PosteriorPtr> posteriors);
/// Its posterior alone.
PosteriorPtr combine(std::span<const PosteriorPtr> posteriors);
/// Throws ErrorKind::input unless both have a `mixture`, under one prior.
void require_combinable(const Posterior& a, const Posterior& b);

/// Posterior::mode as a function.
Eigen::VectorXd map_estimate(const Posterior& posterior);

}  // namespace epsfree
