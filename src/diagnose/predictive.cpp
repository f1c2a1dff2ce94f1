#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "base/numbered_names.hpp"
#include "base/numerics.hpp"
#include "base/order_statistics.hpp"
#include "base/require.hpp"
#include "base/words.hpp"
#include "diagnose/short_text.hpp"
#include "diagnose/two_sample/whitening.hpp"
#include "epsfree/diagnose.hpp"

namespace epsfree {
namespace {

// Fewer say nothing of a tail.
constexpr Index kFewestSimulations = 20;
constexpr Index kPredictiveNeighbours = 5;
// Statistics that a sentence names.
constexpr std::size_t kMostStatistics = 5;
constexpr double kPredictiveTail = 0.1;
// Of a tail that ends at once.
constexpr double kLeastTailIndex = 0.01;
// Of a sample's own simulations.
enum Origin : std::uint32_t { posterior_origin, prior_origin };

PredictiveSimulations simulate(const Problem& problem, const Eigen::MatrixXd& thetas,
                               std::uint64_t seed, Origin origin, Runner& runner,
                               Observer* observer) {
  pin_numerics();
  SimulationRequest request{.simulator = *problem.simulator,
                            .thetas = thetas,
                            .seed = seed,
                            .first = {.purpose = Purpose::predictive_simulation, .round = origin}};
  if (observer != nullptr) {
    request.progress = [&](long done, long bad) {
      return observer->on_simulation({.phase = "check",
                                      .round = static_cast<int>(origin),
                                      .num_rounds = 2,
                                      .done = done,
                                      .total = thetas.cols(),
                                      .num_bad = bad});
    };
  }
  const SimulationResults results = runner.run(request);
  if (results.interrupted) throw Error(ErrorKind::interrupted, "interrupted");
  const std::vector<Index> ok = results.ok_indices();
  return {thetas(Eigen::all, ok), results.statistics(Eigen::all, ok), thetas.cols()};
}

void check_sizes(const Eigen::Ref<const Eigen::VectorXd>& observed,
                 const PredictiveSimulations& simulations) {
  require(simulations.statistics.cols() == 0 || simulations.statistics.rows() == observed.size(),
          "the number of statistics of the simulations", simulations.statistics.rows(),
          "that of the observation, " + std::to_string(observed.size()));
}

/// Nothing can be said: a check that was not made does not pass.
Diagnosis too_few(Diagnosis diagnosis, const PredictiveSimulations& simulations) {
  diagnosis.value = std::numeric_limits<double>::quiet_NaN();
  diagnosis.meaning = "Only " + std::to_string(simulations.statistics.cols()) + " of " +
                      std::to_string(simulations.num_made) +
                      " simulations are valid, too few to compare the observation with.";
  diagnosis.advice = "Look at why simulations fail there, and make more of them.";
  judge_together(std::span(&diagnosis, 1));
  return diagnosis;
}

/// Each statistic of the observation among those of the simulations.
DiagnosisTable statistic_table(const Eigen::Ref<const Eigen::VectorXd>& observed,
                               const Eigen::MatrixXd& statistics, std::vector<std::string> names) {
  if (names.empty()) names = numbered_names("x", observed.size());
  DiagnosisTable table{"statistics",
                       {"observed", "5%", "median", "95%", "p-value"},
                       Eigen::MatrixXd(observed.size(), 5),
                       std::move(names)};
  const double n = static_cast<double>(statistics.cols());
  for (Index s = 0; s < observed.size(); ++s) {
    const std::vector<double> values = sorted_values(statistics.row(s));
    const auto below = std::upper_bound(values.begin(), values.end(), observed[s]) - values.begin();
    const auto above = values.end() - std::lower_bound(values.begin(), values.end(), observed[s]);
    const double tail = (1 + static_cast<double>(std::min(below, above))) / (1 + n);
    table.values.row(s) << observed[s], interpolated_quantile(values, 0.05),
        interpolated_quantile(values, 0.5), interpolated_quantile(values, 0.95),
        std::min(1.0, 2 * tail);
  }
  return table;
}

/// Mean distance of a column to those nearest to it.
double neighbour_distance(const Eigen::MatrixXd& points, Index of) {
  std::vector<double> squared;
  squared.reserve(static_cast<std::size_t>(points.cols()));
  for (Index i = 0; i < points.cols(); ++i) {
    if (i != of) squared.push_back((points.col(i) - points.col(of)).squaredNorm());
  }
  std::partial_sort(squared.begin(), squared.begin() + kPredictiveNeighbours, squared.end());
  double sum = 0;
  for (Index k = 0; k < kPredictiveNeighbours; ++k)
    sum += std::sqrt(squared[static_cast<std::size_t>(k)]);
  return sum / kPredictiveNeighbours;
}

/// The simulations and, as the last column, the observation. Scales that are learnt from all of
/// them treat all alike, so that the rank of the observation is exact where it is one of them.
Eigen::MatrixXd with_observed(const Eigen::MatrixXd& statistics,
                              const Eigen::Ref<const Eigen::VectorXd>& observed) {
  Eigen::MatrixXd all(statistics.rows(), statistics.cols() + 1);
  all << statistics, observed;
  return all;
}

/// How far each value lies from the median, in units of how far their 5% or 95% quantile does on
/// its side: a skewed statistic counts as any other.
Eigen::VectorXd robust_deviations(const Eigen::Ref<const Eigen::VectorXd>& values) {
  const std::vector<double> sorted = sorted_values(values);
  const double median = interpolated_quantile(sorted, 0.5);
  double below = median - interpolated_quantile(sorted, 0.05);
  double above = interpolated_quantile(sorted, 0.95) - median;
  // Most are equal to the median on one side, or on both.
  if (!(below > 0)) below = above;
  if (!(above > 0)) above = below;
  if (!(below > 0)) {
    below = above =
        std::max(std::sqrt((values.array() - median).square().mean()), least_scale(median));
  }
  return (values.array() < median)
      .select((median - values.array()) / below, (values.array() - median) / above);
}

/// How improbable each deviation is in the tail of all of them, which goes on as their largest
/// tenth does (Hill 1975), as minus its log probability: without it one statistic with a heavy tail
/// would hide what happens in all others.
Eigen::VectorXd tail_scores(const Eigen::Ref<const Eigen::VectorXd>& deviations) {
  const std::vector<double> sorted = sorted_values(deviations);
  const double from = interpolated_quantile(sorted, 1 - kPredictiveTail);
  if (!(from > 0)) return deviations;  // most are equal
  double sum = 0;
  int count = 0;
  for (const double each : sorted) {
    if (each <= from) continue;
    sum += std::log(each / from);
    ++count;
  }
  const double index = count == 0 ? kLeastTailIndex : std::max(sum / count, kLeastTailIndex);
  Eigen::VectorXd scores(deviations.size());
  for (Index i = 0; i < scores.size(); ++i) {
    const double times = deviations[i] / from;
    scores[i] = times <= 1 ? -std::log(kPredictiveTail) * times
                           : -std::log(kPredictiveTail) + std::log(times) / index;
  }
  return scores;
}

/// A sentence that names the statistics, besides the farthest, that lie farther out than the
/// farthest statistic of 95% of all simulations; empty where there are none.
std::string others_that_stand_out(const Eigen::VectorXd& own, const Eigen::VectorXd& largest,
                                  const std::vector<std::string>& names) {
  const std::vector<double> sorted = sorted_values(largest);
  const double limit = interpolated_quantile(sorted, 0.95);
  std::vector<Index> order;
  for (Index s = 0; s < own.size(); ++s) {
    if (own[s] > limit) order.push_back(s);
  }
  if (order.size() < 2) return {};
  std::stable_sort(order.begin(), order.end(), [&](Index a, Index b) { return own[a] > own[b]; });
  const std::size_t end = std::min(order.size(), kMostStatistics + 1);
  std::string text = joined(std::span(order).subspan(1, end - 1), ", ",
                            [&](Index s) { return names[static_cast<std::size_t>(s)]; });
  if (order.size() > kMostStatistics + 1) {
    text += " and " + std::to_string(order.size() - kMostStatistics - 1) + " more";
  }
  return " Besides it stand out: " + text + ".";
}

DiagnosisTable distance_table(const Eigen::VectorXd& distances) {
  return {"distances", {"distance"}, distances};
}
DiagnosisTable own_distance_table(double distance) {
  return {"distance of the observation", {"distance"}, Eigen::MatrixXd::Constant(1, 1, distance)};
}

}  // namespace

PredictiveSimulations simulate_posterior(const Problem& problem, const Posterior& posterior,
                                         Index count, std::uint64_t seed, Runner& runner,
                                         Observer* observer) {
  Stream stream(seed, {.purpose = Purpose::predictive_parameters, .round = posterior_origin});
  return simulate(problem, posterior.sample(count, stream), seed, posterior_origin, runner,
                  observer);
}

PredictiveSimulations simulate_prior(const Problem& problem, Index count, std::uint64_t seed,
                                     Runner& runner, Observer* observer) {
  Stream stream(seed, {.purpose = Purpose::predictive_parameters, .round = prior_origin});
  return simulate(problem, problem.prior->sample(count, stream), seed, prior_origin, runner,
                  observer);
}

Diagnosis predictive_check(const Eigen::Ref<const Eigen::VectorXd>& observed,
                           const PredictiveSimulations& simulations,
                           std::vector<std::string> names) {
  check_sizes(observed, simulations);
  Diagnosis result{.name = "posterior-predictive",
                   .quantity = "p-value",
                   .is_p_value = true,
                   .advice =
                       "The posterior does not explain the observation: look at the statistics "
                       "that stand out, and "
                       "whether the model can produce them at all; if it can, raise the budget.",
                   .citation = "Rubin 1984; Gelman, Meng & Stern 1996"};
  const Eigen::MatrixXd& x = simulations.statistics;
  if (x.cols() < kFewestSimulations) return too_few(std::move(result), simulations);
  const Eigen::MatrixXd all = with_observed(x, observed);
  const Eigen::VectorXd norms = Whitening(all).apply(all).colwise().norm().transpose();
  const Eigen::VectorXd distances = norms.head(x.cols());
  const double own = norms[x.cols()];
  result.value = upper_tail_p(distances, own);
  result.meaning =
      "Simulations from the posterior lie as far from their centre as the observation with "
      "probability " +
      short_text(result.value) + ".";
  result.tables = {statistic_table(observed, x, std::move(names)), distance_table(distances),
                   own_distance_table(own)};
  judge_together(std::span(&result, 1));
  return result;
}

Diagnosis predictive_statistics(const Eigen::Ref<const Eigen::VectorXd>& observed,
                                const PredictiveSimulations& simulations,
                                std::vector<std::string> names) {
  check_sizes(observed, simulations);
  Diagnosis result{.name = "predictive-statistics",
                   .quantity = "p-value",
                   .is_p_value = true,
                   .advice =
                       "The posterior does not explain these statistics: see whether the model can "
                       "produce them at all; if it can, raise the budget, else leave them out or "
                       "mend the model.",
                   .citation = "Rubin 1984; Westfall & Young 1993; Hill 1975"};
  const Eigen::MatrixXd& x = simulations.statistics;
  if (x.cols() < kFewestSimulations) return too_few(std::move(result), simulations);
  Eigen::MatrixXd scores = with_observed(x, observed).transpose();
  Eigen::VectorXd deviations(observed.size());
  for (Index s = 0; s < observed.size(); ++s) {
    const Eigen::VectorXd each = robust_deviations(scores.col(s));
    deviations[s] = each[x.cols()];
    scores.col(s) = tail_scores(each);
  }
  const Eigen::VectorXd own = scores.row(x.cols()).transpose();
  const Eigen::VectorXd largest = scores.topRows(x.cols()).rowwise().maxCoeff();
  Index farthest = 0;
  const double largest_own = own.maxCoeff(&farthest);
  result.value = upper_tail_p(largest, largest_own);

  DiagnosisTable table = statistic_table(observed, x, std::move(names));
  table.columns.push_back("deviation");
  table.values.conservativeResize(Eigen::NoChange, 6);
  table.values.col(5) = deviations;
  result.meaning =
      "The statistic that is farthest out is " + table.labels[static_cast<std::size_t>(farthest)] +
      ", " + short_text(deviations[farthest]) +
      " times as far from the median as 5% of simulations on its side; "
      "the farthest of a simulation is as far with probability " +
      short_text(result.value) + "." + others_that_stand_out(own, largest, table.labels);
  result.tables = {std::move(table),
                   {"largest scores", {"score"}, largest},
                   {"largest score of the observation",
                    {"score"},
                    Eigen::MatrixXd::Constant(1, 1, largest_own)}};
  judge_together(std::span(&result, 1));
  return result;
}

Diagnosis misspecification(const Eigen::Ref<const Eigen::VectorXd>& observed,
                           const PredictiveSimulations& simulations, const std::string& source) {
  check_sizes(observed, simulations);
  Diagnosis result{
      .name = "misspecification-" + source,
      .quantity = "p-value",
      .is_p_value = true,
      .advice =
          "The simulator does not produce such data, so no parameters explain them: check the "
          "observation's units and the model before trusting the posterior.",
      .citation = "Angiulli & Pizzuti 2002; Cannon, Ward & Schmon 2022"};
  const Eigen::MatrixXd& x = simulations.statistics;
  if (x.cols() < kFewestSimulations) return too_few(std::move(result), simulations);
  const Eigen::MatrixXd all = with_observed(x, observed);
  const Eigen::MatrixXd z = Whitening(all).apply(all);
  Eigen::VectorXd each(z.cols());
  for (Index i = 0; i < z.cols(); ++i) each[i] = neighbour_distance(z, i);
  const Eigen::VectorXd distances = each.head(x.cols());
  const double own = each[x.cols()];
  const std::vector<double> sorted = sorted_values(distances);
  const double times = own / interpolated_quantile(sorted, 0.5);
  result.value = upper_tail_p(distances, own);
  result.meaning = "The observation lies " + short_text(times) +
                   " times as far from its nearest simulations (from the " + source +
                   ") as simulations from each other, which is as far or farther for a share of " +
                   short_text(result.value) + " of them.";
  result.tables = {distance_table(distances), own_distance_table(own)};
  judge_together(std::span(&result, 1));
  return result;
}

std::optional<Diagnosis> prior_misspecification(const Eigen::Ref<const Eigen::VectorXd>& observed,
                                                const PredictiveSimulations& simulations) {
  if (simulations.statistics.cols() < kFewestSimulations) return std::nullopt;
  return misspecification(observed, simulations, "prior");
}

}  // namespace epsfree
