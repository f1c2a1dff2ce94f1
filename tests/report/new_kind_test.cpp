// A kind of posterior that the library does not know, through summaries, checks, pictures and
// files.
#include <gtest/gtest.h>

#include <cmath>

#include "diagnose/calibration/ranked_samples.hpp"
#include "epsfree/diagnose.hpp"
#include "epsfree/posterior_algebra.hpp"
#include "epsfree/runner.hpp"
#include "epsfree/two_sample.hpp"
#include "io/prior_json.hpp"
#include "io/run_summary.hpp"
#include "report/drawing/corner.hpp"
#include "report/xml_text.hpp"
#include "support/contains.hpp"
#include "support/error_of.hpp"
#include "support/toy_kinds.hpp"

namespace epsfree {
namespace {

TEST(NewKind, IsTabulated) {
  const PosteriorTable table = tabulate(TrianglePosterior(), std::nullopt);
  EXPECT_EQ(table.names, (std::vector<std::string>{"a", "b"}));
  EXPECT_DOUBLE_EQ(table.mean[1], 1.0 / 3);
  EXPECT_DOUBLE_EQ(table.standard_deviation[0], std::sqrt(1.0 / 18));
  EXPECT_DOUBLE_EQ(table.lower[0], 1 - std::sqrt(0.975));
  EXPECT_DOUBLE_EQ(table.upper[1], 1 - std::sqrt(0.025));
}

// The pair has a density; those of the single parameters, 2 (1 - x), come from samples.
TEST(NewKind, IsDrawn) {
  const CornerPlot plot = corner_plot(std::make_shared<TrianglePosterior>(), std::nullopt);
  ASSERT_EQ(plot.marginals.size(), 2u);
  EXPECT_FALSE(plot.exact);
  for (const CornerMarginal& each : plot.marginals) {
    EXPECT_NEAR(each.density.sum() * (each.x[1] - each.x[0]), 1, 0.02);
    for (Index i = 0; i < each.x.size(); ++i) {
      if (each.x[i] > 0.1 && each.x[i] < 0.9) {
        EXPECT_NEAR(each.density[i], 2 * (1 - each.x[i]), 0.2);
      }
      EXPECT_EQ(each.prior[i], each.x[i] < 0 || each.x[i] > 1 ? 0 : 1);
    }
  }
  const CornerPair& pair = plot.pairs.at(0);
  EXPECT_NEAR(pair.correlation, -0.5, 1e-12);
  for (Index i = 0; i < pair.x.size(); ++i) {
    for (Index j = 0; j < pair.y.size(); ++j) {
      const bool inside = TrianglePosterior::holds(Eigen::Vector2d(pair.x[i], pair.y[j]));
      EXPECT_NEAR(pair.density(i, j), inside ? 2 : 0, 1e-12);
    }
  }
  parse_xml(corner_svg(plot, "c", "t", "d"));
}

Problem sum_of_parameters() {
  return {.prior = TrianglePosterior().prior_ptr(),
          .simulator = function_simulator(2, 1,
                                          [](const Eigen::VectorXd& theta, Stream& stream) {
                                            return Eigen::VectorXd::Constant(
                                                1, theta.sum() + 0.1 * stream.normal());
                                          }),
          .observed = Eigen::VectorXd::Constant(1, 0.6)};
}

TEST(NewKind, IsChecked) {
  const Problem problem = sum_of_parameters();
  InferResult result;
  result.posterior = std::make_shared<TrianglePosterior>();
  ThreadRunner runner(1);
  const PredictiveSimulations made = simulate_posterior(problem, *result.posterior, 500, 1, runner);
  ASSERT_EQ(made.thetas.cols(), 500);
  for (Index n = 0; n < 500; ++n) EXPECT_TRUE(TrianglePosterior::holds(made.thetas.col(n)));
  const std::vector<Diagnosis> diagnoses =
      diagnose(problem, result, runner, {.num_predictive = 500, .num_prior = 500}).diagnoses;
  const auto is_predictive = [](const Diagnosis& each) {
    return each.name == "posterior-predictive";
  };
  const auto found = std::find_if(diagnoses.begin(), diagnoses.end(), is_predictive);
  ASSERT_NE(found, diagnoses.end());
  EXPECT_EQ(found->verdict, Verdict::pass);
}

TEST(NewKind, IsRankedAndComparedBySamples) {
  const TrianglePosterior triangle;
  Stream stream(7), ties(8);
  const RankedSamples ranked(triangle, 999, stream);
  EXPECT_NEAR(ranked.mean()[0], 1.0 / 3, 5 * std::sqrt(1.0 / 18 / 999));
  C2stOptions options;
  options.num_folds = 2;
  const Eigen::MatrixXd first = triangle.sample(1000, stream);
  const double same = c2st(first, triangle.sample(1000, stream), options);
  const double other = c2st(first, triangle.prior().sample(1000, stream), options);
  EXPECT_NEAR(same, 0.5, 0.06);  // five standard errors of 2000 coin flips
  EXPECT_NEAR(other, 0.75, 0.06);
}

TEST(NewKind, HasNoFileFormAndSaysSo) {
  const PosteriorPtr triangle = std::make_shared<TrianglePosterior>();
  const std::vector<Index> first = {0};
  for (const PosteriorPtr& each : {triangle, triangle->marginal(first)}) {
    const std::string message = error_of(ErrorKind::usage, [&] { posterior_text(*each); });
    EXPECT_CONTAINS(message, "'triangle' has no form in files");
    EXPECT_CONTAINS(message, "samples");
  }
  Stream stream(1);
  const SamplesPosterior samples(std::make_shared<LogisticPrior>(1), {"a"},
                                 WeightedSamples(Eigen::MatrixXd::Ones(1, 10)));
  const std::string message = error_of(ErrorKind::usage, [&] { posterior_text(samples); });
  EXPECT_CONTAINS(message, "prior of kind 'logistic'");
}

/// A user's class that has taken the name of a kind of the library.
class Impostor final : public Posterior {
 public:
  Impostor() : Posterior(gaussian_prior(Gaussian::standard(1)), {"a"}) {}
  std::string kind() const override { return "mixture"; }
  Eigen::MatrixXd sample(Index count, Stream&) const override {
    return Eigen::MatrixXd::Zero(1, count);
  }
  Eigen::VectorXd mean() const override { return Eigen::VectorXd::Zero(1); }
  Eigen::MatrixXd covariance() const override { return Eigen::MatrixXd::Zero(1, 1); }
  double quantile(Index, double) const override { return 0; }
};

TEST(NewKind, IsNotMistakenForAnotherOfItsName) {
  error_of(ErrorKind::usage, [] { posterior_text(Impostor()); });
  error_of(ErrorKind::input, [] { combine(Impostor(), Impostor()); });
}

// The default method on a prior that the library does not know, against the exact answer on a grid.
TEST(NewKind, PriorIsInferredWith) {
  const auto prior = std::make_shared<LogisticPrior>(1);
  const double observed = 2, noise = 0.5;
  const Problem problem = {
      .prior = prior,
      .simulator = function_simulator(1, 1,
                                      [](const Eigen::VectorXd& theta, Stream& stream) {
                                        return Eigen::VectorXd::Constant(
                                            1, theta[0] + 0.5 * stream.normal());
                                      }),
      .observed = Eigen::VectorXd::Constant(1, observed)};
  InferOptions options;
  options.num_simulations = 1000;
  const InferResult result = infer(problem, options);
  double mass = 0, mean = 0;
  for (double theta = -4; theta < 8; theta += 0.001) {
    const double density =
        std::exp(prior->log_prob(Eigen::VectorXd::Constant(1, theta)) -
                 0.5 * (observed - theta) * (observed - theta) / (noise * noise));
    mass += density;
    mean += theta * density;
  }
  EXPECT_NEAR(result.posterior->mean()[0], mean / mass, 0.1);
  const CornerPlot plot = corner_plot(result.posterior, std::nullopt);
  EXPECT_TRUE(plot.exact);
  error_of(ErrorKind::usage, [&] { prior_to_json(*prior); });
}

}  // namespace
}  // namespace epsfree
