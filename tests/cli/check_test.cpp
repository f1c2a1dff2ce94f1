// `epsfree check`, `report` and `watch`: whether to trust a run, and how far it is.
#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "cli/program.hpp"
#include "support/contains.hpp"

namespace epsfree::cli {
namespace {

namespace fs = std::filesystem;

constexpr const char* kProblem = R"(seed = 3
[simulator]
model = "mixture"
[method]
name = "auto"
num_simulations = 1000
)";

/// A workplace with the run "run" of the problem, and what making it said.
struct CheckedRun {
  Workplace place;
  Outcome outcome;

  explicit CheckedRun(const std::string& problem = kProblem, std::vector<std::string> more = {}) {
    place.write("problem.toml", problem);
    std::vector<std::string> arguments = {"run", "problem.toml", "--out", "run"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    outcome = place.run(arguments);
  }
  bool has(const std::string& name) const { return fs::exists(place.file("run/" + name)); }
  nlohmann::json check() const { return nlohmann::json::parse(place.read("run/check.json")); }
};

/// Without what differs from one time to another.
nlohmann::json without_time(nlohmann::json check) {
  check.erase("seconds");
  return check;
}

nlohmann::json diagnosis(const nlohmann::json& check, const std::string& name) {
  for (const nlohmann::json& each : check.at("diagnoses")) {
    if (each.at("name") == name) return each;
  }
  return {};
}

TEST(Check, EveryRunIsCheckedAndReported) {
  const CheckedRun run;
  ASSERT_EQ(run.outcome.code, 0) << run.outcome.err;
  EXPECT_CONTAINS(run.outcome.err, "run/report.html");
  EXPECT_CONTAINS(run.outcome.err, "Checks: pass");
  EXPECT_EQ(run.check().at("verdict"), "pass");
  for (const char* name : {"posterior-predictive", "misspecification-posterior",
                           "misspecification-prior", "round-convergence", "budget", "support"}) {
    EXPECT_EQ(diagnosis(run.check(), name).value("verdict", ""), "pass") << name;
  }
  const std::string page = run.place.read("run/report.html");
  for (const char* part : {"verdict holds", "Posterior", "Predictive checks", "Diagnostics",
                           "Rounds and training", "Simulations", "Configuration", "<svg",
                           "epsfree run run/run.toml", "model = &quot;mixture&quot;"}) {
    EXPECT_CONTAINS(page, part);
  }
  // One file: nothing is fetched from anywhere.
  EXPECT_EQ(page.find("src="), std::string::npos);
  EXPECT_EQ(page.find("<script"), std::string::npos);
}

TEST(Check, NotWhereItIsNotWanted) {
  const CheckedRun option(kProblem, {"--no-report"});
  EXPECT_EQ(option.outcome.code, 0) << option.outcome.err;
  EXPECT_FALSE(option.has("check.json") || option.has("report.html") || option.has("check.sqlite"));
  const CheckedRun key(std::string(kProblem) + "[run]\nreport = false\n");
  EXPECT_FALSE(key.has("check.json") || key.has("report.html"));
  // The answer is the same.
  EXPECT_EQ(option.place.read("run/posterior.json"), CheckedRun().place.read("run/posterior.json"));
  // And can be checked later.
  EXPECT_EQ(key.place.run({"report", "run", "--no-check"}).code, 0);
  EXPECT_FALSE(key.has("check.json"));
  EXPECT_CONTAINS(key.place.read("run/report.html"), "Not checked");
  const Outcome later = key.place.run({"report", "run"});
  EXPECT_EQ(later.code, 0) << later.err;
  EXPECT_EQ(later.out, "run/report.html\n");
  EXPECT_CONTAINS(key.place.read("run/report.html"), "Pass: none of");
}

TEST(Check, TheVerdictIsTheExitCode) {
  const CheckedRun good;
  EXPECT_EQ(good.place.run({"check", "run", "--quiet"}).code, 0);
  EXPECT_EQ(good.place.run({"check", "run", "--quiet"}).out, "");

  // So few samples that tails cannot be known.
  const CheckedRun poor(R"(seed = 3
[simulator]
model = "mixture"
[method]
name = "rejection-abc"
num_simulations = 1000
[method.rejection]
fraction = 0.05
)");
  ASSERT_EQ(poor.outcome.code, 0) << poor.outcome.err;
  const Outcome warned = poor.place.run({"check", "run"});
  EXPECT_EQ(warned.code, 3) << warned.out << warned.err;
  EXPECT_CONTAINS(warned.out, "warn  effective-sample-size");
  EXPECT_CONTAINS(warned.out, "verdict: warn");

  // Data that the simulator cannot produce.
  Workplace place;
  place.write("problem.toml", kProblem);
  place.write("observed.csv", "x\n400\n");
  const Outcome run =
      place.run({"run", "problem.toml", "--observed", "observed.csv", "--out", "run"});
  ASSERT_EQ(run.code, 0) << run.err;
  EXPECT_CONTAINS(run.err, "Checks: fail");
  const Outcome failed = place.run({"check", "run"});
  EXPECT_EQ(failed.code, 4) << failed.out << failed.err;
  EXPECT_CONTAINS(failed.out, "fail  misspecification-prior");
  EXPECT_CONTAINS(failed.out, "check the observation's units");
  EXPECT_CONTAINS(place.read("run/report.html"), "verdict fails");
}

TEST(Check, AStrictRunEndsWithItsVerdict) {
  EXPECT_EQ(CheckedRun(kProblem, {"--strict", "--quiet"}).outcome.code, 0);
  const std::string few = R"(seed = 3
[simulator]
model = "mixture"
[method]
name = "rejection-abc"
num_simulations = 1000
[method.rejection]
fraction = 0.05
)";
  const CheckedRun warned(few, {"--strict"});
  EXPECT_EQ(warned.outcome.code, 3) << warned.outcome.err;
  EXPECT_CONTAINS(warned.outcome.err, "Checks: warn");
  EXPECT_TRUE(warned.has("report.html"));
  // Shown again, it is judged as before.
  const Outcome again = warned.place.run({"run", "problem.toml", "--out", "run", "--strict"});
  EXPECT_EQ(again.code, 3) << again.err;
  EXPECT_EQ(warned.place.run({"run", "problem.toml", "--out", "run"}).code, 0);
  // A run that nobody checked is checked now.
  const CheckedRun unchecked(few, {"--no-report"});
  EXPECT_EQ(unchecked.place.run({"run", "problem.toml", "--out", "run", "--strict"}).code, 3);
  unchecked.place.write("observed.csv", "x\n400\n");
  const Outcome failed = unchecked.place.run(
      {"run", "problem.toml", "--observed", "observed.csv", "--out", "far", "--strict", "--quiet"});
  EXPECT_EQ(failed.code, 4) << failed.err;
}

// A third of the simulations crash, wherever they are: nothing else shows it.
TEST(Check, SimulationsThatFailAreNoPass) {
  Workplace place;
  place.write("sim.sh", R"(#!/bin/sh
[ $(($2 % 10)) -ge 3 ] || { echo "crashed" >&2; exit 1; }
exec awk -v mu="$1" -v seed="$2" 'BEGIN { srand(seed); print mu + rand() + rand() - 1 }'
)");
  fs::permissions(place.file("sim.sh"), fs::perms::owner_all);
  place.write("p.toml", R"([simulator]
command = ["./sim.sh", "{mu}", "{seed31}"]
num_statistics = 1
[prior]
kind = "independent"
[[prior.parameter]]
name = "mu"
family = "uniform"
low = -2
high = 2
[observed]
values = [0.3]
[method]
num_simulations = 200
[run]
retries = 0
)");
  const Outcome run = place.run({"run", "p.toml", "--out", "run"});
  ASSERT_EQ(run.code, 0) << run.err;
  EXPECT_CONTAINS(run.err, "Checks: fail (failed-simulations");
  const auto check = nlohmann::json::parse(place.read("run/check.json"));
  const nlohmann::json failed = diagnosis(check, "failed-simulations");
  EXPECT_EQ(failed.value("verdict", ""), "fail");
  EXPECT_NEAR(failed.value("value", 0.0), 0.3, 0.15);
  EXPECT_CONTAINS(place.read("run/report.html"), "failed-simulations");
  EXPECT_CONTAINS(place.read("run/report.html"), "simulations failed");
}

TEST(Check, ChainsAreHeldAgainstEachOther) {
  const CheckedRun run(R"(seed = 3
[simulator]
model = "mixture"
[method]
name = "mcmc-abc"
num_simulations = 3000
)");
  ASSERT_EQ(run.outcome.code, 0) << run.outcome.err;
  const nlohmann::json summary = nlohmann::json::parse(run.place.read("run/summary.json"));
  EXPECT_EQ(summary.at("chains").at("rhat").size(), 1u);
  const nlohmann::json rhat = diagnosis(run.check(), "rhat");
  ASSERT_FALSE(rhat.is_null());
  EXPECT_EQ(rhat.at("value"), summary.at("chains").at("rhat").at(0));
  EXPECT_GT(rhat.at("value").get<double>(), 0.99);
  EXPECT_FALSE(diagnosis(run.check(), "acceptance").is_null());
}

TEST(Check, ANewObservationIsCheckedToo) {
  const CheckedRun run(kAmortisedProblem);
  ASSERT_EQ(run.outcome.code, 0) << run.outcome.err;
  run.place.write("observed.json", "[0, 0, 0, 0, 0, 0, 0, 0, 0, 0]");
  const Outcome there =
      run.place.run({"run", "run", "--observed", "observed.json", "--out", "there"});
  ASSERT_EQ(there.code, 0) << there.err;
  EXPECT_CONTAINS(there.err, "there/report.html");
  EXPECT_CONTAINS(run.place.read("there/report.html"), "for a new observation");
  const Outcome silent = run.place.run(
      {"run", "run", "--observed", "observed.json", "--out", "silent", "--no-report"});
  EXPECT_EQ(silent.code, 0) << silent.err;
  EXPECT_FALSE(fs::exists(run.place.file("silent/check.json")));
}

TEST(Check, IsTheSameForAnyNumberOfThreads) {
  const CheckedRun run;
  const Outcome one = run.place.run({"check", "run", "--json", "--threads", "1", "--sbc", "12"});
  const nlohmann::json first = nlohmann::json::parse(one.out);
  EXPECT_EQ(first, run.check());
  fs::remove(run.place.file("run/check.sqlite"));
  const Outcome three = run.place.run({"check", "run", "--json", "--threads", "3", "--sbc", "12"});
  EXPECT_EQ(without_time(first), without_time(nlohmann::json::parse(three.out)));
  EXPECT_EQ(first.at("repetitions"), 12);
  EXPECT_FALSE(diagnosis(first, "sbc-ranks").is_null());
  const Outcome other = run.place.run({"check", "run", "--json", "--seed", "2"});
  EXPECT_NE(without_time(first), without_time(nlohmann::json::parse(other.out)));
}

TEST(Check, ACalibrationGoesOnWhereItWasInterrupted) {
  std::string problem = kProblem;
  problem.replace(problem.find("1000"), 4, "300");
  const CheckedRun run(problem);
  const std::vector<std::string> command = {"check", "run", "--sbc", "40", "--threads", "2"};
  const pid_t child = run.place.start(command);
  const std::string said = run.place.streams().file("err");
  // Past the first tenth, before the end.
  for (int i = 0; i < 2000 && read_file(said).find("of 40 inferences") == std::string::npos; ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  ::kill(child, SIGINT);
  const Outcome interrupted = run.place.finish(child);
  ASSERT_EQ(interrupted.code, 130) << interrupted.err;
  EXPECT_CONTAINS(interrupted.err, "the same command goes on from there");
  EXPECT_EQ(run.check().at("repetitions"), 0);  // that of the run itself still stands

  const Outcome resumed = run.place.run(command);
  EXPECT_TRUE(resumed.code == 0 || resumed.code == 3) << resumed.err;
  const nlohmann::json after = without_time(run.check());
  fs::remove(run.place.file("run/check.sqlite"));
  run.place.run(command);
  EXPECT_EQ(after, without_time(run.check()));
}

TEST(Check, AmortisedNetworksAreNotTrainedAgain) {
  const CheckedRun run(kAmortisedProblem);
  ASSERT_EQ(run.outcome.code, 0) << run.outcome.err;
  const Outcome outcome = run.place.run({"check", "run", "--json", "--sbc", "50"});
  const nlohmann::json check = nlohmann::json::parse(outcome.out);
  EXPECT_EQ(check.at("repetitions"), 50);
  EXPECT_FALSE(diagnosis(check, "lc2st").is_null());
}

TEST(Check, WhatCannotBeCheckedIsSaid) {
  const CheckedRun run;
  const Workplace& place = run.place;
  EXPECT_EQ(place.run({"check", "nowhere"}).code, 74);
  EXPECT_EQ(place.run({"report", "nowhere"}).code, 74);
  fs::create_directory(place.file("empty"));
  const Outcome empty = place.run({"report", "empty"});
  EXPECT_EQ(empty.code, 65);
  EXPECT_CONTAINS(empty.err, "not a run directory");
  EXPECT_EQ(place.run({"check", "run", "--sbc", "5"}).code, 65);
  EXPECT_EQ(place.run({"check", "run", "--sbc", "-1"}).code, 64);

  place.run({"run", "problem.toml", "--seed", "4", "--out", "other"});
  ASSERT_EQ(place.run({"combine", "run", "other", "--out", "both"}).code, 0);
  const Outcome both = place.run({"check", "both"});
  EXPECT_EQ(both.code, 65);
  EXPECT_CONTAINS(both.err, "combination");
  EXPECT_EQ(place.run({"report", "both"}).code, 0);
  EXPECT_CONTAINS(place.read("both/report.html"), "A combination of runs");
}

TEST(Check, OfADamagedRunWhatThereIsIsShown) {
  const CheckedRun run;
  const Workplace& place = run.place;
  const std::string summary = place.read("run/summary.json");
  place.write("run/summary.json", summary.substr(0, summary.size() / 2));
  Outcome report = place.run({"report", "run"});
  EXPECT_EQ(report.code, 0);
  EXPECT_CONTAINS(report.err, "summary.json");
  EXPECT_CONTAINS(place.read("run/report.html"), "<svg");  // the posterior can still be read
  const Outcome check = place.run({"check", "run"});
  EXPECT_EQ(check.code, 65);
  EXPECT_CONTAINS(check.err, "summary.json");

  std::string newer = summary;
  newer.replace(newer.find("\"version\": 1"), 12, "\"version\": 9");
  place.write("run/summary.json", newer);
  EXPECT_CONTAINS(place.run({"check", "run"}).err, "newer");

  place.write("run/summary.json", summary);
  const std::string posterior = place.read("run/posterior.json");
  place.write("run/posterior.json", posterior + " ");
  report = place.run({"report", "run"});
  EXPECT_EQ(report.code, 0);
  EXPECT_CONTAINS(report.err, "it was changed after the run");
  EXPECT_CONTAINS(place.read("run/report.html"), "Damaged");
  place.write("run/posterior.json", posterior);

  place.write("run/check.json", "{\"format\": \"epsfree-check\"");
  report = place.run({"report", "run"});
  EXPECT_EQ(report.code, 0) << report.err;
  EXPECT_CONTAINS(place.read("run/report.html"), "<svg");
}

TEST(Check, AnUnfinishedRunHasAReportAndNoVerdict) {
  Workplace place;
  place.write("problem.toml", R"(seed = 3
[simulator]
model = "lotka-volterra"
[method]
num_simulations = 1000000
)");
  const pid_t child = place.start({"run", "problem.toml", "--out", "run", "--record", "always"});
  const auto simulated = [&] {
    if (!fs::exists(place.file("run/status.json"))) return 0L;
    return nlohmann::json::parse(place.read("run/status.json"))["simulations"]["recorded"]
        .get<long>();
  };
  for (int i = 0; i < 4000 && simulated() < 50; ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  ::kill(child, SIGINT);
  ASSERT_EQ(place.finish(child).code, 130);
  const Outcome report = place.run({"report", "run"});
  EXPECT_EQ(report.code, 0) << report.err;
  const std::string page = place.read("run/report.html");
  EXPECT_CONTAINS(page, "Interrupted: there is no answer yet");
  EXPECT_CONTAINS(page, "Simulations by outcome");
  EXPECT_CONTAINS(page, "going on where it ended");
  const Outcome check = place.run({"check", "run"});
  EXPECT_EQ(check.code, 65);
  EXPECT_CONTAINS(check.err, "not a finished run");
  EXPECT_EQ(place.run({"watch", "run"}).code, 130);
}

TEST(Watch, FollowsARunToItsEnd) {
  Workplace place;
  std::string problem = kSmallProblem;
  problem.replace(problem.find("num_steps = 200"), 15, "num_steps = 20000");
  place.write("problem.toml", problem);
  const pid_t child =
      place.start({"run", "problem.toml", "--out", "run"}, place.streams().file("of-the-run"));
  for (int i = 0; i < 2000 && !fs::exists(place.file("run/status.json")); ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  const Outcome watch = place.run({"watch", "run", "--interval", "0.1"});
  EXPECT_EQ(watch.code, 0) << watch.err;
  EXPECT_CONTAINS(watch.out, "finished\n");
  EXPECT_CONTAINS(watch.out, "so far");
  EXPECT_EQ(place.finish(child).code, 0);
  const Outcome once = place.run({"watch", "run", "--once"});
  EXPECT_EQ(once.code, 0);
  EXPECT_CONTAINS(once.out, "simulations  [");
  EXPECT_CONTAINS(once.out, "moved by");
  EXPECT_EQ(place.run_in_terminal({"watch", "run"}).code, 0);
}

TEST(Watch, SeesThatARunDied) {
  const CheckedRun run;
  nlohmann::json status = nlohmann::json::parse(run.place.read("run/status.json"));
  status["state"] = "running";
  const pid_t gone = ::fork();
  if (gone == 0) ::_exit(0);
  ::waitpid(gone, nullptr, 0);
  status["pid"] = static_cast<long>(gone);
  run.place.write("run/status.json", status.dump());
  const Outcome watch = run.place.run({"watch", "run"});
  EXPECT_EQ(watch.code, 75);
  EXPECT_CONTAINS(watch.out, "died");
  EXPECT_EQ(run.place.run({"watch", "run", "--once"}).code, 75);
  fs::remove(run.place.file("run/summary.json"));
  EXPECT_EQ(run.place.run({"report", "run/"}).code, 0);
  EXPECT_CONTAINS(run.place.read("run/report.html"), "Died: its process is gone");
  run.place.write("run/status.json", "{");
  EXPECT_EQ(run.place.run({"watch", "run"}).code, 65);
  EXPECT_EQ(run.place.run({"watch", "nowhere"}).code, 74);
}

}  // namespace
}  // namespace epsfree::cli
