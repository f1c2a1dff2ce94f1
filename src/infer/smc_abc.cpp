// Population Monte Carlo for ABC: Beaumont, Cornuet, Marin & Robert (2009), with the adaptive
// weights of Bonassi & West (2015).
#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>
#include <optional>
#include <utility>
#include <vector>

#include "base/number_text.hpp"
#include "base/parallel.hpp"
#include "epsfree/effective_size.hpp"
#include "epsfree/error.hpp"
#include "infer/abc_methods.hpp"
#include "infer/abc_sample.hpp"
#include "infer/accepted_in_order.hpp"
#include "infer/coordinates.hpp"
#include "infer/population.hpp"

namespace epsfree {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr Index kLargestBlock = 65536;
constexpr Index kSmallestBlock = 64;
constexpr double kShareOfFirstBlock = 0.8;
// Draws of one proposal until it lies in the prior's support.
constexpr int kMostDraws = 1000;
// A target of which the schedule comes this near is taken at once.
constexpr double kNearTarget = 1 + 1e-9;

class SmcRun {
 public:
  explicit SmcRun(InferenceRun& run)
      : run_(run),
        options_(run.options().smc),
        size_(options_.population_of(run.options().num_simulations)),
        distance_(make_distance(run)) {}

  InferResult result() {
    RoundSummary round = first_population();
    describe_sample(run_.prior(), now_.sample, now_.effective_size, round);
    while (may_go_on()) {
      const double epsilon = next_epsilon();
      if (!(epsilon < now_.sample.epsilon)) {
        run_.warn("epsilon cannot fall below " + number_text(now_.sample.epsilon) +
                  ": the accepted distances are all alike");
        break;
      }
      RoundSummary next = new_round("population", ++number_);
      if (!next_population(epsilon, next)) {
        lost_ = next;
        break;
      }
      run_.finish_round(std::exchange(round, std::move(next)));
      describe_sample(run_.prior(), now_.sample, now_.effective_size, round);
    }
    explain_end();
    return finish_abc(run_, now_.sample, now_.effective_size, std::move(round));
  }

 private:
  Key key() const {
    return {.purpose = Purpose::simulation, .round = static_cast<std::uint32_t>(number_)};
  }
  /// From the prior: what lies within the first epsilon, or the nearest of so many simulations.
  RoundSummary first_population() {
    RoundSummary round = new_round("population", ++number_);
    const bool given = options_.initial_epsilon > 0;
    const double share = options_.schedule == EpsilonSchedule::quantile ? options_.quantile : 0.5;
    const Index wanted =
        given ? 2 * size_ : static_cast<Index>(std::ceil(static_cast<double>(size_) / share));
    if (!given && wanted > run_.budget_left()) {
      throw Error(ErrorKind::stopped,
                  "the first population needs " + std::to_string(wanted) +
                      " simulations and the budget leaves " + std::to_string(run_.budget_left()) +
                      "; raise method.num_simulations or lower method.smc.population");
    }
    AcceptedInOrder accepted(size_, given ? options_.initial_epsilon : kInfinity);
    Index first = 0;
    while (accepted.size() < size_ || first == 0) {
      const Index block = std::min((wanted + kDrawnTogether - 1) / kDrawnTogether * kDrawnTogether,
                                   given ? run_.budget_left() : wanted);
      if (block <= 0) explain_first(accepted, first);
      const Eigen::MatrixXd thetas =
          draw_from_prior(run_.prior(), run_.options().seed, 1, first, block, run_.num_threads());
      Key from = key();
      from.index = static_cast<std::uint64_t>(first);
      const SimulationResults results = run_.simulate(thetas, from, round);
      if (first == 0) {
        run_.require_usable(results, thetas, from, 1, "first population");
        const std::string warning = distance_warning(run_, results.statistics);
        if (!warning.empty()) run_.warn(warning);
      }
      const Eigen::VectorXd distances =
          distance_.of_columns(results.statistics, run_.num_threads());
      first += block;
      if (given) {
        accepted.take(thetas, results.statistics, distances);
        continue;
      }
      std::vector<double> sorted(distances.begin(), distances.end());
      const auto at = sorted.begin() + std::min<Index>(size_, block) - 1;
      std::nth_element(sorted.begin(), at, sorted.end());
      accepted.set_epsilon(*at < kInfinity ? *at : std::numeric_limits<double>::max());
      accepted.take(thetas, results.statistics, distances);
      if (accepted.size() < size_) explain_first(accepted, first);
    }
    now_.sample = accepted.sample();
    now_.sample.weights.setConstant(size_, 1 / static_cast<double>(size_));
    now_.z = coordinates_of(run_.prior(), now_.sample.thetas);
    now_.effective_size = static_cast<double>(size_);
    round.acceptance_rate = static_cast<double>(size_) / static_cast<double>(first);
    return round;
  }

  /// Proposals are accepted in their order, whatever the time each takes, and simulated in blocks
  /// whose sizes depend on outcomes alone. Whether the population was completed.
  bool next_population(double epsilon, RoundSummary& round) {
    const bool uneven = now_.effective_size < options_.resample_below * static_cast<double>(size_);
    Stream stream(run_.options().seed,
                  {.purpose = Purpose::resampling, .round = static_cast<std::uint32_t>(number_)});
    const std::optional<PopulationKernel> kernel = PopulationKernel::around(
        uneven ? now_.resampled(stream) : now_, options_.adaptive_weights, run_.problem().observed);
    if (!kernel) {
      run_.warn(
          "the population has collapsed to too few different parameters; raise "
          "method.smc.population");
      return false;
    }
    AcceptedInOrder accepted(size_, epsilon);
    round.epsilon = epsilon;
    double rate = last_rate_;
    Index first = 0;
    while (accepted.size() < size_) {
      const double missing = static_cast<double>(size_ - accepted.size());
      // What is simulated beyond the last that is accepted is lost: the first block is for most of
      // the population by the rate of the one before, the others for the rest by their own.
      const double share = first == 0 ? kShareOfFirstBlock : 1;
      const Index wanted = std::clamp(static_cast<Index>(std::ceil(share * missing / rate)),
                                      kSmallestBlock, kLargestBlock);
      const Index block = std::min(wanted, run_.budget_left());
      if (block <= 0) return false;
      simulate_block(*kernel, first, block, accepted, round);
      first += block;
      rate = (static_cast<double>(accepted.size()) + 1) / (static_cast<double>(first) + 1);
      round.acceptance_rate = static_cast<double>(accepted.size()) / static_cast<double>(first);
      // So many proposals that the whole population cannot reach the smallest rate any more.
      const double most = static_cast<double>(size_) / options_.min_acceptance;
      if (accepted.size() < size_ && static_cast<double>(first) >= most) {
        too_few_accepted_ = true;
        return false;
      }
    }
    last_rate_ = static_cast<double>(size_) / static_cast<double>(accepted.num_tried());
    round.acceptance_rate = last_rate_;
    const AbcSample sample = accepted.sample();
    const Eigen::VectorXd log_weights = weigh(*kernel, sample);
    const double top = log_weights.maxCoeff();
    if (!std::isfinite(top)) {
      run_.warn(
          "all weights of population " + std::to_string(number_) +
          " are zero: the prior's density (log_prob) is zero or not finite there, although it "
          "was drawn from; correct it");
      return false;
    }
    now_.sample = sample;
    now_.sample.weights = (log_weights.array() - top).exp();
    now_.sample.weights /= now_.sample.weights.sum();
    now_.z = coordinates_of(run_.prior(), sample.thetas);
    now_.effective_size = effective_size(now_.sample.weights);
    return true;
  }

  void simulate_block(const PopulationKernel& kernel, Index first, Index block,
                      AcceptedInOrder& accepted, RoundSummary& round) {
    Eigen::MatrixXd thetas(run_.prior().dim(), block);
    std::vector<char> inside(static_cast<std::size_t>(block), 0);
    parallel_for(run_.num_threads(), static_cast<std::size_t>(block), kSmallestBlock,
                 [&](std::size_t begin, std::size_t end) {
                   for (std::size_t i = begin; i < end; ++i) {
                     const Index index = first + static_cast<Index>(i);
                     inside[i] = propose(kernel, index, thetas.col(static_cast<Index>(i)));
                   }
                 });
    std::vector<Index> offsets, columns;
    for (Index i = 0; i < block; ++i) {
      if (inside[static_cast<std::size_t>(i)] == 0) continue;
      columns.push_back(i);
      offsets.push_back(first + i);
    }
    if (columns.empty()) return;
    const Eigen::MatrixXd chosen = thetas(Eigen::all, columns);
    const SimulationResults results = run_.simulate(chosen, key(), round, offsets);
    accepted.take(chosen, results.statistics,
                  distance_.of_columns(results.statistics, run_.num_threads()));
  }

  /// From the kernel on the prior's support: a whole new draw where one lies outside, which leaves
  /// the density as it is there but for a constant. Outside, nothing is simulated.
  bool propose(const PopulationKernel& kernel, Index index,
               Eigen::Ref<Eigen::VectorXd> theta) const {
    Stream stream(run_.options().seed, {.purpose = Purpose::population,
                                        .round = static_cast<std::uint32_t>(number_),
                                        .index = static_cast<std::uint64_t>(index)});
    const Support support = run_.prior().coordinate_support();
    for (int i = 0; i < kMostDraws; ++i) {
      const Eigen::VectorXd z = kernel.draw(stream);
      if (!support.contains(z)) continue;
      theta = run_.prior().from_coordinates(z);
      if (run_.prior().contains(theta)) return true;
    }
    return false;
  }

  /// log of prior / kernel, both as densities of z.
  Eigen::VectorXd weigh(const PopulationKernel& kernel, const AbcSample& sample) const {
    const Eigen::MatrixXd z = coordinates_of(run_.prior(), sample.thetas);
    Eigen::VectorXd log_weights(z.cols());
    parallel_for(run_.num_threads(), static_cast<std::size_t>(z.cols()), 16,
                 [&](std::size_t begin, std::size_t end) {
                   for (auto i = static_cast<Index>(begin); i < static_cast<Index>(end); ++i) {
                     const double value =
                         log_prior_density(run_.prior(), z.col(i)) - kernel.log_density(z.col(i));
                     log_weights[i] = std::isnan(value) ? -kInfinity : value;
                   }
                 });
    return log_weights;
  }

  double next_epsilon() const {
    double epsilon = options_.decay * now_.sample.epsilon;
    if (options_.schedule == EpsilonSchedule::quantile) {
      const WeightedSamples distances(now_.sample.distances.transpose(),
                                      now_.sample.weights.array().log());
      epsilon = distances.quantile(0, options_.quantile);
    }
    return epsilon < kNearTarget * options_.epsilon ? options_.epsilon : epsilon;
  }

  bool reached() const { return options_.epsilon > 0 && now_.sample.epsilon <= options_.epsilon; }

  bool may_go_on() {
    if (reached() || number_ >= options_.max_populations || run_.budget_left() <= 0) return false;
    return options_.max_seconds <= 0 || !time_is_over();
  }

  /// What the clock says is decided once, and read back when the run is repeated.
  bool time_is_over() {
    const std::string name = "smc/time/" + std::to_string(number_);
    const auto seed = run_.options().seed;
    if (const auto before = run_.memory().recall(name, seed)) return *before == "over";
    const std::chrono::duration<double> passed = std::chrono::steady_clock::now() - start_;
    const bool over = passed.count() > options_.max_seconds;
    run_.memory().remember(name, seed, over ? "over" : "go on");
    if (over)
      run_.warn("stopped after method.smc.max_seconds, in population " + std::to_string(number_));
    return over;
  }

  [[noreturn]] void explain_first(const AcceptedInOrder& accepted, Index simulated) const {
    std::string message = "only " + std::to_string(accepted.size()) + " of " +
                          std::to_string(simulated) + " simulations from the prior ";
    message +=
        options_.initial_epsilon > 0
            ? "came within method.smc.initial_epsilon = " + number_text(options_.initial_epsilon) +
                  " (the nearest was " + number_text(accepted.nearest()) + " away)"
            : "were usable";
    throw Error(ErrorKind::stopped,
                message + ", and a population needs " + std::to_string(size_) +
                    ". Raise initial_epsilon or method.num_simulations, or lower "
                    "method.smc.population");
  }

  void explain_end() {
    if (too_few_accepted_) {
      run_.warn("population " + std::to_string(number_) + " was given up: fewer than " +
                number_text(100 * options_.min_acceptance) +
                "% of its proposals (method.smc.min_acceptance) came within " +
                number_text(lost_->epsilon));
    }
    if (run_.summary().rounds.empty() && !reached() && run_.budget_left() <= 0) {
      run_.warn(
          "the budget was spent with the first population, which is nearly the prior; raise "
          "method.num_simulations or lower method.smc.population");
    }
    if (options_.epsilon > 0 && !reached()) {
      run_.warn("epsilon is " + number_text(now_.sample.epsilon) + ", not the " +
                number_text(options_.epsilon) +
                " of method.smc.epsilon; raise method.num_simulations, lower min_acceptance or "
                "raise max_populations, or accept a larger epsilon");
    }
  }

  InferenceRun& run_;
  const SmcOptions& options_;
  const Index size_;
  const Distance distance_;
  Population now_;
  int number_ = 0;
  double last_rate_ = 0.5;
  bool too_few_accepted_ = false;
  std::optional<RoundSummary> lost_;  // the population that was not completed
  const std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

}  // namespace

InferResult smc_abc(InferenceRun& run) { return SmcRun(run).result(); }

}  // namespace epsfree
