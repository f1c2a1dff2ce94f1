// Learning from simulations that have been made already.
#include <gtest/gtest.h>

#include <limits>

#include "epsfree/divergence.hpp"
#include "epsfree/error.hpp"
#include "epsfree/infer.hpp"
#include "support/linear_gaussian.hpp"

namespace epsfree {
namespace {

/// theta drawn from `proposal` (null: the prior), and what the simulator makes of it.
void simulate(const Problem& problem, const PosteriorPtr& proposal, Index count, std::uint64_t seed,
              SimulationSet& set) {
  Stream stream(seed);
  const Eigen::MatrixXd thetas =
      proposal ? proposal->sample(count, stream) : problem.prior->sample(count, stream);
  ThreadRunner runner(1);
  const SimulationResults results =
      runner.run({.simulator = *problem.simulator, .thetas = thetas, .seed = seed});
  set.add(thetas, results.statistics, proposal);
}

double kl(const Gaussian& exact, const Posterior& learnt) {
  const auto& mixture = dynamic_cast<const MixturePosterior&>(learnt).coordinates().mixture();
  Stream stream(9);
  return kl_divergence(GaussianMixture(exact), mixture, 2000, stream).value;
}

struct InferFrom : testing::Test {
  LinearGaussian model = LinearGaussian::make(2, 3, 0.5);
  Problem problem = model.problem();
  SimulationSet set{problem.prior};
};

TEST_F(InferFrom, TheDefaultMethodFitsWhatItIsGiven) {
  simulate(problem, nullptr, 1000, 1, set);
  const InferResult result = infer_from(set, problem.observed, {}, {});
  EXPECT_LT(kl(model.posterior(), *result.posterior), 0.1);
  EXPECT_EQ(result.summary.simulations.total(), 1000);
  EXPECT_EQ(result.posterior->names(), default_names(problem.prior->dim()));
}

TEST_F(InferFrom, ASecondRoundFromItsPosteriorIsAccountedFor) {
  simulate(problem, nullptr, 200, 1, set);
  const PosteriorPtr first = infer_from(set, problem.observed, {}, {}).posterior;
  simulate(problem, first, 600, 2, set);
  EXPECT_FALSE(set.all_from_prior());
  const PosteriorPtr second = infer_from(set, problem.observed, {}, {}).posterior;
  EXPECT_LT(kl(model.posterior(), *second), 0.03);
}

TEST_F(InferFrom, ANetworkHoldsForAnyObservation) {
  simulate(problem, nullptr, 1500, 1, set);
  MdnWithPriorOptions network;
  network.training.num_steps = 2000;
  const InferOptions options{.method = network};
  const InferResult result = infer_from(set, {}, {}, options);
  ASSERT_NE(result.estimator, nullptr);
  EXPECT_EQ(result.posterior, nullptr);
  EXPECT_TRUE(result.estimator->amortised());
  EXPECT_LT(kl(model.posterior(), *result.estimator->posterior(problem.observed)), 0.3);
}

TEST_F(InferFrom, RefusesWhatDoesNotFit) {
  const Index D = problem.prior->dim(), S = problem.observed.size();
  Stream stream(1);
  const Eigen::MatrixXd thetas = problem.prior->sample(20, stream);
  Eigen::MatrixXd x = Eigen::MatrixXd::Ones(S, 20);
  EXPECT_THROW(set.add(Eigen::MatrixXd(D + 1, 20), x), Error);
  EXPECT_THROW(set.add(thetas, Eigen::MatrixXd::Ones(S, 19)), Error);
  EXPECT_THROW(infer_from(set, problem.observed, {}, {}), Error);  // none yet
  x(0, 3) = std::numeric_limits<double>::quiet_NaN();
  set.add(thetas, x);
  EXPECT_EQ(set.size(), 19);
  EXPECT_EQ(set.num_dropped(), 1);
  EXPECT_THROW(set.add(thetas, Eigen::MatrixXd::Ones(S + 1, 20)), Error);
  EXPECT_THROW(infer_from(set, Eigen::VectorXd::Ones(S + 1), {}, {}), Error);
  InferOptions options;
  options.method = ProposalPriorOptions{};
  EXPECT_THROW(infer_from(set, problem.observed, {}, options), Error);
}

}  // namespace
}  // namespace epsfree
