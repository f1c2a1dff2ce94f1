// Simulators of the zoo (zoo.cpp), and running them.
#pragma once

#include <Eigen/Core>
#include <string>
#include <vector>

#include "epsfree/process_simulators.hpp"
#include "epsfree/runner.hpp"
#include "processes.hpp"
#include "toy_simulator.h"

namespace epsfree {

inline CommandOptions zoo_command(const std::string& mode, const ProcessMark& mark) {
  return {.process = {.num_parameters = TOY_PARAMETERS,
                      .num_statistics = TOY_STATISTICS,
                      .argv = {EPSFREE_ZOO, mode, "{seed}", "{theta}"},
                      .environment = {mark.variable()},
                      .grace_seconds = 0.3}};
}

inline WorkerOptions zoo_worker(const std::string& mode, const ProcessMark& mark) {
  return {.process = {.num_parameters = TOY_PARAMETERS,
                      .num_statistics = TOY_STATISTICS,
                      .argv = {EPSFREE_ZOO, "worker", mode},
                      .environment = {mark.variable()},
                      .grace_seconds = 0.3},
          .startup_seconds = 20};
}

/// The same as the zoo's good ones, in this process.
inline SimulatorPtr toy_function() {
  return function_simulator(TOY_PARAMETERS, TOY_STATISTICS,
                            [](const Eigen::VectorXd& theta, Stream& stream) {
                              Eigen::VectorXd x(TOY_STATISTICS);
                              toy_simulate(theta.data(), stream.bits64(), x.data());
                              return x;
                            });
}

/// Parameters that need all their digits, with those of `bad` negative.
inline Eigen::MatrixXd toy_thetas(Index count, const std::vector<Index>& bad = {}) {
  Eigen::MatrixXd thetas(TOY_PARAMETERS, count);
  Stream stream(11);
  for (double& value : thetas.reshaped()) value = stream.uniform() / 3;
  for (const Index i : bad) thetas(0, i) *= -1;
  return thetas;
}

/// How one simulation ended, and what it said.
struct ZooOutcome {
  SimStatus status;
  std::string message;
  double seconds;
};

inline ZooOutcome simulate_once(const Simulator& simulator, bool bad = true,
                                std::stop_token stop = {}) {
  const Eigen::MatrixXd theta = bad ? toy_thetas(1, {0}) : toy_thetas(1);
  std::vector<Stream> streams = {Stream(1)};
  std::vector<SimStatus> statuses = {SimStatus::lost};
  std::vector<std::string> messages(1);
  Eigen::MatrixXd x(TOY_STATISTICS, 1);
  const auto start = std::chrono::steady_clock::now();
  simulator.simulate_in({messages, std::move(stop)}, theta, streams, x, statuses);
  const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
  return {statuses[0], messages[0], seconds.count()};
}

}  // namespace epsfree
