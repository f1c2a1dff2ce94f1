#include "prob/regression/gaussian_process.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "epsfree/stream.hpp"

namespace epsfree {
namespace {

struct Data {
  Eigen::MatrixXd points;
  Eigen::VectorXd values, variances;
};

template <class Function>
Data data_of(Index count, Index dim, double noise, Function function) {
  Stream stream(8);
  Data data{Eigen::MatrixXd(dim, count), Eigen::VectorXd(count),
            Eigen::VectorXd::Constant(count, noise * noise)};
  for (Index i = 0; i < count; ++i) {
    for (Index d = 0; d < dim; ++d) data.points(d, i) = stream.normal();
    data.values[i] = function(data.points.col(i)) + noise * stream.normal();
  }
  return data;
}

double wavy(const Eigen::VectorXd& u) { return 5 + 2 * std::sin(u[0]) + 0.3 * u[1]; }

TEST(GaussianProcess, GradientOfTheEvidenceIsThatOfFiniteDifferences) {
  const Data data = data_of(20, 2, 0.1, wavy);
  const Eigen::Vector3d at(-0.3, 0.4, 0.9);
  const auto process = [&](const Eigen::Vector3d& p) {
    return GaussianProcess(data.points, data.values, data.variances, {p[0], p.tail(2)});
  };
  Eigen::VectorXd gradient;
  process(at).log_evidence(&gradient);
  for (Index k = 0; k < 3; ++k) {
    constexpr double kStep = 1e-5;
    const Eigen::Vector3d step = kStep * Eigen::Vector3d::Unit(k);
    EXPECT_NEAR(
        gradient[k],
        (process(at + step).log_evidence() - process(at - step).log_evidence()) / (2 * kStep), 1e-4)
        << k;
  }
}

// Predictions at new points are as far off as they say: the mean of their squared standardised
// errors is one, with an error of sqrt(2 / 200) were they independent, and here some times that.
TEST(GaussianProcess, PredictsAndKnowsHowWell) {
  const Data data = data_of(60, 2, 0.1, wavy);
  const GaussianProcess process = GaussianProcess::fit(data.points, data.values, data.variances);
  EXPECT_GT(process.log_evidence(),
            GaussianProcess(data.points, data.values, data.variances, GaussianProcess::Shape())
                .log_evidence());
  // The second direction is linear, and so its length is longer than that of the first.
  EXPECT_GT(process.shape().log_lengths[1], process.shape().log_lengths[0]);
  Stream stream(9);
  double squares = 0, errors = 0;
  for (int i = 0; i < 200; ++i) {
    const Eigen::Vector2d u(stream.normal(), stream.normal());
    const auto prediction = process.predict(u);
    const double error = prediction.mean[0] - wavy(u);
    errors += error * error / 200;
    EXPECT_NEAR(process.means(u)[0], prediction.mean[0], 1e-12);
    squares += error * error / prediction.covariance(0, 0) / 200;
  }
  EXPECT_LT(std::sqrt(errors), 0.1);
  EXPECT_GT(squares, 0.2);
  EXPECT_LT(squares, 3);
}

// Exact for linear functions, also outside the data.
TEST(GaussianProcess, ExtrapolatesLinearFunctions) {
  const Data data = data_of(30, 1, 0.01, [](const auto& u) { return 1000 - 3 * u[0]; });
  const GaussianProcess process = GaussianProcess::fit(data.points, data.values, data.variances);
  EXPECT_NEAR(process.predict(Eigen::VectorXd::Constant(1, 4)).mean[0], 988, 0.1);
}

TEST(GaussianProcess, NeighboursAreCorrelatedAndConstantsAreFine) {
  const Data data = data_of(30, 1, 0.1, [](const auto& u) { return std::sin(2 * u[0]); });
  const GaussianProcess process = GaussianProcess::fit(data.points, data.values, data.variances);
  Eigen::MatrixXd at(1, 2);
  at << 2.5, 2.51;
  const auto prediction = process.predict(at);
  EXPECT_GT(prediction.covariance(0, 1) /
                std::sqrt(prediction.covariance(0, 0) * prediction.covariance(1, 1)),
            0.95);
  const GaussianProcess constant = GaussianProcess::fit(
      data.points, Eigen::VectorXd::Constant(30, 7), Eigen::VectorXd::Constant(30, 1e-4));
  EXPECT_NEAR(constant.predict(at.col(0)).mean[0], 7, 0.1);
}

}  // namespace
}  // namespace epsfree
