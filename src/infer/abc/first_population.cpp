#include "infer/abc/first_population.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <string>
#include <vector>

#include "base/number_text.hpp"
#include "base/order_statistics.hpp"
#include "epsfree/error.hpp"
#include "infer/abc/accepted_in_order.hpp"
#include "prob/log_sum_exp.hpp"

namespace epsfree {
namespace {

constexpr Index kLargestBlock = 65536;

}  // namespace

FirstPopulation::Drawn FirstPopulation::draw(Index first, Index count) {
  Drawn drawn;
  drawn.thetas =
      draw_from_prior(run_.prior(), run_.options().seed, 1, first, count, run_.num_threads());
  Key from{.purpose = Purpose::simulation, .round = 1};
  from.index = static_cast<std::uint64_t>(first);
  const SimulationResults results = run_.simulate(drawn.thetas, from, round_, DrawnFrom::prior);
  if (first == 0) {
    run_.require_usable(results, drawn.thetas, from, 1, "first population");
    const std::string warning = distance_warning(run_, results.statistics);
    if (!warning.empty()) run_.warn(warning);
  }
  drawn.statistics = results.statistics;
  drawn.distances = distance_.of_columns(drawn.statistics, run_.num_threads());
  return drawn;
}

AbcSample FirstPopulation::within_first_epsilon() {
  AcceptedInOrder accepted(size_, options_.initial_epsilon);
  const Index usual = (2 * size_ + kDrawnTogether - 1) / kDrawnTogether * kDrawnTogether;
  for (Index first = 0; accepted.size() < size_;) {
    const Index block = std::min(usual, run_.budget_left());
    if (block <= 0) {
      throw Error(ErrorKind::stopped,
                  "only " + std::to_string(accepted.size()) + " of " + std::to_string(first) +
                      " simulations from the prior came within method.smc.initial_epsilon = " +
                      number_text(options_.initial_epsilon) + " (the nearest was " +
                      number_text(accepted.nearest()) + " away), and a population needs " +
                      std::to_string(size_) +
                      ". Raise initial_epsilon or method.num_simulations, or lower "
                      "method.smc.population");
    }
    const Drawn drawn = draw(first, block);
    accepted.take(drawn.thetas, drawn.statistics, drawn.distances);
    first += block;
  }
  return accepted.sample();
}

AbcSample FirstPopulation::nearest() {
  const double share = options_.schedule == EpsilonSchedule::quantile ? options_.quantile : 0.5;
  const auto wanted = static_cast<Index>(std::ceil(static_cast<double>(size_) / share));
  if (wanted > run_.budget_left()) {
    throw Error(ErrorKind::stopped,
                "the first population needs " + std::to_string(wanted) +
                    " simulations (method.smc.population over method.smc.quantile) and the "
                    "budget leaves " +
                    std::to_string(run_.budget_left()) +
                    "; raise method.num_simulations or lower method.smc.population");
  }
  std::vector<Drawn> blocks;
  std::vector<double> usable;
  for (Index first = 0; std::ssize(usable) < wanted && run_.budget_left() > 0;) {
    // Where simulations are invalid it takes more of them.
    const double missing = static_cast<double>(wanted - std::ssize(usable));
    const double rate =
        static_cast<double>(std::ssize(usable) + 1) / static_cast<double>(first + 1);
    const Index more =
        first == 0 ? wanted
                   : std::clamp(static_cast<Index>(missing / rate), kDrawnTogether, kLargestBlock);
    blocks.push_back(draw(first, std::min(more, run_.budget_left())));
    const Drawn& drawn = blocks.back();
    std::copy_if(drawn.distances.begin(), drawn.distances.end(), std::back_inserter(usable),
                 [](double distance) { return distance < kInfinity; });
    if (usable.empty()) explain_infinite_distances(round_.simulations.total());
    first = (first + drawn.distances.size() + kDrawnTogether - 1) / kDrawnTogether * kDrawnTogether;
  }
  if (std::ssize(usable) < size_) {
    throw Error(ErrorKind::stopped,
                "only " + std::to_string(usable.size()) + " of " +
                    std::to_string(round_.simulations.total()) +
                    " simulations from the prior were usable, and a population needs " +
                    std::to_string(size_) +
                    ". Raise method.num_simulations, lower method.smc.population, or narrow the "
                    "prior to where the simulator works");
  }
  AcceptedInOrder accepted(size_, nth_smallest(usable, static_cast<std::size_t>(size_ - 1)));
  for (const Drawn& drawn : blocks) {
    accepted.take(drawn.thetas, drawn.statistics, drawn.distances);
  }
  return accepted.sample();
}

}  // namespace epsfree
