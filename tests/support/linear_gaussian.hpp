// A problem whose posterior is known: theta ~ N(0, I), x = A theta + noise.
#pragma once

#include <Eigen/Cholesky>
#include <Eigen/Core>
#include <cmath>

#include "epsfree/problem.hpp"

namespace epsfree {

struct LinearGaussian {
  Eigen::MatrixXd A;
  double noise_std = 0.5;
  Eigen::VectorXd observed;

  /// A well-conditioned map with correlated columns, and an observation at 1.5 prior deviations.
  static LinearGaussian make(Index dim, Index num_statistics, double noise_std) {
    LinearGaussian model;
    model.noise_std = noise_std;
    model.A.resize(num_statistics, dim);
    for (Index i = 0; i < num_statistics; ++i) {
      for (Index j = 0; j < dim; ++j) {
        model.A(i, j) = (i % dim == j ? 1.0 : 0.0) + 0.3 * std::cos(1.0 + double(3 * i + 7 * j));
      }
    }
    Eigen::VectorXd theta(dim);
    for (Index j = 0; j < dim; ++j) theta[j] = j % 2 == 0 ? 0.8 : -0.5;
    model.observed = model.A * theta;
    return model;
  }

  Gaussian posterior(const Eigen::VectorXd& x) const {
    const Eigen::MatrixXd precision =
        Eigen::MatrixXd::Identity(A.cols(), A.cols()) + A.transpose() * A / (noise_std * noise_std);
    const Eigen::VectorXd mean = precision.llt().solve(A.transpose() * x / (noise_std * noise_std));
    return Gaussian::from_precision(mean, precision);
  }
  Gaussian posterior() const { return posterior(observed); }

  SimulatorPtr simulator() const {
    return function_simulator(A.cols(), A.rows(),
                              [A = A, s = noise_std](const Eigen::VectorXd& theta, Stream& stream) {
                                Eigen::VectorXd x = A * theta;
                                for (double& value : x) value += s * stream.normal();
                                return x;
                              });
  }

  Problem problem() const {
    return {.prior = gaussian_prior(Gaussian::standard(A.cols())),
            .simulator = simulator(),
            .observed = observed};
  }
};

}  // namespace epsfree
