// Population Monte Carlo for ABC: Beaumont, Cornuet, Marin & Robert (2009), with the adaptive
// weights of Bonassi & West (2015).
#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>
#include <optional>
#include <utility>
#include <vector>

#include "base/archive.hpp"
#include "base/fingerprint.hpp"
#include "base/number_text.hpp"
#include "base/parallel.hpp"
#include "epsfree/effective_size.hpp"
#include "epsfree/error.hpp"
#include "infer/abc/abc_methods.hpp"
#include "infer/abc/abc_run.hpp"
#include "infer/abc/accepted_in_order.hpp"
#include "infer/abc/first_population.hpp"
#include "infer/abc/population.hpp"
#include "infer/coordinates.hpp"
#include "prob/log_sum_exp.hpp"

namespace epsfree {
namespace {

constexpr Index kLargestSmcBlock = 65536;
constexpr Index kSimulatedTogether = 64;
// No fewer are the answer where the budget cuts a population short.
constexpr Index kFewestOfLast = 100;
constexpr double kShareOfFirstBlock = 0.8;
// Draws of one proposal until it lies in the prior's support.
constexpr int kMostDraws = 1000;
// A target of which the schedule comes this near is taken at once.
constexpr double kNearTarget = 1 + 1e-9;

class SmcRun {
 public:
  explicit SmcRun(InferenceRun& run)
      : run_(run),
        options_(std::get<SmcOptions>(run.options().method)),
        distance_(make_distance(run)),
        size_(options_.population_of(run.budget_left())) {}

  InferResult result() {
    RoundSummary round = first_population();
    describe_sample(run_.prior(), now_.sample, now_.effective_size, round);
    while (may_go_on()) {
      const double epsilon = next_epsilon();
      if (!(epsilon < now_.sample.epsilon)) {
        explain_equal_distances();
        break;
      }
      RoundSummary next = new_round("population", ++number_);
      if (!next_population(epsilon, next)) {
        lost_ = next;
        break;
      }
      ++num_populations_;
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
  RoundSummary first_population() {
    RoundSummary round = new_round("population", ++number_);
    now_.sample = FirstPopulation(run_, distance_, size_, round).sample();
    now_.sample.weights.setConstant(size_, 1 / static_cast<double>(size_));
    now_.z = coordinates_of(run_.prior(), now_.sample.thetas);
    now_.effective_size = static_cast<double>(size_);
    round.acceptance_rate =
        static_cast<double>(size_) / static_cast<double>(round.simulations.total());
    return round;
  }

  /// Proposals are accepted in their order, whatever the time each takes, and simulated in blocks
  /// whose sizes depend on outcomes alone. Whether the population, or enough of it, is the new one.
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
                                      smallest_block(), kLargestSmcBlock);
      const Index block = std::min(wanted, run_.budget_left());
      if (block <= 0) {
        if (accepted.size() < std::max(size_ / 2, kFewestOfLast)) {
          explain_cut_short(accepted.size(), round);
          return false;
        }
        break;
      }
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
    last_rate_ = static_cast<double>(accepted.size()) / static_cast<double>(accepted.num_tried());
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
    // What is accepted of any number of proposals is a fair sample: the last population may be a
    // smaller one.
    if (accepted.size() < size_) {
      run_.warn("the budget ended with " + std::to_string(accepted.size()) + " of the " +
                std::to_string(size_) + " parameters of population " + std::to_string(number_) +
                ", which are the answer; raise method.num_simulations for all of them");
    }
    return true;
  }

  void explain_cut_short(Index num_accepted, const RoundSummary& round) {
    run_.warn("population " + std::to_string(number_) + " is not part of the answer: of its " +
              std::to_string(round.simulations.total()) + " simulations " +
              std::to_string(num_accepted) + " came within " + number_text(round.epsilon) +
              ", and then the budget was spent; raise method.num_simulations");
  }

  /// Small enough not to lose much of a small population.
  Index smallest_block() const { return std::clamp<Index>(size_ / 4, 4, kSimulatedTogether); }

  void simulate_block(const PopulationKernel& kernel, Index first, Index block,
                      AcceptedInOrder& accepted, RoundSummary& round) {
    Eigen::MatrixXd thetas(run_.prior().dim(), block);
    std::vector<char> inside(static_cast<std::size_t>(block), 0);
    parallel_for(run_.num_threads(), static_cast<std::size_t>(block), kSimulatedTogether,
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
    const SimulationResults results =
        run_.simulate(chosen, key(), round, DrawnFrom::proposal, offsets);
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
    const double now = now_.sample.epsilon;
    double epsilon = options_.decay * now;
    if (options_.schedule == EpsilonSchedule::quantile) {
      const WeightedSamples distances(now_.sample.distances.transpose(),
                                      now_.sample.weights.array().log());
      epsilon = distances.quantile(0, options_.quantile);
      if (!(epsilon < now)) epsilon = largest_distance_below(now);
    }
    return epsilon < kNearTarget * options_.epsilon ? options_.epsilon : epsilon;
  }

  /// Where distances have few values, most of them may be epsilon itself. `bound` if all are.
  double largest_distance_below(double bound) const {
    double largest = -1;
    for (const double distance : now_.sample.distances) {
      if (distance < bound) largest = std::max(largest, distance);
    }
    return largest >= 0 ? largest : bound;
  }

  bool reached() const { return options_.epsilon > 0 && now_.sample.epsilon <= options_.epsilon; }

  bool may_go_on() {
    if (reached() || number_ >= options_.max_populations || run_.budget_left() <= 0) return false;
    return options_.max_seconds <= 0 || !time_is_over();
  }

  /// What the clock says is decided once, and read back when the run is repeated, with the time
  /// that had passed.
  bool time_is_over() {
    const std::string name = "smc/time/" + std::to_string(number_);
    Fingerprint inputs;
    inputs.add(run_.options().seed);
    inputs.add(run_.options().num_simulations);
    inputs.add(size_);
    inputs.add(options_.max_seconds);
    inputs.add(now_.sample.epsilon);
    const auto now = std::chrono::steady_clock::now();
    double passed = std::chrono::duration<double>(now - start_).count();
    if (const auto before = run_.memory().recall(name, inputs.value())) {
      ByteReader reader(*before);
      reader(passed);
      start_ = now - std::chrono::duration_cast<std::chrono::steady_clock::duration>(
                         std::chrono::duration<double>(passed));
    } else {
      ByteWriter writer;
      writer(passed);
      run_.memory().remember(name, inputs.value(), writer.bytes());
    }
    if (!(passed > options_.max_seconds)) return false;
    run_.warn("stopped after method.smc.max_seconds, in population " + std::to_string(number_));
    return true;
  }

  void explain_equal_distances() {
    const double epsilon = now_.sample.epsilon;
    if (epsilon == 0) return;  // nearer than that there is nothing
    run_.warn("epsilon cannot fall below " + number_text(epsilon) +
              ": the accepted distances are all alike");
  }

  std::string reason_to_end() const {
    if (too_few_accepted_) return "too few proposals were accepted (method.smc.min_acceptance)";
    if (reached()) return "method.smc.epsilon was reached";
    if (options_.max_populations > 0 && number_ >= options_.max_populations) {
      return "the limit method.smc.max_populations was reached";
    }
    return "";
  }

  void explain_end() {
    if (run_.budget_left() > 0) run_.summary().unspent_because = reason_to_end();
    if (too_few_accepted_) {
      run_.warn("population " + std::to_string(number_) + " was given up: fewer than " +
                number_text(100 * options_.min_acceptance) +
                "% of its proposals (method.smc.min_acceptance) came within " +
                number_text(lost_->epsilon));
    }
    if (num_populations_ == 1 && !reached() && run_.budget_left() <= 0) {
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
  const Distance distance_;
  const Index size_;  // after what the distance's pilot run has spent
  Population now_;
  int number_ = 0;
  int num_populations_ = 1;  // that were completed
  double last_rate_ = 0.5;
  bool too_few_accepted_ = false;
  std::optional<RoundSummary> lost_;  // the population that was not completed
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

}  // namespace

InferResult smc_abc(InferenceRun& run) { return SmcRun(run).result(); }

}  // namespace epsfree
