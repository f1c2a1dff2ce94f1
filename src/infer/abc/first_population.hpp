// Where SMC-ABC begins.
#pragma once

#include "infer/abc/abc_run.hpp"

namespace epsfree {

/// So many simulations from the prior that lie within method.smc.initial_epsilon, or the nearest of
/// as many usable ones as the schedule makes of them.
class FirstPopulation {
 public:
  FirstPopulation(InferenceRun& run, const Distance& distance, Index size, RoundSummary& round)
      : run_(run),
        options_(std::get<SmcOptions>(run.options().method)),
        distance_(distance),
        size_(size),
        round_(round) {}

  /// Without weights. Throws ErrorKind::stopped, with what to change, if there are too few.
  AbcSample sample() { return options_.initial_epsilon > 0 ? within_first_epsilon() : nearest(); }

 private:
  struct Drawn {
    Eigen::MatrixXd thetas, statistics;
    Eigen::VectorXd distances;
  };
  Drawn draw(Index first, Index count);
  AbcSample within_first_epsilon();
  AbcSample nearest();

  InferenceRun& run_;
  const SmcOptions& options_;
  const Distance& distance_;
  const Index size_;
  RoundSummary& round_;
};

}  // namespace epsfree
