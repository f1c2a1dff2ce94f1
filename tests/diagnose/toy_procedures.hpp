// Procedures whose posteriors are exact, or wrong in a known way, for models that have exact ones.
#pragma once

#include <Eigen/Core>
#include <memory>
#include <string>

#include "epsfree/calibration.hpp"
#include "support/linear_gaussian.hpp"

namespace epsfree {

enum class Defect { none, narrow, wide, shifted, swapped, prior };

inline Gaussian with_defect(const Gaussian& exact, Defect defect) {
  const Index dim = exact.dim();
  Eigen::VectorXd mean = exact.mean();
  Eigen::MatrixXd covariance = exact.covariance();
  switch (defect) {
    case Defect::none:
      break;
    case Defect::narrow:
      covariance /= 1.5 * 1.5;
      break;
    case Defect::wide:
      covariance *= 1.5 * 1.5;
      break;
    case Defect::shifted:
      mean += 0.5 * covariance.diagonal().cwiseSqrt();
      break;
    case Defect::swapped: {
      Eigen::MatrixXd swap = Eigen::MatrixXd::Identity(dim, dim);
      swap.col(0).swap(swap.col(1));
      mean = swap * mean;
      covariance = swap * covariance * swap;
      break;
    }
    case Defect::prior:
      return Gaussian::standard(dim);
  }
  return Gaussian::from_covariance(mean, covariance);
}

inline PosteriorPtr gaussian_posterior(const PriorPtr& prior, const Gaussian& gaussian) {
  return std::make_shared<MixturePosterior>(prior, default_names(gaussian.dim()),
                                            GaussianMixture(gaussian));
}

inline Procedure toy_procedure(const LinearGaussian& model, Defect defect) {
  return [model, defect, prior = model.problem().prior](const Eigen::VectorXd& observed,
                                                        std::uint64_t, Observer*) {
    return gaussian_posterior(prior, with_defect(model.posterior(observed), defect));
  };
}

/// theta ~ N(0, I), and of x = theta + noise the first entry with a random sign, which makes the
/// posterior one half each of two mirrored Gaussians.
struct MirroredGaussian {
  double noise_std = 0.5;

  PriorPtr prior = gaussian_prior(Gaussian::standard(2));

  Problem problem() const {
    return {.prior = prior,
            .simulator =
                function_simulator(2, 2,
                                   [s = noise_std](const Eigen::VectorXd& theta, Stream& stream) {
                                     Eigen::VectorXd x = theta;
                                     if (stream.uniform() < 0.5) x[0] = -x[0];
                                     for (double& value : x) value += s * stream.normal();
                                     return x;
                                   }),
            .observed = Eigen::Vector2d(1, 0.5)};
  }

  Procedure procedure(bool both_modes) const {
    return [*this, both_modes](const Eigen::VectorXd& observed, std::uint64_t, Observer*) {
      const double precision = 1 + 1 / (noise_std * noise_std);
      const double shrink = 1 / (1 + noise_std * noise_std);
      const Eigen::Matrix2d P = precision * Eigen::Matrix2d::Identity();
      Eigen::Vector2d mean = shrink * observed;
      std::vector<Gaussian> components = {Gaussian::from_precision(mean, P)};
      mean[0] = -mean[0];
      if (both_modes) components.push_back(Gaussian::from_precision(mean, P));
      const auto count = static_cast<Index>(components.size());
      return std::make_shared<MixturePosterior>(
          prior, default_names(2),
          GaussianMixture(std::move(components), Eigen::VectorXd::Zero(count)));
    };
  }
};

}  // namespace epsfree
