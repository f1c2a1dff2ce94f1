#include <gtest/gtest.h>

#include <algorithm>
#include <limits>

#include "support/contains.hpp"
#include "support/error_of.hpp"
#include "zoo.hpp"

namespace epsfree {
namespace {

TEST(ProcessOptions, NamesWhatIsWrong) {
  const ProcessMark mark;
  const auto message = [&](auto&& change) {
    CommandOptions options = zoo_command("good", mark);
    change(options);
    return error_of(ErrorKind::input, [&] { options.validate(); });
  };
  using Options = CommandOptions;
  EXPECT_CONTAINS(message([](Options& o) { o.process.num_parameters = 0; }),
                  "simulator.num_parameters is 0");
  EXPECT_CONTAINS(message([](Options& o) { o.process.num_statistics = -1; }),
                  "num_statistics is -1");
  EXPECT_CONTAINS(message([](Options& o) { o.process.names = {"a"}; }), "names has 1");
  EXPECT_CONTAINS(message([](Options& o) { o.process.argv.clear(); }), "argv is empty");
  EXPECT_CONTAINS(message([](Options& o) {
                    o.process.argv = {"a", "{seed}"};
                  }),
                  "names no parameter");
  EXPECT_CONTAINS(message([](Options& o) { o.process.time_limit_seconds = -1; }),
                  "time_limit_seconds is -1");
  EXPECT_CONTAINS(message([](Options& o) { o.process.time_limit_factor = 0.5; }),
                  "time_limit_factor is 0.5");
  EXPECT_CONTAINS(message([](Options& o) { o.process.grace_seconds = std::nan(""); }),
                  "grace_seconds is nan");
  EXPECT_CONTAINS(message([](Options& o) { o.process.environment = {{"A=B", "c"}}; }), "A=B");
  EXPECT_CONTAINS(message([](Options& o) { o.input_name = "../x"; }), "input_name");
  EXPECT_CONTAINS(message([](Options& o) { o.max_kept = -1; }), "max_kept is -1");
  EXPECT_CONTAINS(message([](Options& o) {
                    o.input = CommandInput::file;
                    o.output = CommandOutput::file;
                    o.output_name = "input.json";
                  }),
                  "which is also the name of the input file");
  WorkerOptions worker = zoo_worker("good", mark);
  worker.max_in_flight = 0;
  EXPECT_CONTAINS(error_of(ErrorKind::input, [&] { worker.validate("here."); }),
                  "here.max_in_flight is 0");
  worker.max_in_flight = 1;
  worker.startup_seconds = 0;
  EXPECT_CONTAINS(error_of(ErrorKind::input, [&] { worker.validate(); }), "startup_seconds is 0");
}

TEST(SimulationSeed, IsOfEachSimulationItsOwn) {
  // The first million of a run: four rounds, and the pilot.
  std::vector<std::uint64_t> seeds;
  seeds.reserve(1000000);
  for (std::uint32_t round = 0; round < 5; ++round) {
    for (std::uint64_t i = 0; i < 200000; ++i) {
      const Purpose purpose = round == 0 ? Purpose::pilot_simulation : Purpose::simulation;
      seeds.push_back(simulation_seed(Stream(1, {.purpose = purpose, .round = round, .index = i})));
    }
  }
  std::sort(seeds.begin(), seeds.end());
  EXPECT_EQ(std::adjacent_find(seeds.begin(), seeds.end()), seeds.end());
}

}  // namespace
}  // namespace epsfree
