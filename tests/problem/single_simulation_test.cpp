#include "problem/single_simulation.hpp"

#include <gtest/gtest.h>

#include <thread>

#include "support/error_of.hpp"

namespace epsfree {
namespace {

// theta[0] says what happens.
Problem problem() {
  class Odd final : public Simulator {
   public:
    Index num_parameters() const override { return 2; }
    Index num_statistics() const override { return 2; }
    void simulate(const Eigen::Ref<const Eigen::MatrixXd>&, std::span<Stream>,
                  Eigen::Ref<Eigen::MatrixXd>, std::span<SimStatus>) const override {
      FAIL() << "simulate_in is to be called";
    }
    void simulate_in(const BatchContext& context, const Eigen::Ref<const Eigen::MatrixXd>& thetas,
                     std::span<Stream> streams, Eigen::Ref<Eigen::MatrixXd> statistics,
                     std::span<SimStatus> statuses) const override {
      const double what = thetas(0, 0);
      if (what == -1) throw std::runtime_error("thrown");
      if (what == -2) {
        statuses[0] = SimStatus::failed;
        context.messages[0] = "broken";
        return;
      }
      if (what == -3) {
        while (!context.stop.stop_requested()) std::this_thread::yield();
        statuses[0] = SimStatus::lost;
        return;
      }
      statistics(0, 0) = static_cast<double>(streams[0].bits64());
      statistics(1, 0) = 1 / what;
    }
  };
  return {.prior = gaussian_prior(Gaussian::standard(2)),
          .simulator = std::make_shared<Odd>(),
          .observed = Eigen::Vector2d(0, 0),
          .names = {"a", "b"}};
}

TEST(SingleSimulation, HasTheSeedThatIsNamed) {
  const SingleSimulation one = simulate_once(problem(), Eigen::Vector2d(4, 0), 1234567);
  EXPECT_EQ(one.status, SimStatus::ok);
  EXPECT_EQ(one.statistics, Eigen::Vector2d(1234567, 0.25));
}

TEST(SingleSimulation, EndsAsARunnerWouldSay) {
  EXPECT_EQ(simulate_once(problem(), Eigen::Vector2d(-1, 0), 1).message, "thrown");
  EXPECT_EQ(simulate_once(problem(), Eigen::Vector2d(-1, 0), 1).status, SimStatus::failed);
  EXPECT_EQ(simulate_once(problem(), Eigen::Vector2d(-2, 0), 1).message, "broken");
  const SingleSimulation invalid = simulate_once(problem(), Eigen::Vector2d(0, 0), 1);
  EXPECT_EQ(invalid.status, SimStatus::invalid);
  EXPECT_EQ(invalid.message, "statistic 2 is inf");
}

TEST(SingleSimulation, CanBeStopped) {
  const SingleSimulation one =
      simulate_once(problem(), Eigen::Vector2d(-3, 0), 1, [] { return Action::stop; });
  EXPECT_EQ(one.status, SimStatus::lost);
}

TEST(SingleSimulation, ParametersReadBackFromTheirText) {
  const Eigen::Vector2d theta(-1.0 / 3, 1e-300);
  EXPECT_EQ(parse_theta(theta_text(theta), problem()), theta);
  EXPECT_EQ(parse_theta(" 1 , 2", problem()), Eigen::Vector2d(1, 2));
  for (const char* wrong : {"", "1", "1,2,3", "1,b", "1,,2", "1 2"}) {
    error_of(ErrorKind::usage, [&] { parse_theta(wrong, problem()); });
  }
}

TEST(SingleSimulation, TheCommandSurvivesAShell) {
  EXPECT_EQ(simulate_command("a.toml", {}, Eigen::Vector2d(-1, 0.5), 18446744073709551615u),
            "epsfree simulate a.toml --theta=-1,0.5 --seed=18446744073709551615");
  EXPECT_EQ(simulate_command("it's.toml", {"simulator.command=[\"a\"]"}, Eigen::Vector2d(1, 2), 1),
            "epsfree simulate 'it'\\''s.toml' --set 'simulator.command=[\"a\"]' --theta=1,2 "
            "--seed=1");
}

}  // namespace
}  // namespace epsfree
