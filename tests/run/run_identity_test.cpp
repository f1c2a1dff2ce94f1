#include "run/run_identity.hpp"

#include <gtest/gtest.h>

#include "problem/problem_file.hpp"

namespace epsfree {
namespace {

std::string resolved(const std::string& more, const std::vector<std::string>& set = {}) {
  return resolved_toml(
      parse_problem("[simulator]\nmodel = \"mixture\"\n" + more, "p.toml", {.assignments = set}));
}

TEST(RunIdentity, TheSameProblemIsTheSameRun) {
  EXPECT_TRUE(compare_identity(resolved(""), resolved("")).same());
  EXPECT_TRUE(compare_identity(resolved(""), resolved("[run]\nthreads = 3\nrecord = \"never\"\n"
                                                      "time_limit = 5\nretries = 4\nchunk = 2\n"))
                  .same());
  EXPECT_TRUE(compare_identity(resolved(""), resolved("", {"name='other'", "observed.truth=[1.5]"}))
                  .same());
  const char* prior = "[prior]\nkind = \"gaussian\"\nmean = [0]\nstd = [1]\n";
  const char* same = "[prior]\nkind = \"gaussian\"\nmean = [0.0]\nstd = [1.0]\n";
  EXPECT_TRUE(compare_identity(resolved(prior), resolved(same)).same());
}

TEST(RunIdentity, EveryOtherKeyCounts) {
  const std::string before = resolved("");
  for (const char* change : {"seed=2", "observed.values=[0.5]", "method.name='mdn-with-prior'",
                             "method.auto.tolerance=0.5", "method.network.hidden_units=[3]",
                             "method.num_simulations=1999", "method.pilot.num_simulations=3"}) {
    const IdentityComparison comparison = compare_identity(before, resolved("", {change}));
    ASSERT_EQ(comparison.differences.size(), 1u) << change;
    EXPECT_TRUE(std::string(change).starts_with(comparison.differences[0].key + "=")) << change;
    EXPECT_TRUE(comparison.grown.empty());
  }
  const IdentityComparison prior =
      compare_identity(before, resolved("[prior]\nkind = \"gaussian\"\nmean = [0]\nstd = [1]\n"));
  EXPECT_EQ(prior.differences.size(), 3u);
  EXPECT_EQ(prior.differences[0].before, "nothing");
  EXPECT_EQ(compare_identity(before, resolved("", {"seed=2"})).describe(),
            "seed is 1 there and 2 here");
}

TEST(RunIdentity, ABudgetMayGrow) {
  const IdentityComparison more = compare_identity(
      resolved(""), resolved("", {"method.num_simulations=5000", "method.rounds.max_rounds=9",
                                  "method.pilot.num_simulations=5000"}));
  EXPECT_TRUE(more.differences.empty());
  EXPECT_EQ(more.grown.size(), 3u);
  EXPECT_FALSE(more.same());
}

}  // namespace
}  // namespace epsfree
