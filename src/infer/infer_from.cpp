// Learning from simulations that have been made already.
#include <chrono>

#include "base/numerics.hpp"
#include "epsfree/error.hpp"
#include "epsfree/infer.hpp"
#include "infer/inference_run.hpp"
#include "infer/local/auto_method.hpp"
#include "infer/local/simulation_pool.hpp"
#include "infer/mdn/estimator_posterior.hpp"
#include "infer/mdn/network_run.hpp"
#include "infer/methods.hpp"

namespace epsfree {
namespace {

constexpr Index kFewest = 10;
// Weights below this effective share mean that most simulations count for nothing.
constexpr double kSmallShare = 0.1;

/// There is nothing to run.
class NoRunner final : public Runner {
 public:
  SimulationResults run(const SimulationRequest&) override {
    throw Error(ErrorKind::internal, "infer_from: a simulation was asked for");
  }
  int num_threads() const override { return 1; }
};

SimulatedPairs pairs_of(const SimulationSet::Part& part, const Prior& prior) {
  SimulatedPairs pairs{part.thetas, part.statistics};
  if (prior.coordinates_are_identity()) return pairs;
  for (Index i = 0; i < pairs.size(); ++i) {
    pairs.coordinates.col(i) = prior.to_coordinates(part.thetas.col(i));
  }
  return pairs;
}

SimulationPool pool_of(const SimulationSet& simulations) {
  SimulationPool pool(simulations.prior());
  for (const SimulationSet::Part& part : simulations.parts()) {
    pool.add_from(part.proposal, pairs_of(part, *simulations.prior()));
  }
  return pool;
}

InferResult train_network(InferenceRun& run, const SimulationPool& pool, bool weighted,
                          bool observed) {
  const auto& options = std::get<MdnWithPriorOptions>(run.options().method);
  SimulatedPairs pairs{pool.coordinates(), pool.statistics()};
  if (weighted) {
    pairs.weights = pool.weights_towards(LocalTarget::of_prior(run.prior()));
    const double sum = pairs.weights.sum();
    const double effective = sum * sum / pairs.weights.squaredNorm();
    pairs.weights *= static_cast<double>(pairs.size()) / sum;
    if (effective < kSmallShare * static_cast<double>(pairs.size())) {
      run.warn("weighted by prior over proposals, " + std::to_string(pairs.size()) +
               " simulations count as " + std::to_string(static_cast<long>(effective)) +
               "; a fit at the observation (method \"auto\") uses them better");
    }
  }
  run.scale_statistics(pairs.statistics);
  RoundSummary round = new_round("final", 1);
  std::shared_ptr<Network> network = make_network(run, options.network);
  run.train(*network, pairs, options.training, round);
  InferResult result;
  result.estimator = run.make_estimator(network, Proposal{}, pairs.size());
  if (observed) {
    CorrectedPosterior answer = corrected_posterior(*result.estimator, run.problem().observed);
    for (const std::string& warning : answer.warnings) run.warn(warning);
    result.posterior = answer.posterior;
  }
  run.finish_round(std::move(round));
  return result;
}

}  // namespace

InferResult infer_from(const SimulationSet& simulations, const Eigen::VectorXd& observed,
                       const std::vector<std::string>& names, const InferOptions& options,
                       Observer* observer) {
  options.validate();
  pin_numerics();
  const auto start = std::chrono::steady_clock::now();
  const bool is_network = std::holds_alternative<MdnWithPriorOptions>(options.method);
  if (!method_of(options).learns_from_given) {
    throw Error(ErrorKind::usage, "method \"" + method_name(options.method) +
                                      "\" chooses its own simulations; from given ones learn "
                                      "\"auto\" and \"mdn-with-prior\"");
  }
  if (simulations.size() < kFewest) {
    throw Error(ErrorKind::stopped, "there are " + std::to_string(simulations.size()) +
                                        " usable simulations; at least " + std::to_string(kFewest) +
                                        " are needed");
  }
  if (!(observed.size() == simulations.num_statistics() || (is_network && observed.size() == 0))) {
    throw Error(ErrorKind::input, "the observation has " + std::to_string(observed.size()) +
                                      " values, but the simulations have " +
                                      std::to_string(simulations.num_statistics()) + " statistics");
  }
  if (!observed.allFinite()) {
    throw Error(ErrorKind::input, "the observation holds a value that is not a finite number");
  }
  if (!names.empty() && static_cast<Index>(names.size()) != simulations.prior()->dim()) {
    throw Error(ErrorKind::input, "there are " + std::to_string(names.size()) + " names for " +
                                      std::to_string(simulations.prior()->dim()) + " parameters");
  }
  const SimulationPool pool = pool_of(simulations);
  Problem problem;
  problem.prior = simulations.prior();
  problem.observed = observed;
  problem.names = names;
  // A network for any observation has none of its own; a typical one takes its place in the file.
  if (observed.size() == 0) problem.observed = pool.statistics().rowwise().mean();
  NoRunner runner;
  InferenceRun run(problem, options, method_of(options), runner, observer);
  Summary& summary = run.summary();
  summary.simulations.by_status[static_cast<std::size_t>(SimStatus::ok)] =
      static_cast<long>(simulations.size());
  summary.simulations.by_status[static_cast<std::size_t>(SimStatus::invalid)] =
      simulations.num_dropped();
  InferResult result =
      is_network ? train_network(run, pool, !simulations.all_from_prior(), observed.size() > 0)
                 : auto_fit(run, pool);
  summary.finished = true;
  summary.total_seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  result.summary = std::move(summary);
  return result;
}

}  // namespace epsfree
