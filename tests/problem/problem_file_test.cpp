#include "problem/problem_file.hpp"

#include <gtest/gtest.h>

#include "base/file.hpp"
#include "epsfree/models.hpp"
#include "infer/mdn/mdn_options.hpp"
#include "support/error_of.hpp"
#include "support/temporary_directory.hpp"

namespace epsfree {
namespace {

const std::string kMixture = "[simulator]\nmodel = \"mixture\"\n";

TEST(ProblemFile, LittleNeedsToBeSaid) {
  const ProblemSpec spec = parse_problem(kMixture, "dir/my-problem.toml");
  EXPECT_EQ(spec.name, "my-problem");
  EXPECT_EQ(spec.options.seed, 1u);
  EXPECT_EQ(spec.problem.observed, model("mixture")->default_observed());
  EXPECT_EQ(spec.problem.names, model("mixture")->parameter_names());
  const ProblemSpec network =
      parse_problem(kMixture + "[method]\nname = \"mdn-with-prior\"\n", "p.toml");
  EXPECT_EQ(mdn_settings(network.options.method)->pilot.scaling, Scaling::as_is)
      << "a built-in model needs no pilot run";
}

TEST(ProblemFile, ResolvingTwiceChangesNothing) {
  const std::string text =
      "name = \"n\"\nseed = 12\n[simulator]\nmodel = \"lotka-volterra\"\n"
      "[observed]\nobserve_seed = 4\n[method]\nname = \"proposal-prior\"\n";
  const ProblemSpec once = parse_problem(text, "a.toml");
  const ProblemSpec twice = parse_problem(resolved_toml(once), "b.toml");
  EXPECT_EQ(twice.name, "n");
  EXPECT_EQ(twice.options.seed, 12u);
  EXPECT_EQ(twice.problem.observed, once.problem.observed);
  EXPECT_EQ(twice.problem.truth, once.problem.truth);
  ASSERT_TRUE(once.problem.truth.has_value());
  // Only where the observation came from is told differently.
  ProblemSpec again = twice;
  again.observed_note = once.observed_note;
  EXPECT_EQ(resolved_toml(again), resolved_toml(once));
}

TEST(ProblemFile, TheCommandLineWins) {
  const TemporaryDirectory directory;
  write_file_atomically(directory.file("x.csv"), "0.25\n");
  const std::string text = kMixture + "[observed]\nvalues = [1.0]\ntruth = [2.0]\n";
  const ProblemSpec plain = parse_problem(text, "p.toml");
  EXPECT_EQ(plain.problem.observed[0], 1.0);
  EXPECT_EQ((*plain.problem.truth)[0], 2.0);
  const ProblemSpec spec = parse_problem(text, "p.toml",
                                         {.assignments = {"method.num_simulations=77", "seed=3"},
                                          .seed = 5,
                                          .observed_file = directory.file("x.csv")});
  EXPECT_EQ(spec.options.num_simulations, 77);
  EXPECT_EQ(spec.options.seed, 5u) << "--seed stands over --set";
  EXPECT_EQ(spec.problem.observed[0], 0.25);
  EXPECT_FALSE(spec.problem.truth.has_value()) << "the file's truth was of another observation";
  const ProblemSpec drawn = parse_problem(text, "p.toml", {.observe_seed = 9});
  EXPECT_EQ(drawn.problem.observed, model("mixture")->problem(9).observed);
}

TEST(ProblemFile, PathsAreRelativeToTheFile) {
  const TemporaryDirectory directory;
  write_file_atomically(directory.file("data.json"), "[0.75]");
  write_file_atomically(directory.file("p.toml"), kMixture + "[observed]\nfile = \"data.json\"\n");
  EXPECT_EQ(load_problem(directory.file("p.toml")).problem.observed[0], 0.75);
}

TEST(ProblemFile, AnotherPriorRenamesAndIsWrittenOut) {
  const ProblemSpec spec = parse_problem(
      kMixture + "[prior]\nkind = \"gaussian\"\nmean = [0.1]\nstd = [3]\nnames = [\"mu\"]\n",
      "p.toml");
  EXPECT_EQ(spec.problem.names, std::vector<std::string>{"mu"});
  const ProblemSpec twice = parse_problem(resolved_toml(spec), "q.toml");
  EXPECT_EQ(twice.problem.names, spec.problem.names);
  EXPECT_EQ(twice.problem.prior->mean(), spec.problem.prior->mean());
  EXPECT_EQ(twice.problem.prior->covariance(), spec.problem.prior->covariance());
}

TEST(ProblemFile, NamesOfProblemsAreNamesOfFolders) {
  for (const char* name : {"a/b", "..", ""}) {
    error_of(ErrorKind::input,
             [&] { parse_problem("name = \"" + std::string(name) + "\"\n" + kMixture, "p.toml"); });
  }
}

TEST(ProblemFile, ACommentCannotBeBrokenOutOf) {
  const TemporaryDirectory directory;
  const std::string odd = directory.file("x\nseed = 2 #.csv");
  write_file_atomically(odd, "0.25\n");
  const ProblemSpec spec = parse_problem(kMixture, "p.toml", {.observed_file = odd});
  EXPECT_EQ(parse_problem(resolved_toml(spec), "q.toml").options.seed, 1u);
}

}  // namespace
}  // namespace epsfree
