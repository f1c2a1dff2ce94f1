// `epsfree run`: the same result every time, and never at the expense of another.
#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "cli/program.hpp"

namespace epsfree::cli {
namespace {

std::string digest(const Workplace& place, const std::string& run) {
  return nlohmann::json::parse(place.read(run + "/summary.json")).at("digest");
}

std::size_t num_entries(const std::string& path) {
  std::size_t count = 0;
  for ([[maybe_unused]] const auto& entry : std::filesystem::directory_iterator(path)) ++count;
  return count;
}

TEST(Run, AnyNumberOfThreadsGivesTheSameBits) {
  const Workplace place;
  place.write("p.toml", R"([simulator]
model = "lotka-volterra"
[method]
name = "mdn-with-proposal"
num_simulations = 600
[method.network]
hidden_units = [10]
[method.training]
num_steps = 60
batch_size = 280
[method.rounds]
max_rounds = 1
num_simulations = 300
[method.rounds.training]
num_steps = 60
)");
  for (const char* threads : {"1", "2", "4"}) {
    const Outcome outcome =
        place.run({"run", "p.toml", "--threads", threads, "--out", threads, "--quiet"});
    ASSERT_EQ(outcome.code, 0) << outcome.err;
  }
  EXPECT_EQ(place.read("1/posterior.json"), place.read("2/posterior.json"));
  EXPECT_EQ(place.read("1/posterior.json"), place.read("4/posterior.json"));
  EXPECT_EQ(place.read("1/estimator.json"), place.read("4/estimator.json"));
}

TEST(Run, AnyNumberOfThreadsGivesTheSameBitsByDefault) {
  const Workplace place;
  place.write("p.toml",
              "[simulator]\nmodel = \"lotka-volterra\"\n[method]\nnum_simulations = 400\n");
  for (const char* threads : {"1", "2", "4"}) {
    const Outcome outcome =
        place.run({"run", "p.toml", "--threads", threads, "--out", threads, "--quiet"});
    ASSERT_EQ(outcome.code, 0) << outcome.err;
  }
  EXPECT_EQ(place.read("1/posterior.json"), place.read("2/posterior.json"));
  EXPECT_EQ(place.read("1/posterior.json"), place.read("4/posterior.json"));
  EXPECT_FALSE(std::filesystem::exists(place.file("1/estimator.json")));
}

TEST(Run, ItsRunFileRepeatsIt) {
  const Workplace place;
  place.write("p.toml", std::string(kSmallProblem) + R"([prior]
kind = "independent"
[[prior.parameter]]
name = "mu"
family = "truncated-normal"
mean = 0.1
std = 3
low = -inf
high = 9.75
)");
  place.write("x.csv", "x\n0.3333333333333333\n");
  ASSERT_EQ(place
                .run({"run", "p.toml", "--observed", "x.csv", "--seed", "9", "--set",
                      "method.training.learning_rate=0.002", "--out", "first", "--quiet"})
                .code,
            0);
  std::filesystem::remove(place.file("x.csv"));  // everything is in run.toml
  const Outcome again = place.run({"run", "first/run.toml", "--out", "again", "--quiet"});
  ASSERT_EQ(again.code, 0) << again.err;
  EXPECT_EQ(digest(place, "first"), digest(place, "again"));
  EXPECT_EQ(place.read("first/estimator.json"), place.read("again/estimator.json"));
  EXPECT_NE(place.read("first/run.toml").find("seed = 9"), std::string::npos);
  ASSERT_EQ(place.run({"run", "first/run.toml", "--seed", "10", "--out", "other", "--quiet"}).code,
            0);
  EXPECT_NE(digest(place, "first"), digest(place, "other"));
}

TEST(Run, AnExistingDirectoryIsNeverOverwrittenUntold) {
  const Workplace place;
  place.write("small.toml", kSmallProblem);
  ASSERT_EQ(place.run({"run", "small.toml", "--quiet"}).code, 0);  // runs/small by default
  const std::string before = place.read("runs/small/summary.json");
  const Outcome shown = place.run({"run", "small.toml"});
  EXPECT_EQ(shown.code, 0) << shown.err;
  EXPECT_NE(shown.err.find("finished already"), std::string::npos) << shown.err;
  EXPECT_NE(shown.out.find("95% interval"), std::string::npos);
  const Outcome refused = place.run({"run", "small.toml", "--seed", "8"});
  EXPECT_EQ(refused.code, 64);
  EXPECT_NE(refused.err.find("seed is 3 there and 8 here"), std::string::npos) << refused.err;
  EXPECT_NE(refused.err.find("runs/small"), std::string::npos);
  EXPECT_NE(refused.err.find("--force"), std::string::npos);
  EXPECT_EQ(place.read("runs/small/summary.json"), before);
  EXPECT_EQ(place.run({"run", "small.toml", "--force", "--seed", "8", "--quiet"}).code, 0);
  EXPECT_NE(digest(place, "runs/small"), nlohmann::json::parse(before).at("digest"));
  place.write("runs/small/notes.txt", "mine");
  EXPECT_EQ(place.run({"run", "small.toml", "--force"}).code, 64);
  EXPECT_EQ(place.read("runs/small/notes.txt"), "mine");
  EXPECT_EQ(num_entries(place.file("runs")), 1u);
}

TEST(Run, QuietMeansSilent) {
  const Workplace place;
  place.write("small.toml", kSmallProblem);
  const Outcome outcome = place.run({"run", "small.toml", "--quiet", "--out", "run"});
  EXPECT_EQ(outcome.code, 0);
  EXPECT_EQ(outcome.out, "");
  EXPECT_EQ(outcome.err, "");
}

TEST(Run, ADryRunChecksAndWritesNothing) {
  const Workplace place;
  place.write("small.toml", kSmallProblem);
  const Outcome outcome =
      place.run({"run", "small.toml", "--dry-run", "--set", "method.rounds.num_simulations=70",
                 "--set", "method.num_simulations=240", "--out", "o"});
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_NE(outcome.err.find("240 simulations"), std::string::npos) << outcome.err;
  EXPECT_EQ(num_entries(place.path()), 1u);
  // What it prints is a problem file, and the same one when resolved again.
  place.write("resolved.toml", outcome.out);
  const Outcome again = place.run({"run", "resolved.toml", "--dry-run", "--quiet"});
  EXPECT_EQ(again.code, 0) << again.err;
  EXPECT_NE(again.out.find("num_simulations = 70"), std::string::npos);
}

TEST(Run, AnObservationCanBeDrawn) {
  const Workplace place;
  place.write("small.toml", kSmallProblem);
  ASSERT_EQ(place.run({"run", "small.toml", "--observe-seed", "7", "--out", "a", "--quiet"}).code,
            0);
  ASSERT_EQ(place.run({"run", "small.toml", "--observe-seed", "7", "--out", "b", "--quiet"}).code,
            0);
  ASSERT_EQ(place.run({"run", "small.toml", "--observe-seed", "8", "--out", "c", "--quiet"}).code,
            0);
  EXPECT_EQ(digest(place, "a"), digest(place, "b"));
  EXPECT_NE(digest(place, "a"), digest(place, "c"));
  EXPECT_NE(place.read("a/run.toml").find("truth = ["), std::string::npos);
}

}  // namespace
}  // namespace epsfree::cli
