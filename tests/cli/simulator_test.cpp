// Simulators of the user's own, from the problem file to the posterior.
#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "cli/program.hpp"
#include "io/csv.hpp"

namespace epsfree::cli {
namespace {

constexpr const char* kOwnPrior = R"([prior]
kind = "independent"
[[prior.parameter]]
name = "mu"
family = "uniform"
low = -2
high = 2
)";

// mu plus noise, twice; a second argument says what goes wrong.
constexpr const char* kScript = R"(#!/bin/sh
case $3 in
  fail) echo "no license for theta $1" >&2; exit 3 ;;
  invalid) echo "nan 1"; exit 0 ;;
  clock) date +%N; echo 1; exit 0 ;;
  constant) echo "$1 7"; exit 0 ;;
esac
exec awk -v mu="$1" -v seed="$2" 'BEGIN { srand(seed); printf "%.17g %.17g\n", mu + rand() + rand() - 1, mu + rand() }'
)";

class OwnSimulator : public ::testing::Test {
 protected:
  OwnSimulator() {
    place.write("sim.sh", kScript);
    std::filesystem::permissions(place.file("sim.sh"), std::filesystem::perms::owner_all);
    write_problem("p.toml", "");
  }
  void write_problem(const std::string& name, const std::string& mode,
                     const std::string& more = "") const {
    place.write(name, "[simulator]\ncommand = [\"./sim.sh\", \"{mu}\", \"{seed31}\", \"" + mode +
                          "\"]\nstatistic_names = [\"a\", \"b\"]\ntime_limit_seconds = 30\n" +
                          more + kOwnPrior +
                          "[observed]\nvalues = [0.5, 1.0]\n[method]\nnum_simulations = 60\n");
  }
  Workplace place;
};

void expect_has(const std::string& text, const std::string& part) {
  EXPECT_NE(text.find(part), std::string::npos) << text << "\nlacks " << part;
}

TEST_F(OwnSimulator, RunsAndItsRunFileRepeatsItFromElsewhere) {
  const Outcome run = place.run({"run", "p.toml", "--out", "first"});
  ASSERT_EQ(run.code, 0) << run.err;
  expect_has(run.out, "mu");
  const Outcome again = place.run({"run", "first/run.toml", "--threads", "3", "--out", "again"});
  ASSERT_EQ(again.code, 0) << again.err;
  EXPECT_EQ(place.read("first/posterior.json"), place.read("again/posterior.json"));
  expect_has(place.run({"show", "first"}).out, "command ./sim.sh");
}

// `epsfree simulate p.toml > data.csv`: the shell has emptied the file before the program starts.
TEST_F(OwnSimulator, NeedNoObservationToBeTried) {
  write_problem("p.toml", "");
  std::string problem = place.read("p.toml");
  const std::string values = "values = [0.5, 1.0]";
  problem.replace(problem.find(values), values.size(), "file = \"data.csv\"");
  place.write("own.toml", problem);
  place.write("model.toml", "[simulator]\nmodel = \"mixture\"\n[observed]\nfile = \"data.csv\"\n");
  for (const bool is_empty : {false, true}) {
    if (is_empty) place.write("data.csv", "");
    for (const std::string file : {"own.toml", "model.toml"}) {
      const Outcome one = place.run({"simulate", file});
      EXPECT_EQ(one.code, 0) << file << one.err;
      EXPECT_NE(one.out, "");
      const Outcome check = place.run({"check-simulator", file, "-n", "12"});
      EXPECT_EQ(check.code, 0) << file << check.out << check.err;
      const Outcome run = place.run({"run", file});
      EXPECT_NE(run.code, 0) << file << ": a run needs it";
      expect_has(run.err, "data.csv");
    }
  }
  // A file that holds something else stops no simulation, and the check tells of it.
  place.write("data.csv", "1,2,3\n4,5,6\n");
  EXPECT_EQ(place.run({"simulate", "own.toml"}).code, 0);
  const Outcome check = place.run({"check-simulator", "own.toml", "-n", "3"});
  EXPECT_EQ(check.code, 3) << check.out << check.err;
  expect_has(check.out, "key 'observed.file'");
  // What a simulation printed into it is the observation of the run.
  EXPECT_EQ(
      place.finish(place.start({"simulate", "own.toml", "--theta=0.5"}, place.file("data.csv")))
          .code,
      0);
  EXPECT_EQ(place.run({"run", "own.toml", "--quiet"}).code, 0);
}

TEST_F(OwnSimulator, OneSimulationCanBeRepeated) {
  const Outcome drawn = place.run({"simulate", "p.toml"});
  ASSERT_EQ(drawn.code, 0) << drawn.err;
  expect_has(drawn.out, "a,b\n");
  expect_has(drawn.err, "outcome     ok");
  // "again with  epsfree simulate p.toml --theta=... --seed=..."
  const std::size_t theta = drawn.err.find("--theta="), seed = drawn.err.find("--seed=");
  ASSERT_NE(seed, std::string::npos) << drawn.err;
  const Outcome again = place.run({"simulate", "p.toml", drawn.err.substr(theta, seed - theta - 1),
                                   drawn.err.substr(seed, drawn.err.find('\n', seed) - seed)});
  EXPECT_EQ(again.out, drawn.out);
  EXPECT_EQ(again.err.find("again with"), std::string::npos) << "it is known already";
  EXPECT_NE(place.run({"simulate", "p.toml", "--theta=0.5", "--seed=1"}).out,
            place.run({"simulate", "p.toml", "--theta=0.5", "--seed=2"}).out);
  // What it prints is an observation.
  place.write("x.csv", drawn.out);
  EXPECT_EQ(place.run({"run", "p.toml", "--observed", "x.csv", "--out", "r", "--quiet"}).code, 0);
  for (const char* wrong :
       {"--theta=1,2", "--theta=x", "--seed=-1", "--seed=99999999999999999999"}) {
    EXPECT_EQ(place.run({"simulate", "p.toml", wrong}).code, 64) << wrong;
  }
}

TEST_F(OwnSimulator, HowASimulationEndedIsTheExitCode) {
  write_problem("invalid.toml", "invalid");
  write_problem("fail.toml", "fail");
  const Outcome invalid = place.run({"simulate", "invalid.toml", "--theta=1"});
  EXPECT_EQ(invalid.code, 3);
  expect_has(invalid.err, "outcome     invalid");
  EXPECT_EQ(invalid.out, "");
  const Outcome failed = place.run({"simulate", "fail.toml", "--theta=1"});
  EXPECT_EQ(failed.code, 4);
  expect_has(failed.err, "outcome     failed");
  expect_has(failed.err, "no license for theta 1");
}

TEST_F(OwnSimulator, ARunThatFailsEndsWithTheCommandThatRepeatsIt) {
  write_problem("fail.toml", "fail");
  const Outcome run = place.run({"run", "fail.toml", "--set", "method.num_simulations=50"});
  EXPECT_EQ(run.code, 75);
  expect_has(run.err, "no license for theta");
  const std::string last = run.err.substr(run.err.rfind("  epsfree simulate "));
  expect_has(last, " fail.toml --set method.num_simulations=50 --theta=");
  const std::size_t theta = last.find("--theta="), seed = last.find("--seed=");
  const Outcome again = place.run({"simulate", "fail.toml", last.substr(theta, seed - theta - 1),
                                   last.substr(seed, last.size() - seed - 1)});
  EXPECT_EQ(again.code, 4);
  expect_has(again.err, "no license for theta " + last.substr(theta + 8, seed - theta - 9));
}

TEST_F(OwnSimulator, AreCheckedWithAVerdict) {
  const Outcome good = place.run({"check-simulator", "p.toml", "-n", "12", "--json", "check.json"});
  EXPECT_EQ(good.code, 0) << good.out << good.err;
  EXPECT_EQ(good.err, "") << "no bar where there is no terminal";
  expect_has(good.out, "same seed");
  expect_has(good.out, "60 simulations will take about");
  const auto json = nlohmann::json::parse(place.read("check.json"));
  EXPECT_EQ(json.at("verdict"), "ok");
  EXPECT_EQ(json.at("simulations").at("ok"), 12);

  write_problem("constant.toml", "constant");
  const Outcome warned = place.run({"check-simulator", "constant.toml", "-n", "3"});
  EXPECT_EQ(warned.code, 3) << warned.out;
  expect_has(warned.out, "the same in all simulations: 'b' (7)");
  // "nan 7" is not finite, and so the script's answer to nonsense is seen as such.
  expect_has(warned.out, "ended as invalid");

  write_problem("clock.toml", "clock");
  const Outcome unrepeatable = place.run({"check-simulator", "clock.toml", "-n", "3"});
  EXPECT_EQ(unrepeatable.code, 4) << unrepeatable.out;
  expect_has(unrepeatable.out, "failure  same seed");

  write_problem("fail.toml", "fail");
  const Outcome failed = place.run({"check-simulator", "fail.toml", "-n", "3"});
  EXPECT_EQ(failed.code, 4) << failed.out;
  expect_has(failed.out, "no license");
  expect_has(failed.out, "epsfree simulate fail.toml --theta=");
}

// What a newcomer gets wrong: the message has the file, the line, the key and what to do.
TEST_F(OwnSimulator, MistakesAreToldWithTheirPlace) {
  const auto refusal = [&](const std::string& simulator) {
    place.write("w.toml",
                "[simulator]\n" + simulator + kOwnPrior + "[observed]\nvalues = [1, 2]\n");
    const Outcome outcome = place.run({"run", "w.toml"});
    EXPECT_EQ(outcome.code, 65) << outcome.err;
    return outcome.err;
  };
  expect_has(refusal("command = [\"./sin.sh\", \"{mu}\"]\nnum_statistics = 2\n"),
             "w.toml:2: key 'simulator.command': the simulator's program");
  expect_has(refusal("command = [\"no-such-program\", \"{mu}\"]\nnum_statistics = 2\n"),
             "is not on the PATH");
  place.write("plain.sh", "exit 0\n");
  expect_has(refusal("command = [\"./plain.sh\", \"{mu}\"]\nnum_statistics = 2\n"), "chmod +x");
  expect_has(refusal("command = [\"./sim.sh\", \"{mo}\"]\nnum_statistics = 2\n"),
             "w.toml:2: key 'simulator.command'");
  expect_has(refusal("comand = [\"./sim.sh\", \"{mu}\"]\nnum_statistics = 2\n"),
             "did you mean 'command'?");
  expect_has(refusal("command = [\"./sim.sh\", \"{mu}\"]\nnum_statistics = 3\n"),
             "key 'observed.values': got 2 numbers, expected 3");
  expect_has(refusal("python = \"nothing\"\nnum_statistics = 2\n"), "module:function");
  // A count that agrees with the observation and not with the program shows when it runs.
  place.write("three.toml",
              "[simulator]\ncommand = [\"./sim.sh\", \"{mu}\", \"{seed31}\"]\n"
              "num_statistics = 3\n" +
                  std::string(kOwnPrior) + "[observed]\nvalues = [1, 2, 3]\n");
  const Outcome three = place.run({"check-simulator", "three.toml", "-n", "3"});
  EXPECT_EQ(three.code, 4);
  expect_has(three.out, "3");
}

TEST(Init, WritesASimulatorOfOnesOwnThatRuns) {
  const Workplace place;
  const Outcome init = place.run({"init", "mine", "--kind", "command"});
  ASSERT_EQ(init.code, 0) << init.err;
  EXPECT_EQ(init.out, "mine.toml\nmine.sh\n");
  expect_has(init.err, "epsfree check-simulator mine.toml");
  const Outcome check = place.run({"check-simulator", "mine.toml", "-n", "10"});
  EXPECT_EQ(check.code, 0) << check.out;
  EXPECT_EQ(place.run({"init", "mine", "--kind", "command"}).code, 64) << "it exists";
  EXPECT_EQ(place.run({"init", "other", "--kind", "comand"}).code, 64);
  EXPECT_EQ(place.run({"init", "other", "--kind", "command", "--out", "x.toml"}).code, 64);
  EXPECT_EQ(place.run({"init", "a/b", "--kind", "command"}).code, 64);
  // Two in one folder share the header.
  EXPECT_EQ(place.run({"init", "one", "--kind", "plugin"}).code, 0);
  EXPECT_EQ(place.run({"init", "two", "--kind", "plugin"}).code, 0);
}

}  // namespace
}  // namespace epsfree::cli
