#include "epsfree/infer.hpp"

#include <chrono>
#include <utility>

#include "base/numerics.hpp"
#include "infer/inference_run.hpp"
#include "infer/methods.hpp"

namespace epsfree {
namespace {

/// Says what dropping simulations means for the answer.
void explain_dropped(InferenceRun& run) {
  const SimulationCounts& counts = run.summary().simulations;
  const long faults = counts.num_faults();
  if (faults == 0) return;
  run.warn(std::to_string(faults) + " of " + std::to_string(counts.total()) +
           " simulations failed and were dropped; if failing depends on the parameters, the "
           "posterior is biased away from where it happens");
}

}  // namespace

InferResult infer(const Problem& problem, const InferOptions& options, Runner& runner,
                  Observer* observer, Journal* journal) {
  problem.validate();
  options.validate();
  pin_numerics();
  const auto start = std::chrono::steady_clock::now();
  const MethodEntry& method = method_of(options);
  InferenceRun run(problem, options, method, runner, observer, journal);
  InferResult result = method.run(run);
  explain_dropped(run);
  run.summarise_dropped();

  Summary& summary = run.summary();
  if (const std::optional<Estimate> mass = result.posterior->mass_on_support()) {
    summary.mass_on_support = mass->value;
    summary.mass_on_support_error = mass->standard_error;
  }
  summary.finished = true;
  summary.total_seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  result.summary = std::move(summary);
  return result;
}

InferResult infer(const Problem& problem, const InferOptions& options) {
  ThreadRunner runner;
  return infer(problem, options, runner);
}

}  // namespace epsfree
