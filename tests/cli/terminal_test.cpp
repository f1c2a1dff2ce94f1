// What depends on a terminal, a pipe or a signal.
#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <regex>
#include <vector>

#include "cli/program.hpp"

namespace epsfree::cli {
namespace {

// Long enough to be interrupted, with progress to be seen: while it trains, and while the default
// method simulates.
const char* kLongTraining = R"([simulator]
model = "mixture"
[method]
name = "mdn-with-proposal"
num_simulations = 200
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

TEST(Terminal, TheBarShowsSpeedAndTimeLeft) {
  const Workplace place;
  place.write("sim.sh", "#!/bin/sh\nsleep 0.05\necho $1\n");
  std::filesystem::permissions(place.file("sim.sh"), std::filesystem::perms::owner_all);
  place.write("p.toml", R"([simulator]
command = ["./sim.sh", "{mu}"]
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
name = "rejection-abc"
num_simulations = 40
[run]
threads = 1
report = false
)");
  const Outcome outcome = place.run_in_terminal({"run", "p.toml", "--out", "run"}, 100);
  EXPECT_EQ(outcome.code, 0) << outcome.out;
  EXPECT_TRUE(
      std::regex_search(outcome.out, std::regex("[0-9]+/40  [0-9.]+/s  [0-9.]+ (m?s|min) left")))
      << outcome.out;
}

/// What stands on a terminal after all that was written to it: text that wraps, line ends, the
/// cursor up, and clearing to the end of the line or of the screen.
std::vector<std::string> screen_after(const std::string& text, std::size_t columns) {
  std::vector<std::string> rows(1);
  std::size_t row = 0, column = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\r') {
      column = 0;
    } else if (text[i] == '\n') {
      if (++row == rows.size()) rows.emplace_back();
    } else if (text[i] == '\033') {
      std::size_t number = 0;
      for (i += 2; std::isdigit(static_cast<unsigned char>(text[i])) != 0; ++i) {
        number = 10 * number + static_cast<std::size_t>(text[i] - '0');
      }
      if (text[i] == 'A') row -= std::min(row, std::max<std::size_t>(number, 1));
      if (text[i] == 'J' || text[i] == 'K') rows[row].resize(std::min(rows[row].size(), column));
      if (text[i] == 'J') rows.resize(row + 1);
    } else {
      if (column == columns) {
        column = 0;
        if (++row == rows.size()) rows.emplace_back();
      }
      if (rows[row].size() <= column) rows[row].resize(column + 1, ' ');
      rows[row][column++] = text[i];
    }
  }
  return rows;
}

TEST(Terminal, WatchingLeavesNoStaleLinesWhereLinesWrap) {
  for (const unsigned short columns : std::initializer_list<unsigned short>{40, 20, 120}) {
    const Workplace place;
    char host[256] = {};
    ::gethostname(host, sizeof host - 1);
    const auto write_status = [&](const char* state, int done) {
      place.write("status.json",
                  std::string(R"({"format": "epsfree-status", "version": 1, "phase": "simulation",
"round": 2, "state": ")") +
                      state + R"(", "simulations": {"done": )" + std::to_string(done) +
                      R"(, "total": 90000, "planned": 90000, "not_ok": 1, "replayed": 3,
"simulated": )" + std::to_string(done) +
                      R"(}, "simulations_per_second": 123.4,
"training": {"step": 0, "num_steps": 0}, "movements": [1.5, 0.25], "seconds": 12.5,
"seconds_left": 100, "started": "", "updated": "", "pid": )" +
                      std::to_string(::getpid()) + R"(, "host": ")" + host + "\"}");
    };
    write_status("running", 10);
    std::thread writer([&] {
      for (const int done : {20, 30, 40}) {
        std::this_thread::sleep_for(std::chrono::milliseconds(300));
        write_status("running", done);
      }
      std::this_thread::sleep_for(std::chrono::milliseconds(300));
      write_status("finished", 77777);
    });
    const Outcome outcome = place.run_in_terminal({"watch", ".", "--interval", "0.1"}, columns);
    writer.join();
    EXPECT_EQ(outcome.code, 0) << outcome.out;
    std::string screen;
    for (const std::string& row : screen_after(outcome.out, columns)) screen += row + "\n";
    for (const std::string label : {"simulations  [", "speed ", "replayed", "moved by", "time "}) {
      const std::size_t first = screen.find(label);
      EXPECT_NE(first, std::string::npos) << label << " in\n" << screen;
      EXPECT_EQ(screen.find(label, first + 1), std::string::npos) << label << " in\n" << screen;
    }
    EXPECT_EQ(screen.find("running"), std::string::npos) << screen;
  }
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
    become({"sample", "run", "-n", "200000"}, place.path(), place.streams().path());
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
