#include "run/run_identity.hpp"

#include <gtest/gtest.h>

#include "problem/problem_file.hpp"
#include "support/contains.hpp"

namespace epsfree {
namespace {

ProblemSpec resolved(const std::string& more, const std::vector<std::string>& set = {}) {
  return parse_problem("[simulator]\nmodel = \"mixture\"\n" + more, "p.toml", {.assignments = set});
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
  const ProblemSpec before = resolved("");
  const auto expect_one = [](const std::string& method, const char* change) {
    const std::string text = method.empty() ? "" : "[method]\nname = '" + method + "'\n";
    const IdentityComparison comparison =
        compare_identity(resolved(text), resolved(text, {change}));
    ASSERT_EQ(comparison.differences.size(), 1u) << change;
    EXPECT_TRUE(std::string(change).starts_with(comparison.differences[0].key + "=")) << change;
    EXPECT_TRUE(comparison.grown.empty());
  };
  for (const char* change : {"seed=2", "observed.values=[0.5]", "method.name='mdn-with-prior'",
                             "method.auto.tolerance=0.5", "method.num_simulations=1999"}) {
    expect_one("", change);
  }
  expect_one("mdn-with-prior", "method.network.hidden_units=[3]");
  expect_one("mdn-with-prior", "method.pilot.num_simulations=3");
  const IdentityComparison prior =
      compare_identity(before, resolved("[prior]\nkind = \"gaussian\"\nmean = [0]\nstd = [1]\n"));
  EXPECT_EQ(prior.differences.size(), 3u);
  EXPECT_EQ(prior.differences[0].before, "nothing");
  EXPECT_EQ(compare_identity(before, resolved("", {"seed=2"})).describe(),
            "seed is 1 there and 2 here");
}

TEST(RunIdentity, ABudgetMayGrow) {
  const IdentityComparison more =
      compare_identity(resolved("[method]\nname = 'proposal-prior'\n"),
                       resolved("[method]\nname = 'proposal-prior'\n",
                                {"method.num_simulations=5000", "method.rounds.max_rounds=9",
                                 "method.pilot.num_simulations=5000"}));
  EXPECT_TRUE(more.differences.empty());
  EXPECT_EQ(more.grown.size(), 3u);
  EXPECT_FALSE(more.same());
}

ProblemSpec with_command(const std::string& more, const std::vector<std::string>& set = {}) {
  return parse_problem(
      "[simulator]\ncommand = [\"./sim\", \"{a}\", \"{seed}\"]\nnum_statistics = 2\n" + more +
          "[prior]\nkind = \"independent\"\n[[prior.parameter]]\nname = \"a\"\n"
          "family = \"uniform\"\nlow = 0\nhigh = 1\n[observed]\nvalues = [1, 2]\n",
      "folder/p.toml", {.assignments = set});
}

// What a directory holds is the text of run.toml: reading it gives the values that were written.
TEST(RunIdentity, TextsAreComparedAfterTheyAreRead) {
  for (const ProblemSpec& spec :
       {resolved(""), resolved("", {"method.name='smc-abc'", "method.smc.decay=0.1234567890123"}),
        resolved("[prior]\nkind = \"gaussian\"\nmean = [0.1]\nstd = [0.7]\n"),
        with_command("environment = {MODEL = \"b\", \"C.D\" = \"\"}\n")}) {
    const ProblemSpec again = parse_problem(resolved_toml(spec), "elsewhere/run.toml");
    const IdentityComparison comparison = compare_identity(again, spec);
    EXPECT_TRUE(comparison.same()) << comparison.describe();
  }
}

TEST(RunIdentity, APriorIsComparedAsAPrior) {
  const ProblemSpec own = resolved("");
  const char* uniform =
      "[prior]\nkind = \"independent\"\n[[prior.parameter]]\nfamily = \"uniform\"\n"
      "low = -10\nhigh = 10\nname = \"theta\"\n";
  // The model's own prior, written out.
  EXPECT_EQ(own.problem.names, resolved(uniform).problem.names);
  EXPECT_TRUE(compare_identity(own, resolved(uniform)).same())
      << compare_identity(own, resolved(uniform)).describe();
  // The same distribution in other words.
  EXPECT_TRUE(
      compare_identity(resolved("[prior]\nkind = \"gaussian\"\nmean = [1]\nstd = [2]\n"),
                       resolved("[prior]\nkind = \"gaussian\"\nmean = [1]\ncovariance = [[4]]\n"))
          .same());
  // Another name is another problem, and so is another bound.
  std::string renamed = uniform, wider = uniform;
  renamed.replace(renamed.find("\"theta\""), 7, "\"speed\"");
  wider.replace(wider.find("high = 10"), 9, "high = 11");
  for (const std::string& other : {renamed, wider}) {
    const IdentityComparison comparison = compare_identity(resolved(uniform), resolved(other));
    ASSERT_EQ(comparison.differences.size(), 1u) << comparison.describe();
    EXPECT_EQ(comparison.differences[0].key, "prior.parameter");
  }
  EXPECT_CONTAINS(compare_identity(resolved(uniform), resolved(wider)).describe(), "high = 11");
}

TEST(RunIdentity, WhatDefinesASimulatorCounts) {
  const ProblemSpec before = with_command("");
  for (const char* same :
       {"simulator.directory='/moved'", "simulator.time_limit_seconds=3", "simulator.max_kept=1",
        "simulator.keep_failed='/tmp/kept'", "simulator.memory_limit=100"}) {
    EXPECT_TRUE(compare_identity(before, with_command("", {same})).same()) << same;
  }
  for (const auto& [change, key] : std::vector<std::pair<std::string, std::string>>{
           {"simulator.command=['./sim', '{a}', '-x', '{seed}']", "simulator.command"},
           {"simulator.environment={MODEL = 'b'}", "simulator.environment.MODEL"},
           {"simulator.input='stdin'", "simulator.input"},
           {"observed.values=[1, 3]", "observed.values"}}) {
    const IdentityComparison comparison = compare_identity(before, with_command("", {change}));
    ASSERT_EQ(comparison.differences.size(), 1u) << change << ": " << comparison.describe();
    EXPECT_EQ(comparison.differences[0].key, key);
  }
  const IdentityComparison other = compare_identity(before, resolved(""));
  EXPECT_CONTAINS(other.describe(), "simulator.command is [\"./sim\", \"{a}\", \"{seed}\"] there");
  EXPECT_CONTAINS(other.describe(), "simulator.model is nothing there and \"mixture\" here");
}

TEST(RunIdentity, WhatIsReusedCountsNotFromWhere) {
  const std::string with = "[method]\nname = \"mdn-with-prior\"\n[reuse]\n";
  const ProblemSpec before = resolved(with + "runs = [\"a\"]\ndigest = \"12\"\n");
  EXPECT_TRUE(
      compare_identity(before, resolved(with + "runs = [\"b\"]\ndigest = \"12\"\n")).same());
  const IdentityComparison other =
      compare_identity(before, resolved(with + "runs = [\"a\"]\ndigest = \"34\"\n"));
  EXPECT_EQ(other.describe(), "reuse.digest is \"12\" there and \"34\" here");
}

}  // namespace
}  // namespace epsfree
