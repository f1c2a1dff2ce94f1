// The methods that a neural posterior is measured against, as a user runs them.
#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "cli/program.hpp"

namespace epsfree::cli {
namespace {

using Json = nlohmann::json;

struct MethodCase {
  const char* name;
  const char* method;  // what stands below [method], and tables of it
  bool has_epsilon;
  bool has_chains;
};

const MethodCase kMethods[] = {
    {"rejection",
     "name = \"rejection-abc\"\nnum_simulations = 3000\nrejection = {fraction = 0.1}\n", true,
     false},
    {"streaming",
     "name = \"rejection-abc\"\nnum_simulations = 70000\n"
     "rejection = {num_samples = 200, streaming = true}\n",
     true, false},
    {"mcmc", "name = \"mcmc-abc\"\nnum_simulations = 4000\n", true, true},
    {"smc", "name = \"smc-abc\"\nnum_simulations = 3000\nsmc = {population = 200}\n", true, false},
    {"synthetic",
     "name = \"synthetic-likelihood\"\nnum_simulations = 8000\nsynthetic = {num_replicates = 10}\n",
     false, true},
};

std::string problem(const std::string& method, const std::string& model = "mg1-queue") {
  return "seed = 3\n[simulator]\nmodel = \"" + model + "\"\n[method]\n" + method;
}

Json summary_of(const Workplace& place, const std::string& out) {
  return Json::parse(place.read(out + "/summary.json"));
}

bool warns_of(const Json& summary, const std::string& text) {
  for (const auto& warning : summary.at("warnings")) {
    if (warning.get<std::string>().find(text) != std::string::npos) return true;
  }
  return false;
}

void expect_sound(const Json& summary, const MethodCase& each) {
  SCOPED_TRACE(each.name);
  EXPECT_GT(summary.at("effective_sample_size").get<double>(), 0);
  EXPECT_EQ(summary.at("epsilon").is_number(), each.has_epsilon);
  EXPECT_EQ(summary.contains("chains"), each.has_chains);
  EXPECT_TRUE(summary.at("finished").get<bool>());
  const Json& posterior = summary.at("posterior");
  for (std::size_t i = 0; i < posterior.at("names").size(); ++i) {
    EXPECT_TRUE(posterior.at("mean").at(i).is_number());
    EXPECT_GT(posterior.at("standard_deviation").at(i).get<double>(), 0);
  }
  if (!each.has_chains) return;
  const Json& chains = summary.at("chains");
  EXPECT_EQ(chains.at("acceptance_rates").size(), chains.at("num_chains").get<std::size_t>());
  double mean = 0;
  for (const double rate : chains.at("acceptance_rates")) {
    mean += rate / static_cast<double>(chains.at("acceptance_rates").size());
  }
  EXPECT_NEAR(mean, chains.at("acceptance_rate").get<double>(), 0.02);
}

TEST(Abc, EachMethodRunsAndIsTheSameOnAnyNumberOfThreads) {
  for (const MethodCase& each : kMethods) {
    const Workplace place;
    place.write("p.toml", problem(each.method));
    for (const char* threads : {"1", "2", "3"}) {
      const Outcome outcome = place.run({"run", "p.toml", "--threads", threads, "--out", threads});
      ASSERT_EQ(outcome.code, 0) << each.name << ": " << outcome.err;
    }
    EXPECT_EQ(place.read("1/posterior.json"), place.read("2/posterior.json")) << each.name;
    EXPECT_EQ(place.read("1/posterior.json"), place.read("3/posterior.json")) << each.name;
    expect_sound(summary_of(place, "1"), each);
    EXPECT_FALSE(std::filesystem::exists(place.file("1/estimator.json")));
    const Outcome shown = place.run({"show", "1"});
    EXPECT_EQ(shown.code, 0);
    EXPECT_EQ(shown.out.find("\nepsilon ") != std::string::npos, each.has_epsilon) << shown.out;
    EXPECT_NE(shown.out.find("\nsamples      worth "), std::string::npos) << shown.out;
    EXPECT_EQ(shown.out.find("\nchains ") != std::string::npos, each.has_chains) << shown.out;
    EXPECT_EQ(place.run({"sample", "1", "-n", "10"}).code, 0);
  }
}

TEST(Abc, TheFileThatInitWritesRuns) {
  for (const std::string method :
       {"rejection-abc", "mcmc-abc", "smc-abc", "synthetic-likelihood"}) {
    const Workplace place;
    ASSERT_EQ(place.run({"init", "mixture", "--method", method}).code, 0) << method;
    const Outcome outcome = place.run({"run", "mixture.toml", "--out", "run"});
    ASSERT_EQ(outcome.code, 0) << method << ": " << outcome.err;
    EXPECT_EQ(summary_of(place, "run").at("method"), method);
  }
}

// A classical method is judged by what it accepted; it has no loss.
TEST(Abc, ProgressSaysHowNearEachPopulationCame) {
  const Workplace place;
  place.write("p.toml", problem("name = \"smc-abc\"\n", "mixture"));
  const Outcome outcome = place.run({"run", "p.toml", "--out", "run"});
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  for (const char* part : {"population 1  ", "population 2  ", "  epsilon ", "% accepted"}) {
    EXPECT_NE(outcome.err.find(part), std::string::npos) << part << outcome.err;
  }
  EXPECT_EQ(outcome.err.find("loss"), std::string::npos) << outcome.err;
}

struct BadCase {
  const char* method;
  int code;
  const char* says;  // on standard error, or in a warning of the summary where the code is 0
};

TEST(Abc, BadSettingsSayWhatToChange) {
  const std::vector<BadCase> cases = {
      {"name = \"rejection-abc\"\nrejection = {epsilon = 1e-12}\n", 75, "Raise epsilon"},
      {"name = \"rejection-abc\"\nrejection = {epsilon = 1e-12, streaming = true}\n", 75,
       "Raise epsilon"},
      {"name = \"rejection-abc\"\nrejection = {num_samples = 3}\n", 0, "raise method.num_sim"},
      {"name = \"mcmc-abc\"\nmcmc = {epsilon = 1e-12}\n", 75, "Raise epsilon"},
      {"name = \"mcmc-abc\"\nmcmc = {epsilon = 0.1, shape = \"spherical\", scale = 1e9}\n", 75,
       "no chain moved"},
      {"name = \"mcmc-abc\"\nmcmc = {epsilon = 0.1, scale = 200}\n", 0, "never moved"},
      {"name = \"smc-abc\"\nsmc = {epsilon = 1e-12}\n", 0, "raise method.num_simulations"},
      {"name = \"smc-abc\"\nsmc = {initial_epsilon = 1e-12}\n", 75, "Raise initial_epsilon"},
      {"name = \"smc-abc\"\nsmc = {population = 5000}\n", 75, "lower method.smc.population"},
      {"name = \"synthetic-likelihood\"\n", 0, "Raise method.num_simulations"},
  };
  for (const BadCase& each : cases) {
    const Workplace place;
    place.write("p.toml", problem(each.method, "mixture"));
    const Outcome outcome = place.run({"run", "p.toml", "--out", "run"});
    ASSERT_EQ(outcome.code, each.code) << each.method << outcome.err;
    if (each.code != 0) {
      EXPECT_NE(outcome.err.find(each.says), std::string::npos) << each.method << outcome.err;
      EXPECT_FALSE(std::filesystem::exists(place.file("run/posterior.json")));
    } else {
      EXPECT_TRUE(warns_of(summary_of(place, "run"), each.says))
          << each.method << summary_of(place, "run").at("warnings");
    }
  }
}

// Distances too large for a number, and a likelihood that is zero everywhere.
TEST(Abc, AnObservationFarFromEverythingIsNoNan) {
  for (const MethodCase& each : kMethods) {
    const Workplace place;
    place.write("p.toml", problem(each.method, "mixture") + "[observed]\nvalues = [1e200]\n");
    const Outcome outcome = place.run({"run", "p.toml", "--out", "run"});
    EXPECT_EQ(outcome.code, 75) << each.name << ": " << outcome.err;
    EXPECT_FALSE(std::filesystem::exists(place.file("run/posterior.json"))) << each.name;
  }
}

Json ledger_counts(const Workplace& place, const std::string& out) {
  return summary_of(place, out).at("recording");
}

TEST(Abc, OneSetOfRecordedSimulationsServesAnyEpsilon) {
  const Workplace place;
  place.write("p.toml", problem("name = \"rejection-abc\"\nnum_simulations = 3000\n"));
  const auto run = [&](const std::string& out, const std::string& setting) {
    return place.run({"run", "p.toml", "--out", out, "--record", "always", "--set", setting});
  };
  ASSERT_EQ(run("run", "method.rejection.epsilon=0.3").code, 0);
  for (const char* setting : {"method.rejection.epsilon=0.2", "method.rejection.num_samples=50",
                              "method.abc.adjust=\"linear\""}) {
    const Outcome again = run("run", setting);
    ASSERT_EQ(again.code, 0) << again.err;
    EXPECT_EQ(ledger_counts(place, "run").at("replayed"), 3000) << setting;
    EXPECT_EQ(ledger_counts(place, "run").at("simulated"), 0) << setting;
    const std::string fresh = std::string("fresh-") + std::to_string(setting[7]) + setting[19];
    ASSERT_EQ(run(fresh, setting).code, 0);
    EXPECT_EQ(place.read("run/posterior.json"), place.read(fresh + "/posterior.json")) << setting;
  }
}

TEST(Abc, StreamingRecordsOnlyWhatItKeepsOnItsWay) {
  const Workplace place;
  place.write("p.toml", problem("name = \"rejection-abc\"\nnum_simulations = 70000\n"
                                "rejection = {epsilon = 0.05, streaming = true}\n"));
  ASSERT_EQ(place.run({"run", "p.toml", "--out", "run", "--record", "always"}).code, 0);
  const Json recording = ledger_counts(place, "run");
  const Json summary = summary_of(place, "run");
  EXPECT_EQ(recording.at("simulated"), 70000);
  EXPECT_EQ(recording.at("recorded").get<double>(),
            summary.at("effective_sample_size").get<double>());
  // Another epsilon: the same answer as from nothing.
  const std::string setting = "method.rejection.epsilon=0.06";
  ASSERT_EQ(
      place.run({"run", "p.toml", "--out", "run", "--record", "always", "--set", setting}).code, 0);
  ASSERT_EQ(place.run({"run", "p.toml", "--out", "fresh", "--set", setting}).code, 0);
  EXPECT_EQ(place.read("run/posterior.json"), place.read("fresh/posterior.json"));
}

/// Waits until a run shows that it simulates.
bool wait_for_simulations(const Workplace& place, const std::string& out, pid_t child) {
  for (int i = 0; i < 2000; ++i) {
    try {
      const Json status = Json::parse(place.read(out + "/status.json"));
      if (status.at("simulations").at("simulated") > 0) return true;
    } catch (const std::exception&) {
    }
    if (::kill(child, 0) != 0) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  return false;
}

// Slow by waiting, so that a signal comes in its midst on any machine.
const char* kSlowSimulator = R"(import random, time

def simulate(theta, seed):
    time.sleep(0.001)
    return theta[0] + random.Random(seed).gauss(0, 1)
)";
const char* kSlowProblem = R"(seed = 3
[simulator]
python = "slow:simulate"
statistic_names = ["x"]
[prior]
kind = "independent"
[[prior.parameter]]
name = "mu"
family = "normal"
mean = 0.0
std = 3.0
[observed]
values = [1.0]
[method]
num_simulations = 2000
)";

TEST(Abc, AnInterruptedRunGoesOnToTheSameBytes) {
  const Workplace place;
  place.write("slow.py", kSlowSimulator);
  place.write("p.toml", kSlowProblem);
  for (const std::string method : {"rejection-abc", "mcmc-abc", "smc-abc"}) {
    const auto into = [&](const std::string& out) -> std::vector<std::string> {
      return {
          "run", "p.toml", "--out", method + out, "--no-report", "--set", "method.name=" + method};
    };
    ASSERT_EQ(place.run(into("whole")).code, 0) << method;
    const pid_t child = place.start(into("run"));
    ASSERT_TRUE(wait_for_simulations(place, method + "run", child)) << method;
    ::kill(child, SIGINT);
    const Outcome stopped = place.finish(child);
    ASSERT_EQ(stopped.code, 130) << method << stopped.err;
    const Outcome resumed = place.run(into("run"));
    ASSERT_EQ(resumed.code, 0) << method << resumed.err;
    EXPECT_GT(ledger_counts(place, method + "run").at("replayed"), 0) << method;
    EXPECT_EQ(place.read(method + "run/posterior.json"),
              place.read(method + "whole/posterior.json"))
        << method;
  }
}

}  // namespace
}  // namespace epsfree::cli
