// Runs that version 0.1 wrote (tests/data/version-0.1).
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "cli/program.hpp"
#include "support/contains.hpp"

namespace epsfree::cli {
namespace {

class Version01 : public ::testing::Test {
 protected:
  Version01() {
    namespace fs = std::filesystem;
    const fs::path data = fs::path(EPSFREE_SOURCE_DIR) / "tests/data/version-0.1";
    for (const char* run : {"auto", "streaming", "proposal"}) {
      fs::copy(data / run, place.file(run), fs::copy_options::recursive);
    }
    place.write("pool.toml",
                "seed = 4\n[simulator]\nmodel = \"mixture\"\n[method]\nname = \"mdn-with-prior\"\n"
                "num_simulations = 10\n[method.training]\nnum_steps = 50\n[run]\nreport = false\n"
                "[reuse]\nruns = [\"auto\"]\n");
  }
  nlohmann::json parsed(const std::string& file) { return nlohmann::json::parse(place.read(file)); }
  Workplace place;
};

/// The same but for rounding: another kind of CPU may round a sum differently.
void expect_near(const nlohmann::json& a, const nlohmann::json& b, const std::string& where) {
  ASSERT_EQ(a.type(), b.type()) << where;
  if (a.is_number_float()) {
    EXPECT_NEAR(a.get<double>(), b.get<double>(), 1e-6 * (1 + std::abs(b.get<double>()))) << where;
  } else if (a.is_structured()) {
    ASSERT_EQ(a.size(), b.size()) << where;
    auto other = b.begin();
    for (auto it = a.begin(); it != a.end(); ++it, ++other) expect_near(*it, *other, where + "/");
  } else {
    EXPECT_EQ(a, b) << where;
  }
}

TEST_F(Version01, ItsRunFileRepeatsTheRun) {
  for (const std::string run : {"auto", "proposal"}) {
    const Outcome again = place.run({"run", run + "/run.toml", "--out", run + "2", "--no-report"});
    ASSERT_EQ(again.code, 0) << again.err;
    expect_near(parsed(run + "2/posterior.json"), parsed(run + "/posterior.json"), run);
  }
}

// Its num_simulations was that of the final training: two rounds of 20 came before it.
TEST_F(Version01, TheBudgetOfAStrategyIsConverted) {
  ASSERT_EQ(place.run({"run", "proposal/run.toml", "--out", "again", "--no-report"}).code, 0);
  EXPECT_EQ(parsed("again/summary.json").at("simulations").at("total"), 70);
  const std::string written = place.read("again/run.toml");
  EXPECT_CONTAINS(written, "num_simulations = 70\n");
  EXPECT_EQ(written.find("[method.smc]"), std::string::npos) << "only its own options";
  // What is written now says the same again.
  ASSERT_EQ(place.run({"run", "again/run.toml", "--out", "third", "--no-report"}).code, 0);
  EXPECT_EQ(place.read("again/posterior.json"), place.read("third/posterior.json"));
  // A larger budget goes on with what version 0.1 recorded.
  const Outcome grown = place.run({"run", "proposal/run.toml", "--out", "proposal", "--no-report",
                                   "--trust", "--set", "method.num_simulations=60"});
  ASSERT_EQ(grown.code, 0) << grown.err;
  EXPECT_EQ(parsed("proposal/summary.json").at("recording").at("replayed"), 70);
  EXPECT_EQ(parsed("proposal/summary.json").at("recording").at("simulated"), 30);
}

TEST_F(Version01, ItsFinishedRunIsShownAndALargerBudgetGoesOnWithItsSimulations) {
  const Outcome shown = place.run({"show", "auto"});
  EXPECT_EQ(shown.code, 0) << shown.err;
  const Outcome grown = place.run({"run", "auto/run.toml", "--out", "auto", "--no-report",
                                   "--trust", "--set", "method.num_simulations=90"});
  ASSERT_EQ(grown.code, 0) << grown.err;
  EXPECT_EQ(parsed("auto/summary.json").at("recording").at("replayed"), 60);
}

TEST_F(Version01, OnlyTheFirstRoundOfItsLedgerIsReusedAsDrawsFromThePrior) {
  const Outcome ledger = place.run({"ledger", "auto", "--json"});
  ASSERT_EQ(ledger.code, 0) << ledger.err;
  const nlohmann::json groups = nlohmann::json::parse(ledger.out).at("groups");
  ASSERT_EQ(groups.size(), 4u);
  EXPECT_EQ(groups.at(0).at("drawn_from"), "prior");
  for (std::size_t i = 1; i < 4; ++i) EXPECT_EQ(groups.at(i).at("drawn_from"), "unknown");
  const Outcome pooled = place.run({"run", "pool.toml", "--out", "pool", "--quiet"});
  ASSERT_EQ(pooled.code, 0) << pooled.err;
  EXPECT_EQ(parsed("pool/estimator.json").at("num_examples"), 25) << "15 of the ledger, 10 new";
}

TEST_F(Version01, NothingThatItStreamedIsReused) {
  const Outcome refused =
      place.run({"run", "pool.toml", "--out", "pool", "--set", "reuse.runs=[\"streaming\"]"});
  EXPECT_EQ(refused.code, 65) << refused.err;
  EXPECT_CONTAINS(refused.err, "none of them is known to be a draw from the prior");
}

}  // namespace
}  // namespace epsfree::cli
