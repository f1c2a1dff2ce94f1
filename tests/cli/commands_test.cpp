// What each subcommand does when all is well.
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <set>

#include "cli/program.hpp"
#include "epsfree/models.hpp"
#include "epsfree/mpi.hpp"
#include "epsfree/version.hpp"
#include "io/csv.hpp"
#include "io/sha256.hpp"

namespace epsfree::cli {
namespace {

TEST(Commands, VersionAndHelpAreResults) {
  const Workplace place;
  const Outcome version_outcome = place.run({"--version"});
  EXPECT_EQ(version_outcome.code, 0);
  EXPECT_EQ(version_outcome.out, std::string("epsfree ") + version() +
                                     (mpi_is_built_in() ? " with MPI\n" : " without MPI\n"));
  for (const char* command : {"", "init", "run", "simulate", "check-simulator", "check", "report",
                              "watch", "sample", "logprob", "show", "combine", "models", "bench"}) {
    std::vector<std::string> arguments = {"--help"};
    if (*command != '\0') arguments.insert(arguments.begin(), command);
    const Outcome help = place.run(arguments);
    EXPECT_EQ(help.code, 0) << command;
    EXPECT_NE(help.out.find("epsfree " + std::string(command)), std::string::npos) << help.out;
    EXPECT_NE(help.out.find(*command == '\0' ? "First steps" : "Example"), std::string::npos);
    EXPECT_EQ(help.err, "");
  }
}

TEST(Commands, ModelsAreListedByName) {
  const Outcome outcome = Workplace().run({"models"});
  EXPECT_EQ(outcome.code, 0);
  for (const auto& model : models()) {
    EXPECT_NE(outcome.out.find(model->name() + "\n"), std::string::npos);
  }
}

TEST(Commands, InitWritesAFileThatRuns) {
  const Workplace place;
  for (const auto& model : models()) {
    const Outcome outcome = place.run({"init", model->name()});
    EXPECT_EQ(outcome.code, 0) << outcome.err;
    EXPECT_EQ(outcome.out, model->name() + ".toml\n");
    const Outcome dry = place.run({"run", model->name() + ".toml", "--dry-run"});
    EXPECT_EQ(dry.code, 0) << dry.err;
  }
  const std::string before = place.read("mixture.toml");
  const Outcome again = place.run({"init", "mixture"});
  EXPECT_EQ(again.code, 64);
  EXPECT_NE(again.err.find("mixture.toml"), std::string::npos);
  EXPECT_EQ(place.read("mixture.toml"), before);
  EXPECT_EQ(place.run({"init", "mixture", "--out", "other.toml"}).code, 0);
  EXPECT_EQ(place.read("other.toml"), before);
  EXPECT_EQ(place.run({"init", "mixtrue"}).code, 65);
}

// One small run that the tests of this file share.
class FinishedRun : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    place = new Workplace;
    place->write("small.toml", kSmallProblem);
    outcome = place->run({"run", "small.toml", "--out", "run"});
  }
  static void TearDownTestSuite() {
    delete place;
    place = nullptr;
  }
  static Workplace* place;
  static Outcome outcome;
};
Workplace* FinishedRun::place = nullptr;
Outcome FinishedRun::outcome;

TEST_F(FinishedRun, PrintsATableAndSaysWhatItWrote) {
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_EQ(outcome.out.rfind("parameter", 0), 0u) << outcome.out;
  for (const char* word : {"mean", "std", "95% interval"}) {
    EXPECT_NE(outcome.out.find(word), std::string::npos) << word;
  }
  for (const char* file : {"run.toml", "posterior.json", "estimator.json", "summary.json"}) {
    EXPECT_NE(outcome.err.find(std::string("run/") + file), std::string::npos) << outcome.err;
    EXPECT_TRUE(std::filesystem::exists(place->file(std::string("run/") + file)));
  }
  EXPECT_NE(outcome.err.find("epsfree show run"), std::string::npos);
  EXPECT_NE(outcome.err.find("round 1/3  50 simulations  200 steps"), std::string::npos)
      << outcome.err;
  EXPECT_EQ(outcome.err.find('\r'), std::string::npos) << "no bar where there is no terminal";
  EXPECT_EQ(outcome.err.find('\033'), std::string::npos);
}

TEST_F(FinishedRun, TheSummaryTellsWhatItCost) {
  const auto summary = nlohmann::json::parse(place->read("run/summary.json"));
  EXPECT_EQ(summary.at("method"), "mdn-with-proposal");
  EXPECT_EQ(summary.at("seed"), 3);
  EXPECT_EQ(summary.at("epsfree_version"), version());
  EXPECT_EQ(summary.at("simulations").at("total"), 200);
  EXPECT_EQ(summary.at("simulations").at("ok"), 200);
  EXPECT_EQ(summary.at("rounds").size(), 3u);
  EXPECT_EQ(summary.at("digest"), sha256(place->read("run/posterior.json")));
  for (const char* part : {"total", "simulation", "training"}) {
    EXPECT_GE(summary.at("seconds").at(part).get<double>(), 0) << part;
  }
  EXPECT_EQ(summary.at("posterior").at("mean").size(), 1u);
  EXPECT_EQ(summary.at("posterior").at("standard_deviation").size(), 1u);
}

TEST_F(FinishedRun, ShowRepeatsTheTable) {
  const Outcome show = place->run({"show", "run"});
  EXPECT_EQ(show.code, 0) << show.err;
  EXPECT_NE(show.out.find(outcome.out), std::string::npos) << show.out;
  EXPECT_NE(show.out.find("simulations  200"), std::string::npos) << show.out;
}

TEST_F(FinishedRun, SamplesAreReproducibleAndHaveThePosteriorsMoments) {
  const Outcome first = place->run({"sample", "run", "-n", "4000", "--seed", "5"});
  ASSERT_EQ(first.code, 0) << first.err;
  EXPECT_EQ(place->run({"sample", "run", "-n", "4000", "--seed", "5"}).out, first.out);
  EXPECT_NE(place->run({"sample", "run", "-n", "4000", "--seed", "6"}).out, first.out);
  const CsvTable table = parse_csv(first.out, "samples");
  ASSERT_EQ(table.points.cols(), 4000);
  const auto summary = nlohmann::json::parse(place->read("run/summary.json"));
  EXPECT_EQ(table.header[0], summary.at("posterior").at("names").at(0));
  const double mean = summary.at("posterior").at("mean").at(0);
  const double std = summary.at("posterior").at("standard_deviation").at(0);
  EXPECT_NEAR(table.points.mean(), mean, 5 * std / std::sqrt(4000.0));
}

TEST_F(FinishedRun, LogprobAgreesWithTheSamples) {
  const Outcome samples = place->run({"sample", "run", "-n", "2000"});
  place->write("samples.csv", samples.out);
  const Outcome values = place->run({"logprob", "run", "--theta", "samples.csv"});
  ASSERT_EQ(values.code, 0) << values.err;
  const CsvTable table = parse_csv(values.out, "values");
  EXPECT_EQ(table.header, std::vector<std::string>{"log_prob"});
  ASSERT_EQ(table.points.cols(), 2000);
  // The density integrates to one over the prior's support, [-10, 10], and vanishes outside.
  std::string grid;
  constexpr int kPoints = 4000;
  for (int i = 0; i < kPoints; ++i) grid += std::to_string(-10 + 20 * (i + 0.5) / kPoints) + "\n";
  place->write("grid.csv", grid);
  const Outcome densities = place->run({"logprob", "run", "--theta", "grid.csv"});
  ASSERT_EQ(densities.code, 0) << densities.err;
  const CsvTable grid_values = parse_csv(densities.out, "values");
  EXPECT_NEAR(grid_values.points.array().exp().sum() * 20 / kPoints, 1, 1e-3);
  place->write("outside.csv", "11\n");
  EXPECT_EQ(place->run({"logprob", "run", "--theta", "outside.csv"}).out, "log_prob\n-inf\n");
}

TEST_F(FinishedRun, AProposalIsNotForOtherObservations) {
  place->write("x.csv", "0.5\n");
  const Outcome refused = place->run({"run", "run", "--observed", "x.csv", "--out", "elsewhere"});
  EXPECT_EQ(refused.code, 64);
  EXPECT_NE(refused.err.find("mdn-with-prior"), std::string::npos) << refused.err;
  EXPECT_FALSE(std::filesystem::exists(place->file("elsewhere")));
}

TEST(Commands, AnAmortisedRunAnswersForAnotherObservationWithoutSimulating) {
  const Workplace place;
  place.write("p.toml", kAmortisedProblem);
  place.write("x.json", "[1, 2, 3, 4, 5, 6, 7, 8, 9, 10]");
  place.write("x.csv", "1,2,3,4,5,6,7,8,9,10\n");
  ASSERT_EQ(place.run({"run", "p.toml", "--out", "a", "--quiet"}).code, 0);
  const Outcome outcome = place.run({"run", "a", "--observed", "x.json", "--out", "b"});
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  const auto summary = nlohmann::json::parse(place.read("b/summary.json"));
  EXPECT_EQ(summary.at("simulations").at("total"), 0);
  EXPECT_NE(place.read("a/posterior.json"), place.read("b/posterior.json"));
  // The network does not depend on the observation, so learning it anew gives the same.
  ASSERT_EQ(place.run({"run", "p.toml", "--observed", "x.csv", "--out", "c", "--quiet"}).code, 0);
  EXPECT_EQ(place.read("b/posterior.json"), place.read("c/posterior.json"));
  EXPECT_EQ(place.read("b/estimator.json"), place.read("c/estimator.json"));
  // Wrong uses of a finished run.
  EXPECT_EQ(place.run({"run", "a"}).code, 64);
  EXPECT_EQ(place.run({"run", "a", "--observed", "x.csv"}).code, 64);
  EXPECT_EQ(place.run({"run", "a", "--observed", "x.csv", "--seed", "2", "--out", "d"}).code, 64);
}

// The product over the prior: log both = log a + log b - log prior + constant, at every point.
// Without the prior in the formula it does not hold, which is checked as well.
TEST(Commands, CombiningIsTheProductOverThePrior) {
  const Workplace place;
  place.write("p.toml", kAmortisedProblem);
  // Trained well enough to be narrower than the prior, or there is no product.
  ASSERT_EQ(place
                .run({"run", "p.toml", "--set", "method.num_simulations=2000", "--set",
                      "method.training.num_steps=3000", "--set",
                      "method.training.learning_rate=0.005", "--out", "a", "--quiet"})
                .code,
            0);
  ASSERT_EQ(place.run({"run", "a", "--observe-seed", "2", "--out", "b", "--quiet"}).code, 0);
  const Outcome combined = place.run({"combine", "a", "b", "--out", "both"});
  ASSERT_EQ(combined.code, 0) << combined.err;
  EXPECT_EQ(combined.out.rfind("parameter", 0), 0u) << combined.out;
  EXPECT_EQ(place.run({"show", "both"}).code, 0);
  const Outcome samples = place.run({"sample", "both", "-n", "20"});
  ASSERT_EQ(samples.code, 0) << samples.err;
  place.write("theta.csv", samples.out);
  const auto log_probs = [&](const char* run) -> Eigen::VectorXd {
    const Outcome outcome = place.run({"logprob", run, "--theta", "theta.csv"});
    EXPECT_EQ(outcome.code, 0) << outcome.err;
    return parse_csv(outcome.out, run).points.row(0).transpose();
  };
  const Eigen::MatrixXd thetas = parse_csv(samples.out, "samples").points;
  const Eigen::VectorXd log_prior = -0.5 * thetas.colwise().squaredNorm().transpose();
  const Eigen::VectorXd rest = log_probs("both") - log_probs("a") - log_probs("b") + log_prior;
  EXPECT_LT((rest.array() - rest[0]).abs().maxCoeff(), 1e-8) << rest.transpose();
  const Eigen::VectorXd undivided = rest - log_prior;
  EXPECT_GT(undivided.maxCoeff() - undivided.minCoeff(), 1e-3);
  EXPECT_EQ(place.run({"combine", "a", "--out", "one"}).code, 64);
  EXPECT_EQ(place.run({"combine", "a", "b", "--out", "both"}).code, 64) << "it exists";

  // The data of a run count once, however they come.
  for (const std::vector<std::string>& runs :
       {std::vector<std::string>{"a", "a"}, {"a", "b", "./a"}, {"both", "b"}, {"a", "both"}}) {
    std::vector<std::string> arguments = {"combine", "--out", "twice"};
    arguments.insert(arguments.end(), runs.begin(), runs.end());
    const Outcome refused = place.run(arguments);
    EXPECT_EQ(refused.code, 65) << refused.err;
    EXPECT_NE(refused.err.find("count twice"), std::string::npos) << refused.err;
  }
  // What is read is not replaced, under whatever name.
  std::filesystem::create_directory_symlink("b", place.file("link"));
  const std::string b = place.read("b/summary.json");
  for (const char* out : {"b", "./b/", "link"}) {
    EXPECT_EQ(place.run({"combine", "a", "b", "--out", out, "--force"}).code, 64) << out;
    EXPECT_EQ(place.run({"run", "b", "--observe-seed", "4", "--out", out, "--force"}).code, 64);
    EXPECT_EQ(place.read("b/summary.json"), b);
  }
}

}  // namespace
}  // namespace epsfree::cli
