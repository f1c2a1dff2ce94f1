// Everything that can be wrong with what a user gives: one message with file, key, value and what
// was expected, the right exit code, and nothing half-written.
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

#include "cli/program.hpp"

namespace epsfree::cli {
namespace {

struct BadInput {
  const char* name;
  std::string problem;
  std::vector<std::string> said;  ///< what the message must hold
};

void PrintTo(const BadInput& bad, std::ostream* stream) { *stream << bad.name; }

const char* kPriorHead = "[simulator]\nmodel = \"mixture\"\n[prior]\n";

/// A problem with a strategy that has options of its own, of which four lines are the head.
std::string with_strategy(const std::string& rest) {
  return "[simulator]\nmodel = \"mixture\"\n[method]\nname = \"mdn-with-proposal\"\n" + rest;
}

std::vector<BadInput> bad_cases() {
  static const std::string prior = kPriorHead;
  static const std::string low_high =
      prior +
      "kind = \"independent\"\n[[prior.parameter]]\nfamily = \"uniform\"\nlow = 2\nhigh = 1\n";
  static const std::string covariance =
      "[simulator]\nmodel = \"linear-regression\"\n[prior]\nkind = \"gaussian\"\nmean = [0, 0]\n"
      "covariance = [[1, 2], [2, 1]]\n";
  static const std::string not_symmetric =
      "[simulator]\nmodel = \"linear-regression\"\n[prior]\nkind = \"gaussian\"\nmean = [0, 0]\n"
      "covariance = [[1, 0.5], [0, 1]]\n";
  static const std::string prior_dim = prior + "kind = \"gaussian\"\nmean = [0, 0]\nstd = [1, 1]\n";
  static const std::string family =
      prior + "kind = \"independent\"\n[[prior.parameter]]\nfamily = \"unifrom\"\n";
  static const std::string no_low =
      prior + "kind = \"independent\"\n[[prior.parameter]]\nfamily = \"uniform\"\nhigh = 1\n";
  static const std::string misspelt =
      prior +
      "kind = \"independent\"\n[[prior.parameter]]\nfamily = \"uniform\"\nlwo = 0\nhigh = 1\n";
  static const std::string misspelt_mean = prior + "kind = \"gaussian\"\nmaen = [0]\nstd = [1]\n";
  static const std::string two_lines =
      prior + "kind = \"gaussian\"\nmean = [0]\nstd = [1]\nnames = [\"a\\nb\"]\n";
  return {
      {"unknown_key",
       with_strategy("[method.training]\nbacth_size = 5\n"),
       {"p.toml:6", "method.training.bacth_size", "did you mean 'batch_size'?"}},
      {"unknown_table",
       "[simulatr]\nmodel = \"mixture\"\n",
       {"p.toml:1", "'simulatr'", "did you mean 'simulator'?"}},
      {"unknown_top_key",
       "[simulator]\nmodel = \"mixture\"\n[methd]\n",
       {"p.toml:3", "'methd'", "did you mean 'method'?"}},
      {"missing_model", "[simulator]\n", {"p.toml:1", "simulator.model", "missing"}},
      {"missing_simulator", "seed = 1\n", {"p.toml", "'simulator'", "missing"}},
      {"unknown_model",
       "[simulator]\nmodel = \"lotka-voltera\"\n",
       {"p.toml:2", "simulator.model", "lotka-voltera", "did you mean \"lotka-volterra\"?"}},
      {"wrong_type",
       "[simulator]\nmodel = \"mixture\"\n[method]\nnum_simulations = \"many\"\n",
       {"p.toml:4", "method.num_simulations", "expected an integer", "\"many\""}},
      {"wrong_enum",
       "[simulator]\nmodel = \"mixture\"\n[method]\nname = \"mdn-with-priors\"\n",
       {"p.toml:4", "method.name", "mdn-with-priors", "did you mean \"mdn-with-prior\"?"}},
      {"zero_simulations",
       "[simulator]\nmodel = \"mixture\"\n[method]\nnum_simulations = 0\n",
       {"p.toml:4", "method.num_simulations", " 0", "from 40 to 1000000000"}},
      {"zero_simulations_of_a_strategy",
       "[simulator]\nmodel = \"mixture\"\n[method]\nnum_simulations = 0\n"
       "name = \"mdn-with-proposal\"\n",
       {"p.toml:4", "method.num_simulations", " 0", "from 10 to 1000000000"}},
      {"zero_components_of_the_default",
       "[simulator]\nmodel = \"mixture\"\n[method.auto]\nmax_components = 0\n",
       {"p.toml:4", "method.auto.max_components", " 0", "from 1 to 256"}},
      {"narrowed_proposals_of_the_default",
       "[simulator]\nmodel = \"mixture\"\n[method.auto]\nwidening = 0.5\n",
       {"p.toml:4", "method.auto.widening", "0.5", "0, or 1 or more"}},
      {"negative_tolerance_of_the_default",
       "[simulator]\nmodel = \"mixture\"\n[method.auto]\ntolerance = -0.5\n",
       {"p.toml:4", "method.auto.tolerance", "-0.5", "0 or more"}},
      {"zero_components",
       with_strategy("[method.network]\nnum_components = 0\n"),
       {"p.toml:6", "method.network.num_components", " 0", "from 1 to 1000"}},
      {"too_many_components",
       with_strategy("[method.network]\nnum_components = 3000000000\n"),
       {"p.toml:6", "method.network.num_components", "is 3000000000", "from 1 to 1000"}},
      {"too_many_simulations",
       with_strategy("[method.rounds]\nnum_simulations = 9223372036854775807\n"),
       {"p.toml:6", "method.rounds.num_simulations", "is 9223372036854775807", "to 1000000000"}},
      {"too_wide",
       with_strategy("[method.network]\nhidden_units = [10, 10001]\n"),
       {"p.toml:6", "method.network.hidden_units", "10001", "from 1 to 10000"}},
      {"too_large_batch",
       with_strategy("[method.training]\nbatch_size = 1000001\n"),
       {"p.toml:6", "method.training.batch_size", "1000001", "from 1 to 1000000"}},
      {"small_number_as_given",
       with_strategy("replica_noise = -1e-9\n"),
       {"p.toml:5", "method.replica_noise", "is -1e-09", "from 0 to 1"}},
      {"misspelt_model_key",
       "[simulator]\nmodle = \"mixture\"\n",
       {"p.toml:2", "simulator.modle", "unknown key", "did you mean 'model'?"}},
      {"misspelt_prior_argument",
       misspelt,
       {"p.toml:7", "prior.parameter[1].lwo", "unknown key", "did you mean 'low'?"}},
      {"misspelt_mean",
       misspelt_mean,
       {"p.toml:5", "prior.maen", "unknown key", "did you mean 'mean'?"}},
      {"name_of_two_lines", two_lines, {"p.toml:3", "'prior'", "\"a\\u000Ab\"", "one line"}},
      {"negative_rate",
       with_strategy("[method.rounds.training]\nlearning_rate = -1.5\n"),
       {"p.toml:6", "method.rounds.training.learning_rate", "-1.5", "positive"}},
      {"infinite_rate",
       with_strategy("[method.training]\nlearning_rate = inf\n"),
       {"p.toml:6", "method.training.learning_rate", "inf", "finite"}},
      {"negative_seed",
       "seed = -1\n[simulator]\nmodel = \"mixture\"\n",
       {"p.toml:1", "'seed'", "-1"}},
      {"observation_size",
       "[simulator]\nmodel = \"lotka-volterra\"\n[observed]\nvalues = [1.0, 2.0]\n",
       {"p.toml:4", "observed.values", "got 2", "expected 9"}},
      {"observation_nan",
       "[simulator]\nmodel = \"mixture\"\n[observed]\nvalues = [nan]\n",
       {"p.toml:4", "observed.values", "nan", "finite"}},
      {"two_observations",
       "[simulator]\nmodel = \"mixture\"\n[observed]\nvalues = [1.0]\nobserve_seed = 2\n",
       {"p.toml:3", "observed", "at most one"}},
      {"not_toml", "[simulator\nmodel = \"mixture\"\n", {"p.toml:1", "not valid TOML"}},
      {"low_not_below_high", low_high, {"p.toml:5", "prior.parameter[1]", "2", "1"}},
      {"covariance_not_positive_definite",
       covariance,
       {"p.toml:6", "prior.covariance", "positive definite"}},
      {"covariance_not_symmetric", not_symmetric, {"p.toml:6", "prior.covariance", "symmetric"}},
      {"prior_dimension", prior_dim, {"p.toml:3", "'prior'", "2 parameters", "expected 1"}},
      {"family",
       family,
       {"p.toml:6", "prior.parameter[1].family", "unifrom", "did you mean \"uniform\"?"}},
      {"family_argument_missing", no_low, {"p.toml:5", "prior.parameter[1].low", "missing"}},
  };
}

class BadProblem : public ::testing::TestWithParam<BadInput> {};

TEST_P(BadProblem, IsRefusedWithPlaceAndReason) {
  const Workplace place;
  place.write("p.toml", GetParam().problem);
  const Outcome outcome = place.run({"run", "p.toml"});
  EXPECT_EQ(outcome.code, 65);
  EXPECT_EQ(outcome.out, "");
  EXPECT_EQ(std::count(outcome.err.begin(), outcome.err.end(), '\n'), 1) << outcome.err;
  for (const std::string& part : GetParam().said) {
    EXPECT_NE(outcome.err.find(part), std::string::npos) << "no " << part << " in " << outcome.err;
  }
  EXPECT_FALSE(std::filesystem::exists(place.file("runs"))) << "something was written";
}

INSTANTIATE_TEST_SUITE_P(All, BadProblem, ::testing::ValuesIn(bad_cases()),
                         [](const auto& bad) { return std::string(bad.param.name); });

class BadUse : public ::testing::Test {
 protected:
  void SetUp() override { place.write("p.toml", kSmallProblem); }
  // Runs, expects the code and one line that holds `said`.
  void expect(int code, const std::vector<std::string>& arguments, const std::string& said) {
    const Outcome outcome = place.run(arguments);
    EXPECT_EQ(outcome.code, code) << outcome.err;
    EXPECT_NE(outcome.err.find(said), std::string::npos) << outcome.err;
    EXPECT_EQ(std::count(outcome.err.begin(), outcome.err.end(), '\n'), 1) << outcome.err;
  }
  Workplace place;
};

TEST_F(BadUse, UsageIs64) {
  expect(64, {}, "subcommand is required");
  expect(64, {"rnu"}, "unknown command 'rnu', did you mean 'run'?");
  expect(64, {"bogus"}, "unknown command 'bogus'");
  expect(64, {"--verson"}, "unknown option '--verson', did you mean '--version'?");
  expect(64, {"run"}, "PROBLEM");
  expect(64, {"run", "p.toml", "--sede", "1"}, "unknown option '--sede', did you mean '--seed'?");
  expect(64, {"run", "p.toml", "--no-raport"}, "did you mean '--no-report'?");
  expect(64, {"run", "--tread=2", "p.toml"}, "did you mean '--threads'?");
  expect(64, {"run", "--sede", "1"}, "did you mean '--seed'?");  // which left 1 for the problem
  expect(64, {"bench", "speed", "--jsno", "x"}, "did you mean '--json'?");
  expect(64, {"run", "p.toml", "--strict", "--no-report"}, "--strict and --no-report");
  expect(64, {"run", "p.toml", "--seed", "-1"}, "--seed");
  expect(64, {"run", "p.toml", "--seed", "one"}, "--seed");
  expect(64, {"run", "p.toml", "--threads", "-2"}, "--threads");
  expect(64, {"run", "p.toml", "--set", "method.num_simulations"}, "method.num_simulations");
  expect(64, {"sample", "p.toml", "-n", "0"}, "-n");
  expect(64, {"run", "p.toml", "--observed", "x", "--observe-seed", "1"}, "--observe");
}

// Neither clamped nor octal.
TEST_F(BadUse, WholeNumbersAreDecimalAndInRange) {
  const std::string range = "expected a whole number from 0 to 9223372036854775807, got '";
  for (const char* text : {"9223372036854775808", "-1", "one", "0x10", "1.5", "1e3", "", "7 "}) {
    expect(64, {"run", "p.toml", "--seed", text}, "--seed: " + range + text + "'");
    expect(64, {"run", "p.toml", "--observe-seed", text}, "--observe-seed: " + range + text + "'");
    expect(64, {"sample", "p.toml", "-n", "1", "--seed", text}, "--seed: " + range + text + "'");
  }
  expect(64, {"sample", "p.toml", "-n", "abc"},
         "-n: expected a whole number from 1 to 1000000000, got 'abc'");
  for (const auto& [text, read] :
       {std::pair{"010", "seed = 10\n"}, {"9223372036854775807", "seed = 9223372036854775807\n"}}) {
    const Outcome dry = place.run({"run", "p.toml", "--seed", text, "--dry-run"});
    EXPECT_EQ(dry.code, 0) << dry.err;
    EXPECT_NE(dry.out.find(read), std::string::npos) << dry.out;
  }
}

TEST_F(BadUse, OverridesAreNamedInMessages) {
  expect(65, {"run", "p.toml", "--set", "method.network.num_components=0"},
         "--set method.network.num_components=0: key 'method.network.num_components'");
  expect(65, {"run", "p.toml", "--set", "method.num_simulatons=5"},
         "did you mean 'num_simulations'?");
  place.write("x.csv", "1,2\n");
  expect(65, {"run", "p.toml", "--observed", "x.csv"}, "x.csv: got 2 numbers, expected 1");
  place.write("nan.csv", "nan\n");
  expect(65, {"run", "p.toml", "--observed", "nan.csv"}, "expected a finite number");
  place.write("text.csv", "x\nhello\n");
  expect(65, {"run", "p.toml", "--observed", "text.csv"}, "text.csv:2: expected a number");
  place.write("bad.json", "[1, \n");
  expect(65, {"run", "p.toml", "--observed", "bad.json"}, "bad.json: expected a JSON array");
  place.write("huge.json", "[1e999]");
  expect(65, {"run", "p.toml", "--observed", "huge.json"}, "larger than any");
  place.write("object.json", "{\"x\": 1}");
  expect(65, {"run", "p.toml", "--observed", "object.json"}, "got object");
  place.write("words.csv", "a, b\n");
  expect(65, {"run", "p.toml", "--observed", "words.csv"}, "words.csv:1: expected numbers below");
}

TEST_F(BadUse, FilesThatCannotBeReadOrWrittenAre74) {
  expect(74, {"run", "none.toml"}, "cannot read 'none.toml': No such file");
  expect(74, {"run", "p.toml", "--observed", "none.csv"}, "none.csv");
  expect(74, {"show", "nowhere"}, "nowhere");
  // Below a file there is no directory, not even for root.
  expect(74, {"run", "p.toml", "--out", "p.toml/run"}, "p.toml/run");
  expect(74, {"run", "p.toml", "--out", "/proc/epsfree/run"}, "/proc/epsfree/run");
  expect(74, {"init", "mixture", "--out", "nowhere/x.toml"}, "nowhere/x.toml");
}

TEST_F(BadUse, AFullDiskBehindStandardOutputIs74) {
  ASSERT_EQ(place.run({"run", "p.toml", "--out", "run", "--quiet"}).code, 0);
  for (const auto& arguments : std::vector<std::vector<std::string>>{
           {"sample", "run", "-n", "10"}, {"show", "run"}, {"models"}, {"--version"}}) {
    const Outcome outcome = place.run_into("/dev/full", arguments);
    EXPECT_EQ(outcome.code, 74) << arguments[0];
    EXPECT_NE(outcome.err.find("standard output"), std::string::npos) << outcome.err;
  }
}

// The sanitizers reserve far more address space than any limit.
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
TEST_F(BadUse, RunningOutOfMemoryIs70) {
  ASSERT_EQ(place.run({"run", "p.toml", "--out", "run", "--quiet"}).code, 0);
  rlimit before = {};
  ASSERT_EQ(::getrlimit(RLIMIT_AS, &before), 0);
  rlimit small = before;
  small.rlim_cur = 1 << 30;
  ASSERT_EQ(::setrlimit(RLIMIT_AS, &small), 0);  // the child inherits it
  const Outcome outcome = place.run({"sample", "run", "-n", "1000000000"});
  ASSERT_EQ(::setrlimit(RLIMIT_AS, &before), 0);
  EXPECT_EQ(outcome.code, 70);
  EXPECT_EQ(outcome.err, "epsfree: error: out of memory\n");
  EXPECT_EQ(outcome.out, "");
}
#endif

TEST_F(BadUse, AFileSizeLimitIs74AndLeavesNothing) {
  rlimit before = {};
  ASSERT_EQ(::getrlimit(RLIMIT_FSIZE, &before), 0);
  rlimit small = before;
  small.rlim_cur = 500;                             // less than any result file
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &small), 0);  // the child inherits it
  const Outcome outcome = place.run({"run", "p.toml", "--out", "run", "--quiet"});
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &before), 0);
  EXPECT_EQ(outcome.code, 74) << outcome.err;
  EXPECT_NE(outcome.err.find("File too large"), std::string::npos) << outcome.err;
  const std::filesystem::directory_iterator entries(place.path());
  EXPECT_EQ(std::distance(begin(entries), end(entries)), 1) << "more than the problem file";
}

TEST_F(BadUse, DamagedResultsAreRefused) {
  ASSERT_EQ(place.run({"run", "p.toml", "--out", "run", "--quiet"}).code, 0);
  const std::string posterior = place.read("run/posterior.json");
  place.write("run/posterior.json", posterior.substr(0, posterior.size() / 2));
  expect(65, {"sample", "run", "-n", "3"}, "run/posterior.json");
  expect(65, {"show", "run"}, "run/posterior.json");
  // Valid in itself, but not what the run wrote.
  std::string changed = posterior;
  changed.insert(changed.find_last_of('}'), " ");
  place.write("run/posterior.json", changed);
  expect(65, {"sample", "run", "-n", "3"}, "changed after the run");
  expect(65, {"logprob", "run", "--theta", "p.toml"}, "changed after the run");
  EXPECT_EQ(place.run({"sample", "run/posterior.json", "-n", "3"}).code, 0);
  place.write("run/posterior.json", "");
  expect(65, {"logprob", "run", "--theta", "p.toml"}, "run/posterior.json");
  place.write("run/posterior.json", posterior);
  place.write("run/summary.json", "{\"format\": \"epsfree-summary\", \"version\": 99}");
  expect(65, {"show", "run"}, "newer");
  std::filesystem::remove(place.file("run/posterior.json"));
  expect(65, {"sample", "run", "-n", "3"}, "posterior.json");
}

TEST_F(BadUse, ParametersToEvaluateAreChecked) {
  ASSERT_EQ(place.run({"run", "p.toml", "--out", "run", "--quiet"}).code, 0);
  place.write("two.csv", "1,2\n");
  expect(65, {"logprob", "run", "--theta", "two.csv"}, "two.csv: got 2 columns, expected 1");
  place.write("name.csv", "other\n1\n");
  expect(65, {"logprob", "run", "--theta", "name.csv"}, "name.csv: no column");
  place.write("nan.csv", "nan\n");
  expect(65, {"logprob", "run", "--theta", "nan.csv"}, "nan.csv:1: theta is nan");
  EXPECT_EQ(place.run({"logprob", "run", "--theta", "-"}).code, 65) << "no numbers in the input";
}

// Simulations that never succeed stop the run: prey that only multiply, so that no Lotka-Volterra
// run ends within its number of reactions.
TEST_F(BadUse, TooManyFailedSimulationsAre75) {
  place.write("hopeless.toml", R"([simulator]
model = "lotka-volterra"
[prior]
kind = "gaussian"
mean = [-30, -30, 10, -30]
std = [0.1, 0.1, 0.1, 0.1]
[method]
num_simulations = 50
)");
  const Outcome outcome = place.run({"run", "hopeless.toml", "--out", "run"});
  EXPECT_EQ(outcome.code, 75) << outcome.err;
  EXPECT_NE(outcome.err.find("epsfree: error: "), std::string::npos);
  EXPECT_FALSE(std::filesystem::exists(place.file("run/summary.json")));
}

}  // namespace
}  // namespace epsfree::cli
