#include <gtest/gtest.h>

#include <limits>
#include <stdexcept>
#include <vector>

#include "epsfree/error.hpp"
#include "epsfree/simulator.hpp"

namespace epsfree {
namespace {

TEST(FunctionSimulator, GivesEachColumnItsThetaAndStream) {
  const SimulatorPtr simulator =
      function_simulator(2, 2, [](const Eigen::VectorXd& theta, Stream& stream) {
        return Eigen::VectorXd(Eigen::Vector2d(theta.sum(), stream.uniform()));
      });
  EXPECT_EQ(simulator->num_parameters(), 2);
  EXPECT_EQ(simulator->num_statistics(), 2);
  const Eigen::MatrixXd thetas = Eigen::MatrixXd::Random(2, 3);
  std::vector<Stream> streams = {Stream(1), Stream(2), Stream(3)};
  std::vector<SimStatus> statuses(3, SimStatus::lost);
  Eigen::MatrixXd x(2, 3);
  simulator->simulate(thetas, streams, x, statuses);
  for (Index i = 0; i < 3; ++i) {
    Stream stream(static_cast<std::uint64_t>(i + 1));
    EXPECT_EQ(x(0, i), thetas.col(i).sum());
    EXPECT_EQ(x(1, i), stream.uniform());
    EXPECT_EQ(statuses[static_cast<std::size_t>(i)], SimStatus::ok);
  }
}

TEST(FunctionSimulator, CallsNonFiniteInvalidAndWrongLengthFailed) {
  const SimulatorPtr simulator =
      function_simulator(1, 1, [](const Eigen::VectorXd& theta, Stream&) {
        if (theta[0] < 0) return Eigen::VectorXd(Eigen::Vector2d(1, 2));
        return Eigen::VectorXd(Eigen::VectorXd::Constant(1, 1 / theta[0]));
      });
  const Eigen::MatrixXd thetas = Eigen::RowVector3d(-1, 0, 2);
  std::vector<Stream> streams(3, Stream(1));
  std::vector<SimStatus> statuses(3, SimStatus::ok);
  Eigen::MatrixXd x(1, 3);
  simulator->simulate(thetas, streams, x, statuses);
  EXPECT_EQ(statuses, (std::vector{SimStatus::failed, SimStatus::invalid, SimStatus::ok}));
  EXPECT_EQ(x(0, 2), 0.5);
}

TEST(FunctionSimulator, RefusesBadArguments) {
  const auto function = [](const Eigen::VectorXd& theta, Stream&) { return theta; };
  EXPECT_THROW(function_simulator(0, 1, function), Error);
  EXPECT_THROW(function_simulator(1, 0, function), Error);
  EXPECT_THROW(function_simulator(1, 1, {}), Error);
}

TEST(SimStatus, HasANameEach) {
  EXPECT_STREQ(to_string(SimStatus::ok), "ok");
  EXPECT_STREQ(to_string(SimStatus::invalid), "invalid");
  EXPECT_STREQ(to_string(SimStatus::failed), "failed");
  EXPECT_STREQ(to_string(SimStatus::timeout), "timeout");
  EXPECT_STREQ(to_string(SimStatus::lost), "lost");
}

}  // namespace
}  // namespace epsfree
