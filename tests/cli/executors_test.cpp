// The same posterior and the same records, whichever way the simulator is run and on however many
// threads.
#include <gtest/gtest.h>

#include "cli/executors/model.hpp"
#include "cli/program.hpp"
#include "problem/problem_file.hpp"

namespace epsfree::cli {
namespace {

constexpr const char* kRest = R"(num_statistics = 2
[prior]
kind = "independent"
[[prior.parameter]]
family = "uniform"
low = 0
high = 1
[[prior.parameter]]
family = "uniform"
low = 0
high = 1
[observed]
values = [0.4, 0.5]
[method]
num_simulations = 120
)";

std::string problem_of(const std::string& simulator) {
  return "[simulator]\n" + simulator + "\n" + kRest;
}

// Durations differ from run to run: without the seventh column.
std::string without_seconds(const std::string& csv) {
  std::string result;
  int column = 1;
  for (const char c : csv) {
    if (c == '\n') {
      column = 1;
    } else if (c == ',') {
      ++column;
    } else if (column == 7) {
      continue;
    }
    result += c;
  }
  return result;
}

TEST(Executors, AllGiveTheSamePosteriorAndTheSameRecords) {
  const Workplace place;
  const std::string built = EPSFREE_EXECUTORS;
  const std::pair<std::string, std::string> kinds[] = {
      {"plugin", "plugin = \"" + built + "/executor_plugin.so\""},
      {"worker", "worker = [\"" + built + "/executor_worker\"]"},
      {"command", "command = [\"" + built + "/executor_command\", \"{theta}\", \"{seed}\"]"}};

  // In this process, by the library.
  ProblemSpec spec = parse_problem(problem_of(kinds[0].second), "p.toml");
  spec.problem.simulator =
      function_simulator(2, 2, [](const Eigen::VectorXd& theta, Stream& stream) {
        Eigen::VectorXd x(2);
        if (!executors::simulate(theta.data(), stream.bits64(), x.data())) x.resize(0);
        return x;
      });
  save_posterior(*infer(spec.problem, spec.options).posterior, place.file("here.json"));
  const std::string posterior = place.read("here.json");

  std::string records;
  for (const auto& [kind, simulator] : kinds) {
    place.write(kind + ".toml", problem_of(simulator));
    for (const char* threads : {"1", "2", "3", "7"}) {
      const std::string out = kind + threads;
      const Outcome run = place.run({"run", kind + ".toml", "--out", out, "--threads", threads,
                                     "--record", "always", "--chunk", threads, "--quiet"});
      ASSERT_EQ(run.code, 0) << run.err;
      EXPECT_EQ(place.read(out + "/posterior.json"), posterior) << out;
      const Outcome exported = place.run({"export", out, "--format", "csv"});
      ASSERT_EQ(exported.code, 0) << exported.err;
      const std::string exported_records = without_seconds(exported.out);
      EXPECT_EQ(exported_records.rfind("replicate,purpose,round,index,status,attempts,,", 0), 0u)
          << exported_records;
      if (records.empty()) records = exported_records;
      EXPECT_EQ(exported_records, records) << out;
    }
  }
  EXPECT_NE(records.find("invalid"), std::string::npos) << "the corner was met:\n" << records;
}

}  // namespace
}  // namespace epsfree::cli
