// Weighted samples as a posterior.
#include <string>

#include "epsfree/error.hpp"
#include "epsfree/posterior.hpp"
#include "prob/dimensions.hpp"

namespace epsfree {

SamplesPosterior::SamplesPosterior(PriorPtr prior, std::vector<std::string> names,
                                   WeightedSamples samples)
    : Posterior(std::move(prior), std::move(names)), samples_(std::move(samples)) {
  check_rows(samples_.dim(), dim(), "Posterior: a sample");
  for (Index n = 0; n < samples_.size(); ++n) {
    if (!this->prior().contains(samples_.points().col(n))) {
      throw Error(ErrorKind::input, "Posterior: sample " + std::to_string(n + 1) +
                                        " lies outside the prior's support");
    }
  }
}

Eigen::MatrixXd SamplesPosterior::sample(Index count, Stream& stream) const {
  return samples_.resample(count, stream);
}

double SamplesPosterior::log_prob(const Eigen::Ref<const Eigen::VectorXd>&) const {
  throw Error(ErrorKind::usage,
              "log_prob: this posterior is a set of samples, whose density is not known");
}

Eigen::VectorXd SamplesPosterior::mean() const { return samples_.mean(); }

Eigen::MatrixXd SamplesPosterior::covariance() const { return samples_.covariance(); }

double SamplesPosterior::quantile(Index dim, double probability) const {
  return samples_.quantile(dim, probability);
}

PosteriorPtr SamplesPosterior::marginal_of(std::span<const Index> dims) const {
  const std::vector<Index> kept(dims.begin(), dims.end());
  return std::make_shared<SamplesPosterior>(
      prior().marginal(dims), names_of(dims),
      WeightedSamples(samples_.points()(kept, Eigen::all),
                      Eigen::VectorXd(samples_.weights().array().log())));
}

}  // namespace epsfree
