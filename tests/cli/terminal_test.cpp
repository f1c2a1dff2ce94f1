// What depends on a terminal, a pipe or a signal.
#include <gtest/gtest.h>

#include <filesystem>

#include "cli/program.hpp"

namespace epsfree::cli {
namespace {

// Long enough to be interrupted, with progress to be seen: while it trains, and while the default
// method simulates.
const char* kLongTraining = R"([simulator]
model = "mixture"
[method]
name = "mdn-with-proposal"
num_simulations = 100
[method.network]
hidden_units = [2]
[method.rounds]
max_rounds = 2
num_simulations = 50
[method.rounds.training]
num_steps = 3000000
)";
const char* kLongSimulation = R"([simulator]
model = "lotka-volterra"
[method]
num_simulations = 100000000
)";

TEST(Terminal, ShowsABarPerRoundAndLeavesALine) {
  const Workplace place;
  place.write("p.toml", kSmallProblem);
  const Outcome outcome = place.run_in_terminal({"run", "p.toml", "--out", "run"});
  EXPECT_EQ(outcome.code, 0) << outcome.out;
  EXPECT_NE(outcome.out.find("\rround 1/3"), std::string::npos) << outcome.out;
  EXPECT_NE(outcome.out.find("simulating"), std::string::npos);
  EXPECT_NE(outcome.out.find("training"), std::string::npos);
  EXPECT_NE(outcome.out.find("round 2/3  50 simulations  200 steps"), std::string::npos);
  EXPECT_NE(outcome.out.find("final 3/3  100 simulations  200 steps"), std::string::npos);
  EXPECT_NE(outcome.out.find("\033[32m"), std::string::npos) << "colour";
}

TEST(Terminal, NoColorIsRespected) {
  const Workplace place;
  place.write("p.toml", kSmallProblem);
  ::setenv("NO_COLOR", "1", 1);
  const Outcome outcome = place.run_in_terminal({"run", "p.toml", "--out", "run"});
  ::unsetenv("NO_COLOR");
  EXPECT_NE(outcome.out.find("\rround 1/3"), std::string::npos);
  EXPECT_EQ(outcome.out.find("\033[32m"), std::string::npos);
}

TEST(Terminal, QuietIsSilentThereToo) {
  const Workplace place;
  place.write("p.toml", kSmallProblem);
  const Outcome outcome = place.run_in_terminal({"run", "p.toml", "--out", "run", "--quiet"});
  EXPECT_EQ(outcome.code, 0);
  EXPECT_EQ(outcome.out, "");
}

// The process must have installed its handler; /proc tells when SIGINT is caught.
bool catches_interrupts(pid_t child) {
  const std::string status = read_file("/proc/" + std::to_string(child) + "/status");
  const std::size_t at = status.find("SigCgt:");
  if (at == std::string::npos) return false;
  return (std::stoull(status.substr(at + 7, 20), nullptr, 16) >> (SIGINT - 1) & 1) != 0;
}

TEST(Terminal, AnInterruptEndsTheRunInOrder) {
  for (const char* problem : {kLongTraining, kLongSimulation}) {
    const Workplace place;
    place.write("p.toml", problem);
    const pid_t child = place.start({"run", "p.toml", "--out", "run"});
    for (int i = 0; i < 1000 && !catches_interrupts(child); ++i) {
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(200));
    ::kill(child, SIGINT);
    const Outcome outcome = place.finish(child);
    EXPECT_EQ(outcome.code, 130) << problem;
    EXPECT_EQ(outcome.out, "");
    EXPECT_NE(outcome.err.find("interrupted while"), std::string::npos) << outcome.err;
    EXPECT_FALSE(std::filesystem::exists(place.file("run/summary.json")));
    EXPECT_FALSE(std::filesystem::exists(place.file("run/posterior.json")));
  }
}

TEST(Terminal, AClosedPipeIsNoError) {
  const Workplace place;
  place.write("p.toml", kSmallProblem);
  ASSERT_EQ(place.run({"run", "p.toml", "--out", "run", "--quiet"}).code, 0);
  int ends[2];
  ASSERT_EQ(::pipe(ends), 0);
  const pid_t child = ::fork();
  if (child == 0) {
    ::signal(SIGPIPE, SIG_IGN);  // as some parents leave it
    ::dup2(ends[1], 1);
    const int err = ::open(place.streams().file("err").c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
    ::dup2(err, 2);
    ::close(ends[0]);
    become({"sample", "run", "-n", "200000"}, place.path());
  }
  ::close(ends[1]);
  char buffer[64];
  EXPECT_GT(::read(ends[0], buffer, sizeof(buffer)), 0);
  ::close(ends[0]);
  int status = 0;
  ::waitpid(child, &status, 0);
  EXPECT_EQ(code_of(status), 128 + SIGPIPE);
  EXPECT_EQ(read_file(place.streams().file("err")), "");
}

}  // namespace
}  // namespace epsfree::cli
