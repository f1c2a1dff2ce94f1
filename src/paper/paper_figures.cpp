#include "paper/paper_figures.hpp"

#include <cmath>
#include <map>

#include "models/textbook_gillespie.hpp"

namespace epsfree {
namespace {

struct Look {
  const char* title;
  const char* colour;
};

/// One colour for each method throughout (Okabe & Ito's, which the colour-blind can tell apart).
const Look& look_of(const std::string& method) {
  static const std::map<std::string, Look> looks = {
      {"mdn-with-prior", {"MDN with prior", "#0072b2"}},
      {"proposal-prior", {"Proposal prior", "#e69f00"}},
      {"mdn-with-proposal", {"MDN with proposal", "#d55e00"}},
      {"auto", {"epsfree's default", "#009e73"}},
      {"rejection-abc", {"Rejection ABC", "#56b4e9"}},
      {"mcmc-abc", {"MCMC-ABC", "#cc79a7"}},
      {"smc-abc", {"SMC-ABC", "#5b3fa0"}},
  };
  return looks.at(method);
}

constexpr const char* kTruthColour = "#000000";

Eigen::VectorXd one(double value) { return Eigen::VectorXd::Constant(1, value); }

Eigen::VectorXd vector_of(const std::vector<double>& values) {
  return Eigen::Map<const Eigen::VectorXd>(values.data(), static_cast<Index>(values.size()));
}

/// What accuracy is measured by, and what the panels of it say.
struct Measure {
  double PaperRecord::*field;
  std::string suffix;  ///< of the figures' names
  std::string label;   ///< of the axis
  std::string words;   ///< in a caption
  bool log;
};

Measure divergence_measure() {
  return {&PaperRecord::divergence, "divergence", "KL(true posterior || approximation), nats",
          "KL divergence from the true posterior to the approximation", true};
}

Measure truth_measure() {
  return {&PaperRecord::truth_score, "truth", "−log probability of the true parameters",
          "negative log probability of the true parameters", false};
}

std::string seeds_note(const PaperResults& results) {
  return " Medians over " + std::to_string(results.scale.num_seeds()) + " seeds.";
}

/// Accuracy against epsilon, neural methods as levels.
Figure accuracy_figure(const PaperResults& results, const std::string& model,
                       const Measure& measure) {
  Figure figure;
  figure.name = model + "-" + measure.suffix + "-by-epsilon";
  figure.title = "Accuracy against ε";
  figure.x = {.label = "ε", .log = true};
  figure.y = {.label = measure.label, .log = measure.log};
  for (const std::string& method : paper_rivals()) {
    Series series{.kind = SeriesKind::points,
                  .label = look_of(method).title,
                  .colour = look_of(method).colour};
    std::vector<double> x, y;
    for (const PaperGroup& group : results.groups(model, PaperTopic::figure, method)) {
      if (group.records.empty()) continue;
      x.push_back(group.median(&PaperRecord::epsilon));
      y.push_back(group.median(measure.field));
    }
    series.x = vector_of(x);
    series.y = vector_of(y);
    figure.series.push_back(std::move(series));
  }
  for (const std::string& method : neural_methods()) {
    figure.series.push_back({.kind = SeriesKind::level,
                             .label = look_of(method).title,
                             .colour = look_of(method).colour,
                             .y = one(results.neural(model, method).median(measure.field)),
                             .dashed = method == "auto"});
  }
  figure.caption = "The " + measure.words +
                   " against ε; lower is better. Neural methods, which "
                   "have no ε, are horizontal lines." +
                   seeds_note(results);
  return figure;
}

/// What accuracy costs.
Figure cost_figure(const PaperResults& results, const std::string& model, const Measure& measure) {
  Figure figure;
  figure.name = model + "-simulations-by-" + measure.suffix;
  figure.title = "Simulations against accuracy";
  figure.x = {.label = measure.label, .log = measure.log};
  figure.y = {.label = "simulations", .log = true};
  for (const std::string& method : paper_rivals()) {
    Series series{.kind = SeriesKind::points,
                  .label = std::string(look_of(method).title) + ", per effective sample",
                  .colour = look_of(method).colour};
    std::vector<double> x, y;
    for (const PaperGroup& group : results.groups(model, PaperTopic::figure, method)) {
      if (group.records.empty()) continue;
      x.push_back(group.median(measure.field));
      y.push_back(group.median_cost());
    }
    series.x = vector_of(x);
    series.y = vector_of(y);
    figure.series.push_back(std::move(series));
  }
  for (const std::string& method : neural_methods()) {
    const PaperGroup group = results.neural(model, method);
    figure.series.push_back({.kind = SeriesKind::markers,
                             .label = std::string(look_of(method).title) + ", in all",
                             .colour = look_of(method).colour,
                             .x = one(group.median(measure.field)),
                             .y = one(group.median_cost())});
  }
  figure.caption =
      "The number of simulations against the " + measure.words +
      "; lower left is better. It is the total for neural methods, and per effective "
      "sample for ABC (of MCMC-ABC, as in the paper, without the rejection run that finds its "
      "starts)." +
      seeds_note(results);
  return figure;
}

/// Estimates with two standard deviations, of the first seed.
Figure estimates_figure(const PaperResults& results, const std::string& model) {
  const PaperTarget& target = *results.target(model);
  Figure figure;
  figure.name = model + "-estimates";
  figure.title = "Estimates of " + target.parameter_label;
  figure.x = {.label = ""};
  figure.y = {.label = target.parameter_label};
  const auto add = [&](const std::string& title, const std::string& colour, double mean,
                       double deviation) {
    figure.categories.push_back(title);
    figure.series.push_back({.kind = SeriesKind::intervals,
                             .label = "",
                             .colour = colour,
                             .x = one(static_cast<double>(figure.categories.size())),
                             .y = one(mean),
                             .low = one(mean - 2 * deviation),
                             .high = one(mean + 2 * deviation)});
  };
  const auto add_record = [&](const std::string& method, const PaperGroup& group) {
    if (group.records.empty()) return;
    const PaperRecord& record = *group.records.front();
    add(look_of(method).title, look_of(method).colour, record.mean[target.parameter],
        record.standard_deviation[target.parameter]);
  };
  for (const std::string& method : paper_rivals()) {
    if (const auto group = results.nearest(model, method)) add_record(method, *group);
  }
  for (const std::string& method : neural_methods()) {
    add_record(method, results.neural(model, method));
  }
  const auto row = target.samples.row(target.parameter);
  const double mean = row.mean();
  add("True posterior", kTruthColour, mean, std::sqrt((row.array() - mean).square().mean()));
  figure.series.push_back({.kind = SeriesKind::level,
                           .label = "true value",
                           .colour = kTruthColour,
                           .y = one(target.problem.truth.value()[target.parameter]),
                           .dashed = true});
  figure.caption =
      "Estimates of " + target.parameter_label +
      " with two standard deviations, of the first seed; those of ABC with the smallest "
      "ε that gave an answer. The dashed line is the true value, the last entry "
      "the true posterior (" +
      target.source + ").";
  return figure;
}

Series marginal_series(const std::string& method, const PaperRecord& record, SeriesKind kind) {
  return {.kind = kind,
          .label = look_of(method).title,
          .colour = look_of(method).colour,
          .x = record.marginal.x,
          .y = record.marginal.y,
          .dashed = method == "auto"};
}

/// Posteriors or marginals, of the first seed.
Figure marginals_figure(const PaperResults& results, const std::string& model) {
  const PaperTarget& target = *results.target(model);
  const bool is_mixture = model == "mixture";
  Figure figure;
  figure.name = model + (is_mixture ? "-posteriors" : "-marginals");
  figure.title = is_mixture ? "Posteriors at x = 0" : "Marginals of " + target.parameter_label;
  figure.x = {.label = target.parameter_label};
  figure.y = {.label = "density"};
  for (const std::string& method : paper_rivals()) {
    if (is_mixture) break;
    const auto group = results.best(model, method);
    if (group) {
      figure.series.push_back(
          marginal_series(method, *group->records.front(), SeriesKind::histogram));
    }
  }
  const Curve truth = paper_marginal(*target.exact, target);
  figure.series.push_back({.kind = SeriesKind::line,
                           .label = "True posterior",
                           .colour = kTruthColour,
                           .x = truth.x,
                           .y = truth.y});
  for (const std::string& method : neural_methods()) {
    const PaperGroup group = results.neural(model, method);
    if (group.records.empty()) continue;
    figure.series.push_back(marginal_series(method, *group.records.front(), SeriesKind::line));
  }
  figure.caption =
      is_mixture ? "The posteriors learnt by each strategy for x = 0, and the true one. First seed."
                 : "Marginal posteriors of " + target.parameter_label +
                       " by each method. ABC's are histograms, at the ε with the smallest KL. "
                       "First seed.";
  return figure;
}

/// q(theta | x) of the mixture's networks.
Figure conditional_figure(const PaperResults& results, const std::string& method) {
  Figure figure;
  figure.name = "mixture-conditional-" + method;
  figure.title = std::string("q(θ | x), ") + look_of(method).title;
  figure.x = {.label = "x", .low = -8.0, .high = 8.0};
  figure.y = {.label = "θ", .low = -10.0, .high = 10.0};
  const PaperGroup group = results.neural("mixture", method);
  if (!group.records.empty()) {
    const PaperRecord& record = *group.records.front();
    // Its peaks would leave everything else dark.
    figure.heat = HeatMap{record.x_grid, record.theta_grid, record.conditional.cwiseMin(1.0),
                          "density, cut off at 1"};
  }
  figure.series.push_back(
      {.kind = SeriesKind::vertical, .label = "", .colour = "#ffffff", .x = one(0)});
  figure.caption = std::string("The conditional density q(θ | x) learnt by the ") +
                   (method == "mdn-with-prior" ? "MDN trained with the prior"
                                               : "MDN-SVI trained with the proposal prior") +
                   ". The dashed line is at the observation x = 0. First seed.";
  return figure;
}

std::vector<Figure> time_series_figures(std::uint64_t seed) {
  constexpr int kNumSeries = 4;
  std::vector<Figure> figures;
  for (std::uint64_t index = 0; figures.size() < kNumSeries; ++index) {
    Stream stream(seed, {.purpose = Purpose::observation, .index = index});
    const auto series = textbook_gillespie({0.01, 0.5, 1, 0.01}, stream);
    if (!series) continue;  // too many reactions
    const auto size = static_cast<Index>(series->prey.size());
    const Eigen::VectorXd times =
        Eigen::VectorXd::LinSpaced(size, 0, 0.2 * static_cast<double>(size - 1));
    Figure figure;
    figure.name = "lotka-volterra-series-" + std::to_string(figures.size() + 1);
    figure.title = "Predators and prey, simulation " + std::to_string(figures.size() + 1);
    figure.x = {.label = "time", .low = 0.0, .high = 30.0};
    figure.y = {.label = "population"};
    figure.series = {{.kind = SeriesKind::line,
                      .label = "Predators",
                      .colour = "#d55e00",
                      .x = times,
                      .y = vector_of(series->predators)},
                     {.kind = SeriesKind::line,
                      .label = "Prey",
                      .colour = "#0072b2",
                      .x = times,
                      .y = vector_of(series->prey)}};
    figure.caption =
        "A simulation of the Lotka-Volterra model with θ = (0.01, 0.5, 1, 0.01): typical "
        "oscillations of predators and prey.";
    figures.push_back(std::move(figure));
  }
  return figures;
}

}  // namespace

std::string method_title(const std::string& method) { return look_of(method).title; }

std::string model_title(const std::string& model) {
  if (model == "mixture") return "Mixture of two Gaussians";
  if (model == "linear-regression") return "Bayesian linear regression";
  if (model == "lotka-volterra") return "Lotka-Volterra";
  return "M/G/1 queue";
}

std::vector<Figure> paper_figures(const PaperResults& results) {
  std::vector<Figure> figures;
  for (const PaperTarget& target : results.targets) {
    const std::string& model = target.model;
    if (model == "mixture") {
      figures.push_back(marginals_figure(results, model));
      figures.push_back(conditional_figure(results, "mdn-with-prior"));
      figures.push_back(conditional_figure(results, "mdn-with-proposal"));
      continue;
    }
    if (model != "linear-regression") {
      figures.push_back(accuracy_figure(results, model, truth_measure()));
      figures.push_back(cost_figure(results, model, truth_measure()));
    }
    figures.push_back(accuracy_figure(results, model, divergence_measure()));
    figures.push_back(cost_figure(results, model, divergence_measure()));
    figures.push_back(model == "linear-regression" ? marginals_figure(results, model)
                                                   : estimates_figure(results, model));
    if (model == "lotka-volterra") {
      for (Figure& figure : time_series_figures(results.scale.seed)) {
        figures.push_back(std::move(figure));
      }
    }
  }
  return figures;
}

}  // namespace epsfree
