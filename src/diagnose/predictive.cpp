#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "base/numbered_names.hpp"
#include "base/numerics.hpp"
#include "base/require.hpp"
#include "diagnose/short_text.hpp"
#include "diagnose/whitening.hpp"
#include "epsfree/diagnose.hpp"

namespace epsfree {
namespace {

// Fewer say nothing of a tail.
constexpr Index kFewestSimulations = 20;
constexpr Index kNeighbours = 5;
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
    std::vector<double> values(statistics.row(s).begin(), statistics.row(s).end());
    std::sort(values.begin(), values.end());
    const auto below = std::upper_bound(values.begin(), values.end(), observed[s]) - values.begin();
    const auto above = values.end() - std::lower_bound(values.begin(), values.end(), observed[s]);
    const double tail = (1 + static_cast<double>(std::min(below, above))) / (1 + n);
    table.values.row(s) << observed[s], sorted_quantile(values, 0.05), sorted_quantile(values, 0.5),
        sorted_quantile(values, 0.95), std::min(1.0, 2 * tail);
  }
  return table;
}

/// Mean distance of a point to its nearest columns, one of which may be left out.
double neighbour_distance(const Eigen::MatrixXd& points, const Eigen::VectorXd& point,
                          Index leave_out) {
  std::vector<double> squared;
  squared.reserve(static_cast<std::size_t>(points.cols()));
  for (Index i = 0; i < points.cols(); ++i) {
    if (i != leave_out) squared.push_back((points.col(i) - point).squaredNorm());
  }
  std::partial_sort(squared.begin(), squared.begin() + kNeighbours, squared.end());
  double sum = 0;
  for (Index k = 0; k < kNeighbours; ++k) sum += std::sqrt(squared[static_cast<std::size_t>(k)]);
  return sum / kNeighbours;
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
  const Whitening whitening(x);
  const Eigen::VectorXd distances = whitening.apply(x).colwise().norm().transpose();
  const double own = whitening.apply(observed).norm();
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
  const Whitening whitening(x);
  const Eigen::MatrixXd z = whitening.apply(x);
  Eigen::VectorXd distances(z.cols());
  for (Index i = 0; i < z.cols(); ++i) distances[i] = neighbour_distance(z, z.col(i), i);
  const double own = neighbour_distance(z, whitening.apply(observed), -1);
  std::vector<double> sorted(distances.begin(), distances.end());
  std::sort(sorted.begin(), sorted.end());
  const double times = own / sorted_quantile(sorted, 0.5);
  result.value = upper_tail_p(distances, own);
  result.meaning = "The observation lies " + short_text(times) +
                   " times as far from its nearest simulations (from the " + source +
                   ") as simulations from each other, which is as far or farther for a share of " +
                   short_text(result.value) + " of them.";
  result.tables = {statistic_table(observed, x, {}), distance_table(distances),
                   own_distance_table(own)};
  judge_together(std::span(&result, 1));
  return result;
}

}  // namespace epsfree
