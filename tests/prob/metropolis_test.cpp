#include "prob/metropolis.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "epsfree/effective_size.hpp"
#include "epsfree/error.hpp"

namespace epsfree {
namespace {

constexpr double kInfMetropolis = std::numeric_limits<double>::infinity();

struct ChainRun {
  std::vector<Eigen::MatrixXd> chains;
  double scale = 0;
  Eigen::MatrixXd covariance;
  double acceptance = 0;
};

template <class LogDensity>
ChainRun run_chains(Eigen::MatrixXd starts, const Eigen::MatrixXd& covariance, long burn_in,
                    long steps, const MetropolisOptions& options, LogDensity log_density) {
  const Index num_chains = starts.cols(), dim = starts.rows();
  Eigen::VectorXd densities(num_chains);
  for (Index c = 0; c < num_chains; ++c) densities[c] = log_density(starts.col(c));
  MetropolisChains chains(std::move(starts), densities, covariance, options);
  ChainRun run;
  run.chains.assign(static_cast<std::size_t>(num_chains), Eigen::MatrixXd(dim, steps));
  for (long step = 0; step < burn_in + steps; ++step) {
    std::vector<Stream> streams;
    for (Index c = 0; c < num_chains; ++c) {
      streams.emplace_back(3, Key{.purpose = Purpose::markov_chain,
                                  .round = static_cast<std::uint32_t>(c),
                                  .index = static_cast<std::uint64_t>(step)});
    }
    chains.propose(streams);
    for (Index c = 0; c < num_chains; ++c) densities[c] = log_density(chains.proposals().col(c));
    const Index moved = chains.decide(densities);
    if (step < burn_in) {
      chains.tune(step, burn_in);
      continue;
    }
    run.acceptance += static_cast<double>(moved) / static_cast<double>(steps * num_chains);
    for (Index c = 0; c < num_chains; ++c) {
      run.chains[static_cast<std::size_t>(c)].col(step - burn_in) = chains.states().col(c);
    }
  }
  run.scale = chains.scale();
  run.covariance = chains.covariance();
  return run;
}

TEST(Metropolis, SamplesAGaussianFromABadStartAndACovarianceThatIsFarTooWide) {
  Eigen::Matrix2d target;
  target << 1e-4, 0.9e-3, 0.9e-3, 1e-2;
  const Gaussian gaussian = Gaussian::from_covariance(Eigen::Vector2d(3, -1), target);
  for (const bool full : {true, false}) {
    const ChainRun run =
        run_chains(Eigen::Vector2d(3.1, -1.3).replicate(1, 8), Eigen::Matrix2d::Identity(), 1500,
                   4000, {.full = full}, [&](const auto& z) { return gaussian.log_prob(z); });
    const double size = effective_size_of_chains(run.chains);
    EXPECT_GT(size, full ? 2000 : 150);
    Eigen::Vector2d mean = Eigen::Vector2d::Zero();
    Eigen::Matrix2d square = Eigen::Matrix2d::Zero();
    for (const Eigen::MatrixXd& chain : run.chains) {
      const Eigen::MatrixXd centred = chain.colwise() - gaussian.mean();
      mean += centred.rowwise().mean() / 8;
      square += centred * centred.transpose() / (8 * 4000.0);
    }
    for (Index d = 0; d < 2; ++d) {
      EXPECT_NEAR(mean[d] / std::sqrt(target(d, d)), 0, 5 / std::sqrt(size)) << full;
      EXPECT_NEAR(square(d, d) / target(d, d), 1, 5 * std::sqrt(2 / size)) << full;
    }
    if (full) {
      EXPECT_NEAR(run.covariance(0, 1) / std::sqrt(run.covariance(0, 0) * run.covariance(1, 1)),
                  0.9, 0.1);
      EXPECT_GT(run.acceptance, 0.15);
      EXPECT_LT(run.acceptance, 0.6);
    } else {
      EXPECT_NEAR(run.covariance(0, 1), 0, 1e-12);
    }
  }
}

TEST(Metropolis, TakesTheScaleThatIsGiven) {
  const ChainRun run = run_chains(Eigen::MatrixXd::Zero(1, 2), Eigen::MatrixXd::Identity(1, 1), 400,
                                  10, {.full = false, .scale = 0.3},
                                  [](const auto& z) { return -0.5 * z.squaredNorm(); });
  EXPECT_EQ(run.scale, 0.3);
  EXPECT_EQ(run.covariance(0, 0), 1);
}

// Half of the line has no density.
TEST(Metropolis, NeverAcceptsWhatHasNoDensity) {
  const ChainRun run =
      run_chains(Eigen::MatrixXd::Constant(1, 4, 0.5), Eigen::MatrixXd::Identity(1, 1), 200, 3000,
                 {}, [](const auto& z) {
                   if (z[0] < -1) return std::numeric_limits<double>::quiet_NaN();
                   return z[0] < 0 ? -kInfMetropolis : -z[0];
                 });
  double mean = 0;
  for (const Eigen::MatrixXd& chain : run.chains) {
    EXPECT_GE(chain.minCoeff(), 0);
    mean += chain.mean() / 4;
  }
  EXPECT_NEAR(mean, 1, 5 / std::sqrt(effective_size_of_chains(run.chains)));
}

TEST(Metropolis, RefusesStartsWithoutDensity) {
  EXPECT_THROW(
      MetropolisChains(Eigen::MatrixXd::Zero(1, 1), Eigen::VectorXd::Constant(1, -kInfMetropolis),
                       Eigen::MatrixXd::Identity(1, 1)),
      Error);
  EXPECT_THROW(MetropolisChains(Eigen::MatrixXd::Zero(2, 1), Eigen::VectorXd::Zero(1),
                                Eigen::MatrixXd::Zero(2, 2)),
               Error);
}

}  // namespace
}  // namespace epsfree
