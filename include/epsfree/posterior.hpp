// What is believed about the parameters after the data.
#pragma once

#include <Eigen/Core>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "epsfree/prior.hpp"
#include "epsfree/truncated_mixture.hpp"
#include "epsfree/weighted_samples.hpp"

namespace epsfree {

class Posterior;
using PosteriorPtr = std::shared_ptr<const Posterior>;

/// A distribution over theta, on the prior's support. The library's kinds are "mixture", "samples"
/// and "marginal"; callers use this interface and never ask for the class.
///
/// To add a kind, derive from this class and implement kind, sample, mean, covariance and quantile,
/// and has_log_prob and log_prob if it has a density. Everything else has a default that works for
/// every kind, or an error that says what the kind has not; override it where the kind has a closed
/// form or a faster way. What `mixture` and `weighted_samples` return is used where there is one:
/// by `combine` (posterior_algebra.hpp), by calibration, by pictures. Make posteriors with
/// std::make_shared: a marginal keeps the posterior that it is a part of. A kind that can be saved
/// has a row in the table of src/io/posterior_file.cpp.
class Posterior : public std::enable_shared_from_this<Posterior> {
 public:
  virtual ~Posterior() = default;

  /// One word, for files and messages.
  virtual std::string kind() const = 0;
  const Prior& prior() const { return *prior_; }
  PriorPtr prior_ptr() const { return prior_; }
  Index dim() const { return prior_->dim(); }
  /// One name per parameter.
  const std::vector<std::string>& names() const { return names_; }
  /// Those of some parameters.
  std::vector<std::string> names_of(std::span<const Index> dims) const;

  /// One column per sample; every one lies in the prior's support.
  virtual Eigen::MatrixXd sample(Index count, Stream& stream) const = 0;

  /// Whether log_prob can be called.
  virtual bool has_log_prob() const { return false; }
  /// Normalised on the prior's support, -inf outside. Throws ErrorKind::usage where the density is
  /// not known.
  virtual double log_prob(const Eigen::Ref<const Eigen::VectorXd>& theta) const;
  virtual Eigen::VectorXd log_probs(const Eigen::Ref<const Eigen::MatrixXd>& thetas) const;
  /// The standard error of log_prob where its normalisation is estimated, the same for every theta.
  /// By default that of the mass on the support.
  virtual double log_prob_error() const;
  /// Whether each value of log_prob is an integral over other parameters, which takes long.
  virtual bool log_prob_is_integral() const { return false; }

  virtual Eigen::VectorXd mean() const = 0;
  virtual Eigen::MatrixXd covariance() const = 0;
  Eigen::VectorXd standard_deviation() const;
  virtual double quantile(Index dim, double probability) const = 0;
  /// The highest point of the density of theta on the prior's support. The default climbs from the
  /// best of some samples. Throws ErrorKind::usage where there is no density.
  virtual Eigen::VectorXd mode() const;

  /// The posterior of theta[dims[0]], theta[dims[1]], ... in that order. Throws ErrorKind::input
  /// unless these are different parameters, at least one.
  PosteriorPtr marginal(std::span<const Index> dims) const;
  /// The posterior of the other parameters, in their own order, given theta[dims[i]] = values[i].
  /// Throws ErrorKind::input if no parameter is left, the values lie outside the prior's support,
  /// or the kind has no closed form.
  PosteriorPtr conditional(std::span<const Index> dims,
                           const Eigen::Ref<const Eigen::VectorXd>& values) const;

  /// The mixture in the prior's coordinates that the posterior is, else null.
  virtual const TruncatedMixture* mixture() const { return nullptr; }
  /// The weighted samples of theta that the posterior is, else null.
  virtual const WeightedSamples* weighted_samples() const { return nullptr; }
  /// The mass on the prior's support of a density that was cut off there. By default that of
  /// `mixture`; nothing where nothing was cut.
  virtual std::optional<Estimate> mass_on_support() const;

 protected:
  Posterior(PriorPtr prior, std::vector<std::string> names);

  /// `dims` has been checked. The default is a MarginalPosterior (posterior_algebra.hpp): samples,
  /// moments and quantiles of this posterior, without a density.
  virtual PosteriorPtr marginal_of(std::span<const Index> dims) const;
  /// `dims` and the number of values have been checked, `others` are the parameters that are left.
  /// The default throws ErrorKind::input.
  virtual PosteriorPtr conditional_on(std::span<const Index> dims,
                                      const Eigen::Ref<const Eigen::VectorXd>& values,
                                      std::span<const Index> others) const;

 private:
  PriorPtr prior_;
  std::vector<std::string> names_;
};

/// A Gaussian mixture in the prior's coordinates, normalised on its support.
class MixturePosterior final : public Posterior {
 public:
  MixturePosterior(PriorPtr prior, std::vector<std::string> names, GaussianMixture mixture);

  std::string kind() const override { return "mixture"; }
  /// In the prior's coordinates, which are theta itself for uniform and Gaussian priors.
  const TruncatedMixture& coordinates() const { return coordinates_; }

  Eigen::MatrixXd sample(Index count, Stream& stream) const override;
  bool has_log_prob() const override { return true; }
  double log_prob(const Eigen::Ref<const Eigen::VectorXd>& theta) const override;
  Eigen::VectorXd mean() const override;
  Eigen::MatrixXd covariance() const override;
  double quantile(Index dim, double probability) const override;
  Eigen::VectorXd mode() const override;
  const TruncatedMixture* mixture() const override { return &coordinates_; }

 protected:
  /// A mixture where the bounds of the others cut nothing off, else a MarginalPosterior.
  PosteriorPtr marginal_of(std::span<const Index> dims) const override;
  /// A mixture. Throws ErrorKind::input unless the prior's coordinates are separate.
  PosteriorPtr conditional_on(std::span<const Index> dims,
                              const Eigen::Ref<const Eigen::VectorXd>& values,
                              std::span<const Index> others) const override;

 private:
  TruncatedMixture coordinates_;
};

/// Weighted samples of theta.
class SamplesPosterior final : public Posterior {
 public:
  SamplesPosterior(PriorPtr prior, std::vector<std::string> names, WeightedSamples samples);

  std::string kind() const override { return "samples"; }
  const WeightedSamples& samples() const { return samples_; }

  Eigen::MatrixXd sample(Index count, Stream& stream) const override;
  double log_prob(const Eigen::Ref<const Eigen::VectorXd>& theta) const override;
  Eigen::VectorXd mean() const override;
  Eigen::MatrixXd covariance() const override;
  double quantile(Index dim, double probability) const override;
  const WeightedSamples* weighted_samples() const override { return &samples_; }

 protected:
  PosteriorPtr marginal_of(std::span<const Index> dims) const override;

 private:
  WeightedSamples samples_;
};

/// "theta1", "theta2", ...
std::vector<std::string> default_names(Index dim);

/// The posterior given both data sets, a(theta) b(theta) / prior(theta), for independent data and
/// one prior. Closed form for mixtures. Throws ErrorKind::input if the priors differ, if either has
/// no `mixture`, or if no pair of components has a proper quotient.
PosteriorPtr combine(const Posterior& a, const Posterior& b);

/// Saves as versioned JSON, atomically; numbers round-trip exactly.
void save_posterior(const Posterior& posterior, const std::string& path);
/// Throws ErrorKind::io if it cannot be read, ErrorKind::input if it is damaged or newer.
PosteriorPtr load_posterior(const std::string& path);
/// The same file as text; `source` names it in messages.
std::string posterior_text(const Posterior& posterior);
PosteriorPtr parse_posterior(const std::string& text, const std::string& source = "posterior");

}  // namespace epsfree
