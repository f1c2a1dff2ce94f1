// Going on with a run after its simulator was mended or changed, or its budget raised.
#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "cli/program.hpp"
#include "support/contains.hpp"

namespace epsfree::cli {
namespace {

constexpr const char* kPrior = R"([prior]
kind = "independent"
[[prior.parameter]]
name = "mu"
family = "uniform"
low = 0
high = 1
)";

/// mu plus noise; a line before it says what goes wrong.
std::string script(const std::string& trouble) {
  return "#!/bin/sh\n" + trouble +
         "\nexec awk -v mu=\"$1\" -v seed=\"$2\" 'BEGIN { srand(seed); printf \"%.17g\\n\", mu + "
         "0.1 * (rand() + rand() - 1) }'\n";
}

class Continue : public ::testing::Test {
 protected:
  Continue() {
    write_script("");
    place.write("p.toml", problem("./sim.sh"));
  }
  static std::string problem(const std::string& program, const std::string& more = "") {
    return "[simulator]\ncommand = [\"" + program +
           "\", \"{mu}\", \"{seed31}\"]\nnum_statistics = 1\n" + more + kPrior +
           "[observed]\nvalues = [0.4]\n[method]\nname = \"mdn-with-prior\"\n"
           "num_simulations = 60\n[method.network]\nhidden_units = [5]\nnum_components = 1\n"
           "[method.training]\nnum_steps = 100\n[method.pilot]\nscaling = \"as-is\"\n"
           "[run]\nreport = false\nrecord = \"always\"\n";
  }
  /// More simulations than a fraction of a second suffices for.
  static std::string many(std::string text) {
    const std::string few = "num_simulations = 60\n";
    return text.replace(text.find(few), few.size(), "num_simulations = 600\n");
  }
  void write_script(const std::string& trouble) const {
    place.write("sim.sh", script(trouble));
    std::filesystem::permissions(place.file("sim.sh"), std::filesystem::perms::owner_all);
  }
  Outcome run(const std::string& out, const std::vector<std::string>& more = {}) const {
    std::vector<std::string> arguments = {"run", "p.toml", "--out", out};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return place.run(arguments);
  }
  nlohmann::json summary(const std::string& out) const {
    return nlohmann::json::parse(place.read(out + "/summary.json"));
  }
  Workplace place;
};

TEST_F(Continue, AWrongNumberOfValuesStopsTheRunAndIsNotReplayed) {
  write_script("echo 1 2 3 4; exit 0");
  const Outcome wrong = run("run");
  EXPECT_EQ(wrong.code, 75) << wrong.err;
  EXPECT_CONTAINS(wrong.err, "wrong number of values");
  EXPECT_CONTAINS(wrong.err, "wrote 4 numbers, expected 1");
  EXPECT_CONTAINS(wrong.err, "Fix the simulator, then run the same command again");
  EXPECT_CONTAINS(wrong.err, "epsfree simulate p.toml");
  write_script("");
  const Outcome mended = run("run");
  EXPECT_EQ(mended.code, 0) << mended.err;
  ASSERT_EQ(run("fresh").code, 0);
  EXPECT_EQ(place.read("run/posterior.json"), place.read("fresh/posterior.json"));
}

TEST_F(Continue, FailedSimulationsAreMadeAgainOnRequest) {
  write_script("case $1 in 0.[0-3]*) echo \"no license\" >&2; exit 3 ;; esac");
  const Outcome first = run("run");
  ASSERT_EQ(first.code, 0) << first.err;
  const long failed = summary("run").at("simulations").at("failed").get<long>();
  ASSERT_GT(failed, 5);
  EXPECT_CONTAINS(first.err, std::to_string(failed) + " simulations failed");
  EXPECT_CONTAINS(first.err, "--retry-failed");
  const std::string before = place.read("run/posterior.json");

  write_script("");
  const Outcome changed = run("run");
  EXPECT_EQ(changed.code, 0);
  EXPECT_CONTAINS(changed.err, "the simulator has changed since this run");
  EXPECT_CONTAINS(changed.err, place.file("sim.sh"));
  const Outcome refused = run("run", {"--retry-failed"});
  EXPECT_EQ(refused.code, 64) << refused.err;
  EXPECT_CONTAINS(refused.err, "--keep-simulations");
  EXPECT_EQ(place.read("run/posterior.json"), before);

  const Outcome again = run("run", {"--retry-failed", "--keep-simulations"});
  ASSERT_EQ(again.code, 0) << again.err;
  EXPECT_CONTAINS(again.err, "running " + std::to_string(failed) + " failed simulations again");
  EXPECT_EQ(summary("run").at("simulations").at("failed"), 0);
  EXPECT_EQ(summary("run").at("recording").at("replayed"), 60 - failed);
  EXPECT_EQ(summary("run").at("recording").at("simulated"), failed);
  ASSERT_EQ(run("fresh").code, 0);
  EXPECT_EQ(place.read("run/posterior.json"), place.read("fresh/posterior.json"));
  // Nothing failed is left.
  const Outcome done = run("run", {"--retry-failed"});
  EXPECT_EQ(done.code, 0) << done.err;
  EXPECT_CONTAINS(done.err, "finished already");
}

TEST_F(Continue, AChangedSimulatorIsNotMixedInSilence) {
  place.write("shift.dat", "0");
  place.write("sim.sh",
              "#!/bin/sh\nexec awk -v mu=\"$2\" -v seed=\"$3\" -v shift=\"$(cat \"$1\")\" "
              "'BEGIN { srand(seed); printf \"%.17g\\n\", mu + shift + 0.1 * rand() }'\n");
  std::filesystem::permissions(place.file("sim.sh"), std::filesystem::perms::owner_all);
  std::string text = many(problem("./sim.sh"));
  text.replace(text.find("\"{mu}\""), 6, "\"shift.dat\", \"{mu}\"");
  place.write("p.toml", text);
  // Stopped after some of its simulations.
  const Outcome stopped = run("run", {"--time-limit", "0.2", "--threads", "1"});
  ASSERT_EQ(stopped.code, 75) << stopped.err;
  EXPECT_CONTAINS(stopped.err, "Run the same command again to continue from there");
  // A file that it is given is part of it; one beside it is not.
  place.write("other.dat", "something else\n");
  place.write("shift.dat", "0.5");
  const Outcome refused = run("run");
  EXPECT_EQ(refused.code, 64) << refused.err;
  EXPECT_CONTAINS(refused.err, place.file("shift.dat"));
  EXPECT_CONTAINS(refused.err, "--force");
  EXPECT_CONTAINS(refused.err, "--keep-simulations");
  EXPECT_EQ(refused.err.find("other.dat"), std::string::npos);
  const Outcome dry = run("run", {"--dry-run"});
  EXPECT_CONTAINS(dry.err, "the simulator has changed");

  const Outcome kept = run("run", {"--keep-simulations"});
  ASSERT_EQ(kept.code, 0) << kept.err;
  EXPECT_CONTAINS(summary("run").at("warnings").dump(), "shift.dat");
  const Outcome over = run("run", {"--force"});
  ASSERT_EQ(over.code, 0) << over.err;
  EXPECT_TRUE(summary("run").at("warnings").empty()) << summary("run").at("warnings");
  EXPECT_EQ(summary("run").at("recording").at("replayed"), 0);
}

TEST_F(Continue, ARunOfVersion01HasNoFingerprintAndGoesOn) {
  place.write("p.toml", many(problem("./sim.sh")));
  const Outcome stopped = run("run", {"--time-limit", "0.3", "--threads", "1"});
  ASSERT_EQ(stopped.code, 75) << stopped.err;
  // What the older version did not write.
  ASSERT_EQ(std::system(("python3 - '" + place.file("run/ledger.sqlite") + R"(' <<'END'
import sqlite3, sys
db = sqlite3.connect(sys.argv[1], isolation_level=None)
db.execute("DELETE FROM notes WHERE name = 'simulator'")
db.execute("UPDATE simulations SET drawn_from = 0")
rows = db.execute("SELECT count(*) FROM simulations").fetchone()[0]
db.execute("DELETE FROM simulations")  # their checksums speak of the column
db.execute("ALTER TABLE simulations DROP COLUMN drawn_from")
db.execute("PRAGMA user_version = 1")
END)")
                            .c_str()),
            0);
  std::filesystem::remove(place.file("run/origin.json"));
  const Outcome resumed = run("run");
  ASSERT_EQ(resumed.code, 0) << resumed.err;
  ASSERT_EQ(run("fresh").code, 0);
  EXPECT_EQ(place.read("run/posterior.json"), place.read("fresh/posterior.json"));
}

TEST_F(Continue, BudgetThatWasNotSpentIsExplained) {
  place.write("m.toml",
              "[simulator]\nmodel = \"linear-regression\"\n[method]\nnum_simulations = 5000\n"
              "auto = {tolerance = 1}\n");
  const Outcome early = place.run({"run", "m.toml", "--out", "m"});
  ASSERT_EQ(early.code, 0) << early.err;
  const nlohmann::json budget = summary("m").at("budget");
  ASSERT_LT(budget.at("spent"), 5000);
  EXPECT_EQ(budget.at("planned"), 5000);
  EXPECT_CONTAINS(budget.at("unspent_because").get<std::string>(), "method.auto.tolerance");
  const std::string sentence =
      std::to_string(5000 - budget.at("spent").get<long>()) + " of 5000 simulations were not run";
  EXPECT_CONTAINS(early.err, sentence);
  EXPECT_CONTAINS(place.read("m/report.html"), sentence);
  // All of it was spent: there is nothing to explain.
  const Outcome whole =
      place.run({"run", "m.toml", "--out", "w", "--set", "method.num_simulations=200", "--set",
                 "method.auto.tolerance=0", "--no-report"});
  ASSERT_EQ(whole.code, 0) << whole.err;
  EXPECT_EQ(summary("w").at("budget").at("spent"), 200);
  EXPECT_EQ(whole.err.find("simulations were not run"), std::string::npos) << whole.err;
}

TEST_F(Continue, SimulationsOfARejectionStreamAreNoDrawsFromThePrior) {
  const std::string model = "seed = 4\n[simulator]\nmodel = \"linear-regression\"\n";
  place.write("stream.toml", model +
                                 "[method]\nname = \"rejection-abc\"\nnum_simulations = 3000\n"
                                 "rejection = {streaming = true, num_samples = 100}\n"
                                 "[run]\nrecord = \"always\"\nreport = false\n");
  ASSERT_EQ(place.run({"run", "stream.toml", "--out", "stream", "--quiet"}).code, 0);
  const std::string pool = model +
                           "[method]\nname = \"mdn-with-prior\"\nnum_simulations = 100\n"
                           "[method.training]\nnum_steps = 50\n[run]\nreport = false\n"
                           "[reuse]\nruns = [\"stream\"]\n";
  place.write("pool.toml", pool);
  const Outcome refused = place.run({"run", "pool.toml", "--out", "pool", "--quiet"});
  EXPECT_EQ(refused.code, 65) << refused.err;
  EXPECT_CONTAINS(refused.err, "it recorded only simulations near its observation");
  const Outcome ledger = place.run({"ledger", "stream", "--json"});
  EXPECT_EQ(nlohmann::json::parse(ledger.out).at("groups").at(0).at("drawn_from"), "prior-near");
  // What is exported says so, and cannot be imported as if it were.
  ASSERT_EQ(place.run({"export", "stream", "--out", "near.csv"}).code, 0);
  const Outcome imported =
      place.run({"import", "c", "near.csv", "--proposal", "prior", "--problem", "stream.toml"});
  EXPECT_EQ(imported.code, 65) << imported.err;
  EXPECT_CONTAINS(imported.err, "near.csv:2: its drawn_from is 'prior-near'");
  // Without streaming all of them are.
  ASSERT_EQ(place
                .run({"run", "stream.toml", "--out", "all", "--quiet", "--set",
                      "method.rejection.streaming=false"})
                .code,
            0);
  const Outcome pooled =
      place.run({"run", "pool.toml", "--out", "pool", "--quiet", "--set", "reuse.runs=[\"all\"]"});
  ASSERT_EQ(pooled.code, 0) << pooled.err;
  EXPECT_GE(nlohmann::json::parse(place.read("pool/estimator.json")).at("num_examples"), 3000);
}

// Streaming rejection records no failures.
TEST_F(Continue, FailuresThatWereNotRecordedAreMadeAgainToo) {
  write_script("awk -v mu=\"$1\" 'BEGIN { exit !(mu > 0.7) }' && exit 3");
  std::string text = problem("./sim.sh");
  text.replace(text.find("[method]"), std::string::npos,
               "[method]\nname = \"rejection-abc\"\nnum_simulations = 60\n"
               "rejection = {streaming = true, num_samples = 10}\n[run]\nreport = false\n");
  place.write("p.toml", text);
  ASSERT_EQ(run("run").code, 0);
  ASSERT_GT(summary("run").at("simulations").at("failed"), 0);
  write_script("");
  const Outcome again = run("run", {"--retry-failed", "--keep-simulations"});
  ASSERT_EQ(again.code, 0) << again.err;
  EXPECT_EQ(summary("run").at("simulations").at("failed"), 0) << again.err;
}

}  // namespace
}  // namespace epsfree::cli
