// Stopping and resuming as a user does it, and what the disk may refuse.
#include <gtest/gtest.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "cli/program.hpp"
#include "support/reference.hpp"

namespace epsfree::cli {
namespace {

const char* kResumedProblem = R"([simulator]
model = "lotka-volterra"
[method]
name = "mdn-with-prior"
num_simulations = 20000
[method.network]
hidden_units = [10]
[method.training]
num_steps = 2000
[run]
record = "always"
)";

/// Waits until a run has recorded something.
bool wait_for_rows(const Workplace& place, const std::string& out, pid_t child) {
  for (int i = 0; i < 2000; ++i) {
    try {
      const auto status = nlohmann::json::parse(place.read(out + "/status.json"));
      if (status.at("simulations").at("recorded") > 0) return true;
    } catch (const std::exception&) {
    }
    if (::kill(child, 0) != 0) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  return false;
}

nlohmann::json ledger_of(const Workplace& place, const std::string& out) {
  const Outcome outcome = place.run({"ledger", out, "--json"});
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  return outcome.code == 0 ? nlohmann::json::parse(outcome.out) : nlohmann::json();
}

long num_recorded(const nlohmann::json& ledger) {
  long count = 0;
  for (const auto& group : ledger.at("groups")) count += group.at("simulations").get<long>();
  return count;
}

TEST(Resume, AfterASignalTheSameCommandGoesOn) {
  const Workplace place;
  place.write("p.toml", kResumedProblem);
  ASSERT_EQ(place.run({"run", "p.toml", "--out", "whole", "--quiet"}).code, 0);
  const nlohmann::json whole = ledger_of(place, "whole");
  EXPECT_EQ(num_recorded(whole), 20000);
  for (const auto& [signal, code] : {std::pair{SIGINT, 130}, {SIGTERM, 75}}) {
    const std::string out = "run" + std::to_string(signal);
    const pid_t child = place.start({"run", "p.toml", "--out", out});
    ASSERT_TRUE(wait_for_rows(place, out, child));
    ::kill(child, signal);
    const Outcome stopped = place.finish(child);
    EXPECT_EQ(stopped.code, code) << stopped.err;
    EXPECT_NE(stopped.err.find("Run the same command again"), std::string::npos) << stopped.err;
    const auto status = nlohmann::json::parse(place.read(out + "/status.json"));
    EXPECT_EQ(status.at("state"), "interrupted");
    const long recorded = num_recorded(ledger_of(place, out));
    EXPECT_GT(recorded, 0);
    const Outcome resumed = place.run({"run", "p.toml", "--out", out, "--threads", "1"});
    EXPECT_EQ(resumed.code, 0) << resumed.err;
    EXPECT_NE(resumed.err.find(std::to_string(recorded) + " of at most 20000 simulations"),
              std::string::npos)
        << resumed.err;
    EXPECT_EQ(place.read(out + "/posterior.json"), place.read("whole/posterior.json"));
    EXPECT_EQ(ledger_of(place, out).at("digest"), whole.at("digest"));
    const auto summary = nlohmann::json::parse(place.read(out + "/summary.json"));
    EXPECT_EQ(summary.at("recording").at("replayed"), recorded);
  }
}

TEST(Resume, ASecondInterruptEndsItAtOnce) {
  const Workplace place;
  place.write("p.toml", kResumedProblem);
  // One chunk of many seconds: the first interrupt has to wait for it.
  const pid_t child = place.start({"run", "p.toml", "--out", "run", "--set",
                                   "method.num_simulations=2000000", "--chunk", "2000000"});
  for (int i = 0; i < 1000 && !std::filesystem::exists(place.file("run/status.json")); ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  std::this_thread::sleep_for(std::chrono::milliseconds(200));
  ::kill(child, SIGINT);
  std::this_thread::sleep_for(std::chrono::milliseconds(300));
  int status = 0;
  EXPECT_EQ(::waitpid(child, &status, WNOHANG), 0) << "it is still at its simulations";
  const auto before = std::chrono::steady_clock::now();
  ::kill(child, SIGINT);
  EXPECT_EQ(place.finish(child).code, 130);
  EXPECT_LT(std::chrono::steady_clock::now() - before, std::chrono::seconds(2));
}

TEST(Resume, ATimeLimitSavesAndStops) {
  const Workplace place;
  place.write("p.toml", kResumedProblem);
  const std::vector<std::string> command = {"run", "p.toml", "--out", "run"};
  std::vector<std::string> limited = command;
  limited.insert(limited.end(), {"--time-limit", "0.05"});
  const Outcome stopped = place.run(limited);
  ASSERT_EQ(stopped.code, 75) << stopped.err;
  EXPECT_NE(stopped.err.find("the time limit of 0.05 s"), std::string::npos) << stopped.err;
  EXPECT_EQ(place.run(command).code, 0);
}

TEST(Resume, ALargerBudgetKeepsWhatIsThere) {
  for (const std::string method : {"auto", "mdn-with-prior", "mdn-with-proposal"}) {
    const Workplace place;
    const auto run = [&](const std::string& out, const char* budget) {
      return place.run({"run", "p.toml", "--out", out, "--record", "always", "--no-report", "--set",
                        std::string("method.num_simulations=") + budget});
    };
    std::string options = "[method.training]\nnum_steps = 50\n";
    if (method == "auto") options = "[method.auto]\ntolerance = 0.0\n";
    if (method == "mdn-with-proposal") {
      options +=
          "[method.rounds]\nmax_rounds = 1\nnum_simulations = 100\n"
          "[method.rounds.training]\nnum_steps = 50\n";
    }
    place.write("p.toml", "[simulator]\nmodel = \"lotka-volterra\"\n[method]\nname = \"" + method +
                              "\"\n" + options);
    ASSERT_EQ(run("run", "200").code, 0);
    const long first = num_recorded(ledger_of(place, "run"));
    const Outcome grown = run("run", "300");
    ASSERT_EQ(grown.code, 0) << grown.err;
    EXPECT_NE(grown.err.find("larger budget"), std::string::npos) << grown.err;
    const auto summary = nlohmann::json::parse(place.read("run/summary.json"));
    EXPECT_EQ(summary.at("recording").at("replayed"), first) << method;
    EXPECT_EQ(summary.at("recording").at("simulated"), 100) << method;
    EXPECT_NE(run("run", "300").err.find("finished already"), std::string::npos);
    const Outcome less = run("run", "200");
    EXPECT_EQ(less.code, 64);
    EXPECT_NE(less.err.find("method.num_simulations is 300 there and 200 here"), std::string::npos)
        << less.err;
    // Its run file repeats it without the ledger.
    ASSERT_EQ(place.run({"run", "run/run.toml", "--out", "again", "--quiet"}).code, 0);
    EXPECT_EQ(place.read("run/posterior.json"), place.read("again/posterior.json")) << method;
  }
}

// What another version wrote, or someone changed by hand.
TEST(Resume, AProblemThatCannotBeReadIsNotReplacedUnasked) {
  const Workplace place;
  place.write("p.toml", kSmallProblem);
  const std::vector<std::string> command = {"run",         "p.toml",   "--out", "run",
                                            "--no-report", "--record", "always"};
  ASSERT_EQ(place.run(command).code, 0);
  const std::string run_toml = place.read("run/run.toml");
  const std::string posterior = place.read("run/posterior.json");

  // The ledger knows the problem: the run is made again from it, and run.toml with it.
  place.write("run/run.toml", run_toml + "[future]\n");
  const Outcome mended = place.run(command);
  ASSERT_EQ(mended.code, 0) << mended.err;
  EXPECT_EQ(place.read("run/run.toml"), run_toml);
  EXPECT_EQ(place.read("run/posterior.json"), posterior);

  std::filesystem::remove(place.file("run/ledger.sqlite"));
  place.write("run/run.toml", run_toml + "[future]\n");
  const Outcome refused = place.run(command);
  EXPECT_EQ(refused.code, 64) << refused.err;
  EXPECT_NE(refused.err.find("its problem cannot be read (run/run.toml:"), std::string::npos)
      << refused.err;
  EXPECT_NE(refused.err.find("use --force"), std::string::npos) << refused.err;
  EXPECT_EQ(place.read("run/posterior.json"), posterior);

  std::vector<std::string> forced = command;
  forced.push_back("--force");
  EXPECT_EQ(place.run(forced).code, 0);
  EXPECT_EQ(place.read("run/run.toml"), run_toml);
}

TEST(Resume, ADamagedLedgerIsMended) {
  const Workplace place;
  place.write("p.toml", kResumedProblem);
  ASSERT_EQ(place.run({"run", "p.toml", "--out", "run", "--quiet"}).code, 0);
  const std::string posterior = place.read("run/posterior.json");
  std::filesystem::remove(place.file("run/summary.json"));
  std::filesystem::resize_file(place.file("run/ledger.sqlite"),
                               std::filesystem::file_size(place.file("run/ledger.sqlite")) / 2);
  const Outcome shown = place.run({"ledger", "run"});
  EXPECT_EQ(shown.code, 65) << shown.err;
  EXPECT_NE(shown.err.find("damaged"), std::string::npos) << shown.err;
  const Outcome mended = place.run({"run", "p.toml", "--out", "run"});
  EXPECT_EQ(mended.code, 0) << mended.err;
  EXPECT_NE(mended.err.find("was damaged"), std::string::npos) << mended.err;
  EXPECT_TRUE(std::filesystem::exists(place.file("run/ledger.damaged-1.sqlite")));
  EXPECT_EQ(place.read("run/posterior.json"), posterior);
  const auto summary = nlohmann::json::parse(place.read("run/summary.json"));
  EXPECT_GT(summary.at("recording").at("recovered"), 5000);
}

/// In a child of its own: what it returns is its exit code.
template <class Body>
int in_child(const Body& body) {
  const pid_t child = ::fork();
  if (child == 0) ::_exit(body());
  int status = 0;
  ::waitpid(child, &status, 0);
  return code_of(status);
}

constexpr int kNoMount = 99;

/// A file system of one's own at `path`, for this process and its children.
bool mount_small(const std::string& path, const char* size) {
  const int user = static_cast<int>(::geteuid());
  if (::unshare(CLONE_NEWNS) != 0) {
    if (::unshare(CLONE_NEWUSER | CLONE_NEWNS) != 0) return false;
    std::ofstream("/proc/self/setgroups") << "deny";
    std::ofstream("/proc/self/uid_map") << "0 " << user << " 1";
  }
  ::mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr);
  return ::mount("tmpfs", path.c_str(), "tmpfs", 0, size) == 0;
}

TEST(Resume, AFullDiskIs74AndTheLedgerOpensAgain) {
  const Workplace place;
  place.write("p.toml", kResumedProblem);
  std::filesystem::create_directory(place.file("disk"));
  const int code = in_child([&] {
    if (!mount_small(place.file("disk"), "size=1m")) return kNoMount;
    const Outcome small = place.run(
        {"run", "p.toml", "--out", "disk/run", "--quiet", "--set", "method.num_simulations=3000"});
    if (small.code != 0) return 6;
    const Outcome full = place.run({"run", "p.toml", "--out", "disk/run", "--quiet"});
    if (full.code != 74) return 1;
    if (full.err.find("space") == std::string::npos) return 2;
    const Outcome ledger = place.run({"ledger", "disk/run", "--json"});
    if (ledger.code != 0) return 3;
    if (num_recorded(nlohmann::json::parse(ledger.out)) < 3000) return 7;
    if (::mount("tmpfs", place.file("disk").c_str(), "tmpfs", MS_REMOUNT, "size=64m") != 0) {
      return kNoMount;
    }
    const Outcome resumed = place.run({"run", "p.toml", "--out", "disk/run"});
    if (resumed.code != 0) return 4;
    return resumed.err.find("resuming the unfinished run") != std::string::npos ? 0 : 5;
  });
  if (code == kNoMount) {
    std::cerr << "NOT TESTED: a full disk, because no file system can be mounted here\n";
    GTEST_SKIP() << "no permission to mount a small file system";
  }
  EXPECT_EQ(code, 0) << "1: the exit code, 2: the message, 3: the ledger, 4: resuming, 5: what is "
                        "said of it, 6: the first run, 7: what is left of it";
}

TEST(Resume, AReadOnlyDirectoryIs74AndTheLedgerOpensAgain) {
  const Workplace place;
  place.write("p.toml", kResumedProblem);
  const Outcome stopped =
      place.run({"run", "p.toml", "--out", "run", "--time-limit", "0.05", "--quiet"});
  ASSERT_EQ(stopped.code, 75) << stopped.err;
  const auto chmod = [&](const std::string& file, mode_t mode) {
    ASSERT_EQ(::chmod(place.file(file).c_str(), mode), 0) << file;
  };
  chmod(".", 0755);
  chmod("p.toml", 0644);
  chmod("run", 0555);
  for (const char* file : {"run/run.toml", "run/ledger.sqlite", "run/status.json"})
    chmod(file, 0444);
  ASSERT_EQ(::chmod(place.streams().path().c_str(), 0777), 0);
  std::filesystem::remove(place.streams().file("out"));
  std::filesystem::remove(place.streams().file("err"));
  const int code = in_child([&] {
    // Root may write everywhere.
    if (::geteuid() == 0 && (::setgid(65534) != 0 || ::setuid(65534) != 0)) return kNoMount;
    const Outcome refused = place.run({"run", "p.toml", "--out", "run"});
    if (refused.code == 126) return kNoMount;  // the program lies where only root may go
    if (refused.code != 74) return 1;
    return refused.err.find("cannot") != std::string::npos ? 0 : 2;
  });
  if (code == kNoMount) {
    if (continuous_integration()) FAIL() << "an unprivileged user cannot run the program";
    GTEST_SKIP() << "NOT TESTED: a read-only directory: no unprivileged user can run the program";
  }
  EXPECT_EQ(code, 0);
  std::filesystem::remove(place.streams().file("out"));
  std::filesystem::remove(place.streams().file("err"));
  for (const char* file : {"run/run.toml", "run/ledger.sqlite", "run/status.json"})
    chmod(file, 0644);
  chmod("run", 0755);
  EXPECT_GT(num_recorded(ledger_of(place, "run")), 0);
  EXPECT_EQ(place.run({"run", "p.toml", "--out", "run", "--quiet"}).code, 0);
}

TEST(Resume, WhatIsAtWorkIsNotDisturbed) {
  const Workplace place;
  place.write("p.toml", kResumedProblem);
  const pid_t child = place.start(
      {"run", "p.toml", "--out", "run", "--quiet", "--set", "method.training.num_steps=10000000"});
  ASSERT_TRUE(wait_for_rows(place, "run", child));
  const Workplace other;
  for (const std::vector<std::string>& command :
       {std::vector<std::string>{"run", place.file("p.toml"), "--out", place.file("run")},
        {"run", place.file("p.toml"), "--out", place.file("run"), "--force"},
        {"ledger", place.file("run")}}) {
    const Outcome refused = other.run(command);
    EXPECT_EQ(refused.code, 74) << refused.err;
    EXPECT_NE(refused.err.find("another run is at work"), std::string::npos) << refused.err;
  }
  ::kill(child, SIGINT);
  EXPECT_EQ(place.finish(child).code, 130);
}

TEST(Export, TellsTheSameInEveryFormat) {
  const Workplace place;
  place.write("p.toml",
              "[simulator]\nmodel = \"lotka-volterra\"\n[method]\nnum_simulations = 60\n");
  ASSERT_EQ(place.run({"run", "p.toml", "--out", "run", "--record", "always", "--quiet"}).code, 0);
  const Outcome csv = place.run({"export", "run"});
  ASSERT_EQ(csv.code, 0) << csv.err;
  EXPECT_EQ(csv.out.substr(0, csv.out.find(",x:")),
            "replicate,purpose,round,index,status,attempts,seconds,drawn_from,theta:log_theta1,"
            "theta:log_theta2,theta:log_theta3,theta:log_theta4");
  EXPECT_EQ(std::count(csv.out.begin(), csv.out.end(), '\n'), 61);
  ASSERT_EQ(place.run({"export", "run", "--format", "json", "--out", "s.json"}).code, 0);
  const auto json = nlohmann::json::parse(place.read("s.json"));
  ASSERT_EQ(json.at("simulations").size(), 60u);
  ASSERT_EQ(place.run({"export", "run", "--format", "npy", "--out", "s.npy"}).code, 0);
  const std::string npy = place.read("s.npy");
  constexpr std::size_t kRecord = 4 + 4 + 4 + 8 + 1 + 4 + 8 + 1 + 4 * 8 + 9 * 8;
  ASSERT_GT(npy.size(), 60 * kRecord);
  EXPECT_EQ((npy.size() - 60 * kRecord) % 64, 0u) << "the header is padded";
  for (std::size_t i = 0; i < 60; ++i) {
    const auto& row = json.at("simulations")[i];
    const char* record = npy.data() + npy.size() - (60 - i) * kRecord;
    EXPECT_EQ(record[33], row.at("drawn_from") == "prior" ? 1 : 2);
    double theta = 0;
    std::memcpy(&theta, record + 34, 8);
    EXPECT_EQ(theta, row.at("theta")[0].get<double>());
    if (row.at("status") != "ok") continue;
    double x = 0;
    std::memcpy(&x, record + 34 + 32, 8);
    EXPECT_EQ(x, row.at("x")[0].get<double>());
  }
  EXPECT_EQ(place.run({"export", "run", "--format", "xls"}).code, 64);
  EXPECT_EQ(place.run({"export", "p.toml"}).code, 65);
  EXPECT_EQ(place.run({"ledger", "none"}).code, 74);
}

TEST(Import, SimulationsMadeElsewhereArePooled) {
  const Workplace place;
  place.write("p.toml", std::string(kAmortisedProblem) + "[run]\nrecord = \"always\"\n");
  const auto examples = [&](const std::string& run) {
    return nlohmann::json::parse(place.read(run + "/estimator.json")).at("num_examples").get<int>();
  };
  ASSERT_EQ(place.run({"run", "p.toml", "--out", "a", "--quiet"}).code, 0);
  ASSERT_EQ(place.run({"run", "p.toml", "--out", "b", "--seed", "8", "--quiet"}).code, 0);
  EXPECT_EQ(examples("a"), 300);
  ASSERT_EQ(place.run({"export", "b", "--out", "b.csv"}).code, 0);
  const std::vector<std::string> import = {"import", "c",         "b.csv", "--proposal",
                                           "prior",  "--problem", "p.toml"};
  const Outcome imported = place.run(import);
  ASSERT_EQ(imported.code, 0) << imported.err;
  EXPECT_NE(imported.err.find("300 simulations"), std::string::npos);
  EXPECT_EQ(place.run(import).code, 64) << "it is there already";
  const auto pooled = [&](const std::string& runs, const std::string& out) {
    place.write("pool.toml", std::string(kAmortisedProblem) + "[reuse]\nruns = " + runs + "\n");
    return place.run({"run", "pool.toml", "--out", out, "--quiet"});
  };
  const Outcome both = pooled("[\"a\", \"b\"]", "pool");
  ASSERT_EQ(both.code, 0) << both.err;
  EXPECT_EQ(examples("pool"), 600) << "those of a are its own";
  ASSERT_EQ(pooled("[\"c\"]", "imported").code, 0);
  EXPECT_EQ(place.read("pool/posterior.json"), place.read("imported/posterior.json"));
  ASSERT_EQ(place.run({"run", "pool/run.toml", "--out", "again", "--quiet"}).code, 0);
  EXPECT_EQ(place.read("pool/posterior.json"), place.read("again/posterior.json"));

  place.write("bad.csv", "theta:beta1,x:s\n1,2\n");
  const long before = num_recorded(ledger_of(place, "c"));
  EXPECT_EQ(place.run({"import", "c", "bad.csv", "--proposal", "prior"}).code, 65);
  EXPECT_EQ(num_recorded(ledger_of(place, "c")), before);
  EXPECT_EQ(place.run({"import", "c", "b.csv", "--proposal", "posterior"}).code, 64);
  EXPECT_EQ(place.run({"run", "pool/run.toml", "--out", "auto", "--set", "method.name=auto"}).code,
            65);
  place.write("other.toml", kSmallProblem);
  ASSERT_EQ(place.run({"run", "other.toml", "--out", "d", "--quiet"}).code, 0);
  const Outcome other = pooled("[\"d\"]", "wrong");
  EXPECT_EQ(other.code, 65);
  EXPECT_NE(other.err.find("another problem"), std::string::npos) << other.err;
}

}  // namespace
}  // namespace epsfree::cli
