#include <gtest/gtest.h>

#include <cstdlib>

#include "simulate/process/nursery.hpp"
#include "support/contains.hpp"
#include "support/error_of.hpp"
#include "zoo.hpp"

namespace epsfree {
namespace {

SimulatorPtr python(const std::string& function, const ProcessMark& mark, double limit = 0) {
  return worker_simulator(
      {.process = {.num_parameters = TOY_PARAMETERS,
                   .num_statistics = TOY_STATISTICS,
                   .argv = python_worker_argv("toy_simulator:" + function),
                   .directory = EPSFREE_SOURCE_DIR "/tests/simulate",
                   .environment = {mark.variable(), {"PYTHONDONTWRITEBYTECODE", "1"}},
                   .time_limit_seconds = limit,
                   .grace_seconds = 1}});
}

TEST(PythonWorker, GivesWhatAFunctionGives) {
  const ProcessMark mark;
  const Eigen::MatrixXd thetas = toy_thetas(50);
  const SimulationResults function = ThreadRunner(1).run({*toy_function(), thetas, 3});
  const SimulationResults results = ThreadRunner(RunnerOptions{.num_threads = 1, .chunk = 10})
                                        .run({*python("simulate", mark), thetas, 3});
  EXPECT_EQ(results.num_ok(), 50) << results.first_failure;
  EXPECT_EQ(results.statistics, function.statistics);
  EXPECT_TRUE(mark.wait_for(0));
}

TEST(PythonWorker, RepeatsWithTheSameSeedHoweverItIsTaken) {
  const ProcessMark mark;
  const Eigen::MatrixXd thetas = toy_thetas(1).replicate(1, 3);
  for (const char* name : {"with_generator", "of_theta_alone", "keyword_only"}) {
    const SimulatorPtr simulator = python(name, mark);
    const SimulationResults one = ThreadRunner(1).run({*simulator, thetas, 3});
    if (one.first_failure.find("numpy is not installed") != std::string::npos) continue;
    const SimulationResults two = ThreadRunner(1).run({*simulator, thetas, 3});
    EXPECT_EQ(one.num_ok(), 3) << one.first_failure;
    EXPECT_EQ(one.statistics, two.statistics) << name;
    EXPECT_NE(one.statistics(2, 0), one.statistics(2, 1)) << name;
    EXPECT_NE(one.statistics(2, 1), one.statistics(2, 2)) << name;
  }
}

TEST(PythonWorker, TellsFailuresFromInvalidity) {
  const ProcessMark mark;
  const auto outcome = [&](const char* name) { return simulate_once(*python(name, mark)); };
  EXPECT_EQ(outcome("raises").status, SimStatus::failed);
  EXPECT_CONTAINS(outcome("raises").message, "ValueError: no such thing");
  EXPECT_EQ(outcome("returns_none").status, SimStatus::invalid);
  EXPECT_EQ(outcome("returns_nan").status, SimStatus::invalid);
  EXPECT_EQ(outcome("returns_two").status, SimStatus::failed);
  EXPECT_CONTAINS(outcome("exits").message, "exited with code 3");
  EXPECT_CONTAINS(outcome("needs_two").message, "seed, other besides theta");
  EXPECT_CONTAINS(outcome("no_such_function").message, "no_such_function");
  EXPECT_EQ(simulate_once(*python("sleeps", mark, 0.3)).status, SimStatus::timeout);
  EXPECT_TRUE(mark.wait_for(0));
}

TEST(PythonWorker, ChecksTheTarget) {
  for (const char* target : {"", "module", ":f", "m:", "a:b:c", "a b:c", "dir/m:f"}) {
    EXPECT_CONTAINS(error_of(ErrorKind::input, [&] { python_worker_argv(target); }),
                    "module:function");
  }
  ::setenv("EPSFREE_WORKER_PY", "/no/such/shim.py", 1);
  EXPECT_CONTAINS(error_of(ErrorKind::io, [] { python_worker_argv("m:f"); }), "/no/such/shim.py");
  ::unsetenv("EPSFREE_WORKER_PY");
}

#ifdef EPSFREE_TOY_WORKER
TEST(CWorker, GivesWhatAFunctionGives) {
  const Eigen::MatrixXd thetas = toy_thetas(20);
  const SimulationResults function = ThreadRunner(1).run({*toy_function(), thetas, 3});
  const SimulatorPtr worker = worker_simulator({.process = {.num_parameters = TOY_PARAMETERS,
                                                            .num_statistics = TOY_STATISTICS,
                                                            .argv = {EPSFREE_TOY_WORKER}}});
  const SimulationResults results = ThreadRunner(1).run({*worker, thetas, 3});
  EXPECT_EQ(results.statistics, function.statistics) << results.first_failure;
}
#endif

}  // namespace
}  // namespace epsfree
