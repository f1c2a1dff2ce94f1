// A run that is killed at any moment and started again gives the bytes of one that was not, and
// simulates nothing twice that was recorded.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "cli/program.hpp"
#include "epsfree/stream.hpp"
#include "run/ledger_report.hpp"

namespace epsfree::cli {
namespace {

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr bool kSanitized = true;  // slower, and no library can be put before theirs
#else
constexpr bool kSanitized = false;
#endif

const char* kKilledProblem = R"(seed = 3
[simulator]
model = "linear-regression"
[method]
name = "mdn-with-proposal"
num_simulations = 220
[method.network]
hidden_units = [20]
num_components = 2
[method.training]
num_steps = 5000
[method.rounds]
max_rounds = 2
num_simulations = 60
tolerance = 0
[method.rounds.training]
num_steps = 3000
[run]
record = "always"
threads = 2
report = false
)";
constexpr std::uint64_t kSeed = 3;
const char* kSleep = "1500";

/// Starts a run, with a library before all others if `kill_at` is positive.
pid_t start(const Workplace& place, const std::string& out, long kill_at = 0) {
  const pid_t child = ::fork();
  if (child != 0) return child;
  if (kill_at > 0) {
    ::setenv("LD_PRELOAD", EPSFREE_KILL_AT_WRITE, 1);
    ::setenv("EPSFREE_TEST_KILL_AT", std::to_string(kill_at).c_str(), 1);
  }
  if (::chdir(place.path().c_str()) == 0) {
    ::execl(EPSFREE_RESUME_PROGRAM, "resume_program", "p.toml", out.c_str(),
            (out + ".calls").c_str(), kSleep, nullptr);
  }
  ::_exit(126);
}

int wait_for(pid_t child) {
  int status = 0;
  ::waitpid(child, &status, 0);
  return code_of(status);
}

/// The phase that status.json of the process tells; "" if it tells none.
std::string phase_of(const Workplace& place, const std::string& out, pid_t child) {
  try {
    const auto status = nlohmann::json::parse(place.read(out + "/status.json"));
    return status.at("pid") == child ? status.at("phase") : "";
  } catch (const std::exception&) {
    return "";
  }
}

/// Waits until it is in a phase; false if it ends before.
bool reach(const Workplace& place, const std::string& out, pid_t child, const std::string& phase) {
  for (int i = 0; i < 5000; ++i) {
    if (phase_of(place, out, child) == phase) return true;
    siginfo_t info = {};
    if (::waitid(P_PID, static_cast<id_t>(child), &info, WEXITED | WNOHANG | WNOWAIT) == 0 &&
        info.si_pid == child) {
      return false;
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  }
  return false;
}

std::set<std::uint64_t> recorded_seeds(const std::string& path) {
  std::set<std::uint64_t> seeds;
  if (!std::filesystem::exists(path)) return seeds;
  // As the next run would: a killed one may have left a commit half done.
  Ledger ledger(path, Ledger::Access::read);
  ledger.visit([&](const LedgerRow& row) { seeds.insert(Stream(kSeed, row.key).bits64()); });
  return seeds;
}

std::vector<std::uint64_t> calls(const Workplace& place, const std::string& out) {
  const std::string path = place.file(out + ".calls");
  if (!std::filesystem::exists(path)) return {};
  const std::string bytes = read_file(path);
  std::vector<std::uint64_t> seeds(bytes.size() / 8);
  std::memcpy(seeds.data(), bytes.data(), seeds.size() * 8);
  return seeds;
}

/// Checks that what came after `before` calls was not recorded then.
void expect_nothing_twice(const Workplace& place, const std::string& out, std::size_t before,
                          const std::set<std::uint64_t>& recorded) {
  const std::vector<std::uint64_t> all = calls(place, out);
  long twice = 0;
  for (std::size_t i = before; i < all.size(); ++i) twice += recorded.contains(all[i]) ? 1 : 0;
  EXPECT_EQ(twice, 0) << "recorded simulations were made again";
}

TEST(Kill, AtAnyMomentGivesTheBytesOfAnUninterruptedRun) {
  const Workplace place;
  place.write("p.toml", kKilledProblem);
  ASSERT_EQ(wait_for(start(place, "whole")), 0);
  const std::string posterior = place.read("whole/posterior.json");
  const std::string estimator = place.read("whole/estimator.json");
  const std::string digest = report_ledger(place.file("whole")).digest;
  ASSERT_EQ(calls(place, "whole").size(), 220u);

  // Five kills a directory, each in the phase that was hit least, then a run to the end.
  constexpr int kKills = kSanitized ? 8 : 30, kKillsPerDirectory = 5;
  std::map<std::string, int> hits = {{"simulation", 0}, {"training", 0}};
  if (!kSanitized) hits["commit"] = 0;
  Stream stream(11);
  int kills = 0;
  for (int number = 0; kills < kKills && number < 3 * kKills; ++number) {
    const std::string out = "killed" + std::to_string(number);
    bool finished = false;
    for (int k = 0; k < kKillsPerDirectory && !finished; ++k) {
      const std::size_t before = calls(place, out).size();
      const std::set<std::uint64_t> recorded = recorded_seeds(place.file(out + "/ledger.sqlite"));
      std::string phase =
          std::min_element(hits.begin(), hits.end(), [](const auto& a, const auto& b) {
            return a.second < b.second;
          })->first;
      // The schema's own commit has some twenty steps.
      const long kill_at = phase == "commit" ? 1 + static_cast<long>(stream.below(60)) : 0;
      const pid_t child = start(place, out, kill_at);
      if (kill_at == 0 && reach(place, out, child, phase)) {
        std::this_thread::sleep_for(std::chrono::milliseconds(stream.below(40)));
        phase = phase_of(place, out, child);
        ::kill(child, SIGKILL);
      }
      const int code = wait_for(child);
      finished = code == 0;
      if (code == 128 + SIGKILL) {
        ++hits[phase];
        ++kills;
      } else {
        EXPECT_EQ(code, 0);
      }
      expect_nothing_twice(place, out, before, recorded);
    }
    const std::size_t before = calls(place, out).size();
    const std::set<std::uint64_t> recorded = recorded_seeds(place.file(out + "/ledger.sqlite"));
    EXPECT_EQ(wait_for(start(place, out)), 0);
    expect_nothing_twice(place, out, before, recorded);
    EXPECT_EQ(place.read(out + "/posterior.json"), posterior) << out;
    EXPECT_EQ(place.read(out + "/estimator.json"), estimator) << out;
    EXPECT_EQ(report_ledger(place.file(out)).digest, digest) << out;
    for (const auto& entry : std::filesystem::directory_iterator(place.file(out))) {
      EXPECT_EQ(entry.path().filename().string().find(".tmp-"), std::string::npos) << entry.path();
    }
  }
  EXPECT_GE(kills, kKills);
  for (const auto& [phase, count] : hits) {
    std::cerr << "killed during " << phase << ": " << count << "\n";
    if (phase == "simulation" || phase == "training" || phase == "commit") {
      EXPECT_GE(count, kSanitized ? 1 : 5) << phase;
    }
  }
}

}  // namespace
}  // namespace epsfree::cli
