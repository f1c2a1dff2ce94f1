// A run directory that this user did not make runs no code.
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "cli/program.hpp"
#include "support/contains.hpp"

namespace epsfree::cli {
namespace {

namespace fs = std::filesystem;

/// A run whose simulator leaves a mark wherever it is run.
class Trust : public ::testing::Test {
 protected:
  Trust() {
    place.write("sim.sh", "#!/bin/sh\ntouch \"" + place.file("mark") + "\"\necho $1\n");
    fs::permissions(place.file("sim.sh"), fs::perms::owner_all);
    place.write(
        "p.toml",
        "[simulator]\ncommand = [\"./sim.sh\", \"{mu}\", \"{seed31}\"]\nnum_statistics = 1\n"
        "[prior]\nkind = \"independent\"\n[[prior.parameter]]\nname = \"mu\"\n"
        "family = \"uniform\"\nlow = 0\nhigh = 1\n[observed]\nvalues = [0.4]\n[method]\n"
        "name = \"mdn-with-prior\"\nnum_simulations = 40\n[method.network]\n"
        "hidden_units = [5]\nnum_components = 1\n[method.training]\nnum_steps = 50\n"
        "[method.pilot]\nscaling = \"as-is\"\n[run]\nreport = false\n");
    place.write("data.csv", "0.6\n");
  }
  void make() {
    const Outcome made = place.run({"run", "p.toml", "--out", "run", "--quiet"});
    ASSERT_EQ(made.code, 0) << made.err;
    ASSERT_TRUE(ran());
  }
  /// Whether the simulator was run since the last question.
  bool ran() const { return fs::remove(place.file("mark")); }
  void expect_refused(const std::string& directory) {
    const Outcome refused = place.run({"check", directory, "--simulations", "20"});
    EXPECT_EQ(refused.code, 64) << refused.err;
    EXPECT_CONTAINS(refused.err, "--trust");
    EXPECT_FALSE(ran());
  }
  Workplace place;
};

TEST_F(Trust, ARunOfOnesOwnIsChecked) {
  make();
  const Outcome checked = place.run({"check", "run", "--simulations", "20"});
  EXPECT_NE(checked.code, 64) << checked.err;
  EXPECT_TRUE(ran());
  // Wherever it is moved.
  fs::rename(place.file("run"), place.file("moved"));
  fs::remove(place.file("moved/check.sqlite"));
  EXPECT_NE(place.run({"check", "moved", "--simulations", "20"}).code, 64);
  EXPECT_TRUE(ran());
  struct stat status {};
  ASSERT_EQ(::stat((place.streams().path() + "/epsfree/key").c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777, 0600u);
}

TEST_F(Trust, ARunFromElsewhereRunsNoCodeUnlessTold) {
  make();
  const TemporaryDirectory other;
  place.become_somebody_else(other.path());
  expect_refused("run");
  const Outcome report = place.run({"report", "run"});
  EXPECT_EQ(report.code, 0) << report.err;
  EXPECT_CONTAINS(report.err, "--trust");
  EXPECT_FALSE(ran());
  // The posterior at other data needs no simulation, and none is made to check it.
  const Outcome at = place.run({"run", "run", "--observed", "data.csv", "--out", "at"});
  EXPECT_EQ(at.code, 0) << at.err;
  EXPECT_CONTAINS(at.err, "was not checked");
  EXPECT_FALSE(ran());
  expect_refused("at");
  const Outcome trusted = place.run({"check", "run", "--simulations", "20", "--trust"});
  EXPECT_NE(trusted.code, 64) << trusted.err;
  EXPECT_TRUE(ran());
  expect_refused("run");
  // Running the problem that it was made from makes it one's own.
  ASSERT_EQ(place.run({"run", "p.toml", "--out", "run", "--quiet"}).code, 0);
  fs::remove(place.file("run/check.sqlite"));
  EXPECT_NE(place.run({"check", "run", "--simulations", "20"}).code, 64);
  EXPECT_TRUE(ran());
}

TEST_F(Trust, AnotherSimulatorInRunTomlIsForeign) {
  make();
  place.write("evil.sh", place.read("sim.sh"));
  fs::permissions(place.file("evil.sh"), fs::perms::owner_all);
  std::string text = place.read("run/run.toml");
  text.replace(text.find("sim.sh"), 6, "evil.sh");
  place.write("run/run.toml", text);
  expect_refused("run");
  // Nor does one's own problem vouch for a folder that only run.toml names.
  text.replace(text.find("evil.sh"), 7, "sim.sh");
  const std::size_t at = text.find("directory = ");
  text.replace(at, text.find('\n', at) - at, "directory = \"" + place.file("elsewhere") + "\"");
  place.write("run/run.toml", text);
  ASSERT_EQ(place.run({"run", "p.toml", "--out", "run", "--quiet"}).code, 0);
  expect_refused("run");
}

TEST_F(Trust, WithoutAKeyNothingIsKnownToBeOnesOwn) {
  // A home that cannot be written to: the run works, and its check at the end too.
  place.become_somebody_else("/proc");
  make();
  EXPECT_FALSE(fs::exists(place.file("run/origin.json")));
  expect_refused("run");
  // A key that others can read is none.
  const TemporaryDirectory state;
  place.become_somebody_else(state.path());
  ASSERT_EQ(place.run({"run", "p.toml", "--out", "run", "--quiet"}).code, 0);
  ASSERT_EQ(::chmod((state.path() + "/epsfree/key").c_str(), 0644), 0);
  expect_refused("run");
}

TEST(TrustOfModels, BuiltInModelsNeedNone) {
  Workplace place;
  place.write("p.toml", std::string(kSmallProblem) + "[run]\nreport = false\n");
  ASSERT_EQ(place.run({"run", "p.toml", "--out", "run", "--quiet"}).code, 0);
  EXPECT_FALSE(fs::exists(place.file("run/origin.json")));
  place.become_somebody_else(place.streams().path() + "/other");
  EXPECT_NE(place.run({"check", "run", "--simulations", "20"}).code, 64);
}

/// A directory with a built-in model needs no trust, so nothing else in it may do harm.
class ForeignModel : public ::testing::Test {
 protected:
  ForeignModel() {
    place.write("p.toml", "[simulator]\nmodel = \"mixture\"\n[method]\nnum_simulations = 60\n");
    for (const char* run : {"mine", "foreign"}) {
      EXPECT_EQ(
          place.run({"run", "p.toml", "--out", run, "--record", "always", "--no-report", "--quiet"})
              .code,
          0);
    }
  }
  Workplace place;
};

TEST_F(ForeignModel, ACheckDoesNotWriteThroughALink) {
  const std::string before = place.read("mine/ledger.sqlite");
  fs::create_symlink(place.file("mine/ledger.sqlite"), place.file("foreign/check.sqlite"));
  const Outcome checked = place.run({"check", "foreign", "--simulations", "20"});
  EXPECT_EQ(checked.code, 74) << checked.err;
  EXPECT_CONTAINS(checked.err, "it is a symbolic link");
  EXPECT_EQ(place.read("mine/ledger.sqlite"), before);
}

TEST_F(ForeignModel, ItsRunFileReadsNoOtherFile) {
  place.write("foreign/run.toml",
              "[simulator]\nmodel = \"mixture\"\n[observed]\nfile = \"/dev/zero\"\n");
  const Outcome checked = place.run({"check", "foreign", "--simulations", "20"});
  EXPECT_EQ(checked.code, 65) << checked.err;
  EXPECT_CONTAINS(checked.err, "which holds the values");
}

TEST_F(ForeignModel, ItsTextsSendNothingToTheTerminal) {
  std::string summary = place.read("foreign/summary.json");
  const std::size_t at = summary.find("\"mixture\"");
  ASSERT_NE(at, std::string::npos);
  summary.replace(at, 9, "\"\\u001b]0;title\\u0007\"");
  place.write("foreign/summary.json", summary);
  const Outcome shown = place.run({"show", "foreign"});
  EXPECT_EQ(shown.code, 0) << shown.err;
  EXPECT_EQ((shown.out + shown.err).find('\x1b'), std::string::npos) << shown.out;
}

}  // namespace
}  // namespace epsfree::cli
