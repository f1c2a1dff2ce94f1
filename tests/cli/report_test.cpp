// report.html is made from what a run has in memory; `epsfree report` makes it from the directory.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "cli/program.hpp"
#include "support/contains.hpp"

namespace epsfree::cli {
namespace {

/// The page that the run made, after it was compared with the one that its directory gives.
std::string same_page(const Workplace& place, const std::string& run) {
  const std::string own = place.read(run + "/report.html");
  std::filesystem::remove(place.file(run + "/report.html"));
  const Outcome again = place.run({"report", run});
  EXPECT_EQ(again.code, 0) << again.err;
  EXPECT_EQ(again.err, "") << "nothing was checked, nothing is amiss";
  const std::string read = place.read(run + "/report.html");
  EXPECT_EQ(own.size(), read.size()) << run;
  EXPECT_TRUE(own == read)
      << run << ": they differ from byte "
      << std::mismatch(own.begin(), own.end(), read.begin(), read.end()).first - own.begin();
  return own;
}

std::string page_of(const std::string& problem, const std::vector<std::string>& more = {}) {
  const Workplace place;
  place.write("p.toml", problem);
  std::vector<std::string> arguments = {"run", "p.toml", "--out", "run"};
  arguments.insert(arguments.end(), more.begin(), more.end());
  const Outcome run = place.run(arguments);
  EXPECT_EQ(run.code, 0) << run.err;
  return same_page(place, "run");
}

TEST(Report, OfTheDefaultMethodIsTheSameFromMemoryAndFromDisk) {
  for (const char* model : {"mixture", "mg1-queue", "lotka-volterra"}) {
    const std::string page = page_of("seed = 3\n[simulator]\nmodel = \"" + std::string(model) +
                                         "\"\n[method]\nnum_simulations = 400\n",
                                     {"--record", "always"});
    EXPECT_CONTAINS(page, "Diagnostics");
    EXPECT_CONTAINS(page, "Simulations");
  }
}

TEST(Report, OfADrawnObservationIsTheSameFromMemoryAndFromDisk) {
  const std::string page =
      page_of("seed = 3\n[simulator]\nmodel = \"mixture\"\n[method]\nnum_simulations = 400\n",
              {"--observe-seed", "4"});
  EXPECT_CONTAINS(page, "as given in run/run.toml");
}

TEST(Report, OfAnAbcMethodIsTheSameFromMemoryAndFromDisk) {
  for (const char* method : {"rejection-abc", "mcmc-abc", "smc-abc", "synthetic-likelihood"}) {
    page_of("seed = 3\n[simulator]\nmodel = \"mixture\"\n[method]\nname = \"" +
            std::string(method) + "\"\nnum_simulations = 2000\n");
  }
}

// Some simulations fail, and the ledger of a run that was taken up again says when.
TEST(Report, OfFailedSimulationsIsTheSameFromMemoryAndFromDisk) {
  const Workplace place;
  place.write("sim.sh",
              "#!/bin/sh\n[ $(($2 % 10)) -ge 1 ] || { echo crashed >&2; exit 1; }\n"
              "exec awk -v mu=\"$1\" -v seed=\"$2\" "
              "'BEGIN { srand(seed); print mu + rand() + rand() - 1 }'\n");
  std::filesystem::permissions(place.file("sim.sh"), std::filesystem::perms::owner_all);
  place.write("p.toml", R"([simulator]
command = ["./sim.sh", "{mu}", "{seed31}"]
num_statistics = 1
[prior]
kind = "independent"
[[prior.parameter]]
name = "mu"
family = "uniform"
low = -2
high = 2
[observed]
values = [0.3]
[method]
num_simulations = 100
[run]
retries = 0
)");
  ASSERT_EQ(place.run({"run", "p.toml", "--out", "run"}).code, 0);
  EXPECT_CONTAINS(same_page(place, "run"), "simulations failed");
  const Outcome grown =
      place.run({"run", "p.toml", "--out", "run", "--set", "method.num_simulations=150"});
  ASSERT_EQ(grown.code, 0) << grown.err;
  same_page(place, "run");
}

TEST(Report, OfAnEstimatorANewObservationAndACombinationIsTheSameFromMemoryAndFromDisk) {
  const Workplace place;
  std::string variational = kAmortisedProblem;
  variational.replace(variational.find("variational = false"), 19, "variational = true");
  place.write("p.toml", variational);
  ASSERT_EQ(place.run({"run", "p.toml", "--out", "run"}).code, 0);
  EXPECT_CONTAINS(same_page(place, "run"), "network-sensitivity");

  place.write("observed.json", "[0, 0, 0, 0, 0, 0, 0, 0, 0, 0]");
  const Outcome there = place.run({"run", "run", "--observed", "observed.json", "--out", "there"});
  ASSERT_EQ(there.code, 0) << there.err;
  EXPECT_CONTAINS(same_page(place, "there"), "for a new observation");

  const Outcome both = place.run({"combine", "run", "there", "--out", "both"});
  ASSERT_EQ(both.code, 0) << both.err;
  EXPECT_CONTAINS(same_page(place, "both"), "combining 2 runs");
}

// A check from the directory finds what the run found, and its page is the one that is then there.
TEST(Report, OfACheckIsTheSameFromMemoryAndFromDisk) {
  const Workplace place;
  place.write("p.toml",
              "seed = 3\n[simulator]\nmodel = \"mixture\"\n[method]\nnum_simulations = 400\n");
  ASSERT_EQ(place.run({"run", "p.toml", "--out", "run", "--no-report"}).code, 0);
  const Outcome checked = place.run({"check", "run", "--sbc", "12", "--quiet"});
  ASSERT_TRUE(checked.code == 0 || checked.code == 3 || checked.code == 4) << checked.err;
  EXPECT_CONTAINS(same_page(place, "run"), "sbc-ranks");
}

// Of weighted samples, too, a check from the directory is a check of the posterior that lies there.
TEST(Report, ShowsTheCheckOfWeightedSamples) {
  const Workplace place;
  place.write("p.toml",
              "[simulator]\nmodel = \"mg1-queue\"\n[method]\nname = \"mcmc-abc\"\n"
              "num_simulations = 1000\n");
  ASSERT_EQ(place.run({"run", "p.toml", "--out", "run"}).code, 0);
  const std::string own = place.read("run/report.html");
  const auto digest = [&](const char* file) {
    return nlohmann::json::parse(place.read(file)).at("digest").get<std::string>();
  };
  EXPECT_EQ(digest("run/check.json"), digest("run/summary.json"));
  place.run({"check", "run", "--quiet"});
  EXPECT_EQ(digest("run/check.json"), digest("run/summary.json"));
  EXPECT_CONTAINS(same_page(place, "run"), "Diagnostics");
  EXPECT_TRUE(place.read("run/report.html") == own) << "the check found the same";
}

}  // namespace
}  // namespace epsfree::cli
