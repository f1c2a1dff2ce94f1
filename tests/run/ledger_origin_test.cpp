#include "run/ledger_origin.hpp"

#include <gtest/gtest.h>

#include "problem/method_file.hpp"
#include "problem/problem_file.hpp"
#include "support/temporary_directory.hpp"

namespace epsfree {
namespace {

/// What is known of a row that does not say it, in a ledger of a method.
class OriginOfVersion01 {
 public:
  explicit OriginOfVersion01(const std::string& method) : ledger_(root_.file("l.sqlite")) {
    if (method.empty()) return;
    const ProblemSpec spec =
        parse_problem("[simulator]\nmodel = \"mixture\"\n[method]\n" + method, "p.toml");
    ledger_.set_note("problem", resolved_toml(spec));
  }
  DrawnFrom of(const Key& key, DrawnFrom said = DrawnFrom::unknown) {
    LedgerRow row;
    row.key = key;
    row.drawn_from = said;
    return LedgerOrigin(ledger_).of(row);
  }

 private:
  TemporaryDirectory root_;
  Ledger ledger_;
};

constexpr Key kPilot{.purpose = Purpose::pilot_simulation};
constexpr Key kFirst{.purpose = Purpose::simulation, .round = 1};
constexpr Key kSecond{.purpose = Purpose::simulation, .round = 2};
constexpr Key kImported{.purpose = Purpose::simulation, .replicate = 1, .round = 1};

TEST(LedgerOrigin, KnowsTheFirstRoundsOfVersion01) {
  for (const char* method :
       {"name = \"auto\"\n", "name = \"mdn-with-prior\"\n", "name = \"proposal-prior\"\n",
        "name = \"mdn-with-proposal\"\n", "name = \"mcmc-abc\"\n", "name = \"smc-abc\"\n",
        "name = \"synthetic-likelihood\"\n",
        "name = \"rejection-abc\"\nrejection = {streaming = false}\n"}) {
    OriginOfVersion01 origin(method);
    EXPECT_EQ(origin.of(kFirst), DrawnFrom::prior) << method;
    EXPECT_EQ(origin.of(kSecond), DrawnFrom::unknown) << method;
    EXPECT_EQ(origin.of(kPilot), DrawnFrom::prior) << method;
  }
}

TEST(LedgerOrigin, TakesNothingForADrawFromThePriorThatMayBeNone) {
  OriginOfVersion01 stream("name = \"rejection-abc\"\nrejection = {streaming = true}\n");
  EXPECT_EQ(stream.of(kFirst), DrawnFrom::prior_near);
  EXPECT_EQ(stream.of(kImported), DrawnFrom::prior) << "imports had to say so";
  OriginOfVersion01 nothing("");
  EXPECT_EQ(nothing.of(kFirst), DrawnFrom::unknown);
}

TEST(LedgerOrigin, BelievesWhatARowSays) {
  OriginOfVersion01 origin("name = \"auto\"\n");
  EXPECT_EQ(origin.of(kSecond, DrawnFrom::prior), DrawnFrom::prior);
  EXPECT_EQ(origin.of(kFirst, DrawnFrom::proposal), DrawnFrom::proposal);
  EXPECT_EQ(origin.of(kFirst, DrawnFrom::prior_near), DrawnFrom::prior_near);
}

}  // namespace
}  // namespace epsfree
