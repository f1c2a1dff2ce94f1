// What is believed about the parameters after the data.
#pragma once

#include <Eigen/Core>
#include <memory>
#include <string>
#include <vector>

#include "epsfree/prior.hpp"
#include "epsfree/truncated_mixture.hpp"
#include "epsfree/weighted_samples.hpp"

namespace epsfree {

/// A distribution over theta, on the prior's support. Kinds: "mixture", "samples" and "marginal".
class Posterior {
 public:
  virtual ~Posterior() = default;

  virtual std::string kind() const = 0;
  const Prior& prior() const { return *prior_; }
  PriorPtr prior_ptr() const { return prior_; }
  Index dim() const { return prior_->dim(); }
  /// One name per parameter.
  const std::vector<std::string>& names() const { return names_; }

  /// One column per sample; every one lies in the prior's support.
  virtual Eigen::MatrixXd sample(Index count, Stream& stream) const = 0;
  /// Whether log_prob can be called.
  virtual bool has_log_prob() const = 0;
  /// Normalised on the prior's support, -inf outside. Throws ErrorKind::usage for samples.
  virtual double log_prob(const Eigen::Ref<const Eigen::VectorXd>& theta) const = 0;
  Eigen::VectorXd log_probs(const Eigen::Ref<const Eigen::MatrixXd>& thetas) const;

  virtual Eigen::VectorXd mean() const = 0;
  virtual Eigen::MatrixXd covariance() const = 0;
  Eigen::VectorXd standard_deviation() const;
  virtual double quantile(Index dim, double probability) const = 0;

 protected:
  Posterior(PriorPtr prior, std::vector<std::string> names);

 private:
  PriorPtr prior_;
  std::vector<std::string> names_;
};

using PosteriorPtr = std::shared_ptr<const Posterior>;

/// A Gaussian mixture in the prior's coordinates, normalised on its support.
class MixturePosterior final : public Posterior {
 public:
  MixturePosterior(PriorPtr prior, std::vector<std::string> names, GaussianMixture mixture);

  std::string kind() const override { return "mixture"; }
  /// In the prior's coordinates, which are theta itself for uniform and Gaussian priors.
  const TruncatedMixture& coordinates() const { return coordinates_; }

  using Posterior::sample;
  Eigen::MatrixXd sample(Index count, Stream& stream) const override;
  bool has_log_prob() const override { return true; }
  double log_prob(const Eigen::Ref<const Eigen::VectorXd>& theta) const override;
  Eigen::VectorXd mean() const override;
  Eigen::MatrixXd covariance() const override;
  double quantile(Index dim, double probability) const override;

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
  bool has_log_prob() const override { return false; }
  double log_prob(const Eigen::Ref<const Eigen::VectorXd>& theta) const override;
  Eigen::VectorXd mean() const override;
  Eigen::MatrixXd covariance() const override;
  double quantile(Index dim, double probability) const override;

 private:
  WeightedSamples samples_;
};

/// "theta1", "theta2", ...
std::vector<std::string> default_names(Index dim);

/// The posterior given both data sets, a(theta) b(theta) / prior(theta), for independent data and
/// one prior. Closed form for mixtures. Throws ErrorKind::input if the priors differ, if either is
/// not a mixture, or if no pair of components has a proper quotient.
PosteriorPtr combine(const Posterior& a, const Posterior& b);

/// Saves as versioned JSON, atomically; numbers round-trip exactly.
void save_posterior(const Posterior& posterior, const std::string& path);
/// Throws ErrorKind::io if it cannot be read, ErrorKind::input if it is damaged or newer.
PosteriorPtr load_posterior(const std::string& path);
/// The same file as text; `source` names it in messages.
std::string posterior_text(const Posterior& posterior);
PosteriorPtr parse_posterior(const std::string& text, const std::string& source = "posterior");

}  // namespace epsfree
