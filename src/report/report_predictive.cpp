// Predictive checks in a report: what the posterior predicts, drawn over the data.
#include <algorithm>
#include <cmath>

#include "io/number_text.hpp"
#include "report/drawing/palette.hpp"
#include "report/report_sections.hpp"

namespace epsfree {
namespace {

// With more statistics their names do not fit below an axis.
constexpr Index kMostNamed = 20;
// Standard deviations between the 5% and the 95% quantile of a normal distribution.
constexpr double kDeviations = 3.2897;

/// Every statistic in units of its predictions' spread around their median.
struct Standardised {
  Eigen::VectorXd place, observed, low, high;
};

Standardised standardise(const Eigen::MatrixXd& rows) {
  const Index count = rows.rows();
  Standardised result{Eigen::VectorXd::LinSpaced(count, 1, static_cast<double>(count)),
                      Eigen::VectorXd(count), Eigen::VectorXd(count), Eigen::VectorXd(count)};
  for (Index s = 0; s < count; ++s) {
    const double median = rows(s, 2);
    double unit = (rows(s, 3) - rows(s, 1)) / kDeviations;
    if (!(unit > 0)) unit = std::max(1e-12, std::abs(median));  // a statistic that never varies
    result.observed[s] = (rows(s, 0) - median) / unit;
    result.low[s] = (rows(s, 1) - median) / unit;
    result.high[s] = (rows(s, 3) - median) / unit;
  }
  return result;
}

Figure statistics_figure(const DiagnosisTable& table) {
  const Standardised all = standardise(table.values);
  Figure figure{.name = "predictive-statistics",
                .title = "Predictions and data",
                .caption =
                    "The observed statistics (squares) and where 90% of the simulations from "
                    "the posterior lie, in standard deviations around their median.",
                .x = {.label = table.values.rows() > kMostNamed ? "statistic" : ""},
                .y = {.label = "standard deviations"}};
  if (table.values.rows() <= kMostNamed) {
    figure.categories = table.labels;
    figure.series.push_back({.kind = SeriesKind::intervals,
                             .label = "90% of the predictions",
                             .colour = kPosteriorColour,
                             .x = all.place,
                             .y = Eigen::VectorXd::Zero(all.place.size()),
                             .low = all.low,
                             .high = all.high});
  } else {
    figure.series.push_back({.kind = SeriesKind::band,
                             .label = "90% of the predictions",
                             .colour = kPosteriorColour,
                             .x = all.place,
                             .low = all.low,
                             .high = all.high});
  }
  figure.series.push_back({.kind = SeriesKind::markers,
                           .label = "observed",
                           .colour = kTruthColour,
                           .x = all.place,
                           .y = all.observed});
  return figure;
}

/// Where many statistics are of one kind, such as a series in time, their own units say more.
std::optional<Figure> series_figure(const DiagnosisTable& table) {
  if (table.values.rows() <= kMostNamed) return std::nullopt;
  const Eigen::VectorXd place =
      Eigen::VectorXd::LinSpaced(table.values.rows(), 1, static_cast<double>(table.values.rows()));
  Figure figure{.name = "predictive-series",
                .title = "Predictions and data in their own units",
                .caption =
                    "The observed statistics (line) over where 90% of the simulations from "
                    "the posterior lie.",
                .x = {.label = "statistic"},
                .y = {.label = "value"}};
  figure.series.push_back({.kind = SeriesKind::band,
                           .label = "90% of the predictions",
                           .colour = kPosteriorColour,
                           .x = place,
                           .low = table.values.col(1),
                           .high = table.values.col(3)});
  figure.series.push_back({.kind = SeriesKind::line,
                           .label = "observed",
                           .colour = kTruthColour,
                           .x = place,
                           .y = table.values.col(0)});
  return figure;
}

PageTable statistics_table(const DiagnosisTable& from) {
  PageTable table{.caption = "Statistics",
                  .header = {"Statistic", "Observed", "Predicted: 5%", "Median", "95%", "p-value"},
                  .rows = {}};
  for (Index s = 0; s < from.values.rows(); ++s) {
    const auto i = static_cast<std::size_t>(s);
    PageRow row{.cells = {i < from.labels.size() ? from.labels[i] : "x" + std::to_string(s + 1)}};
    for (Index column = 0; column < from.values.cols(); ++column) {
      row.cells.push_back(short_number(from.values(s, column)));
    }
    table.rows.push_back(std::move(row));
  }
  return table;
}

/// Distances of the simulations, and that of the observation.
std::optional<Figure> distance_figure(const Diagnosis& diagnosis, const std::string& name,
                                      const std::string& title, const std::string& caption) {
  const DiagnosisTable* distances = diagnosis.table("distances");
  const DiagnosisTable* own = diagnosis.table("distance of the observation");
  if (distances == nullptr || own == nullptr || distances->values.size() == 0) return std::nullopt;
  constexpr Index kBins = 30;
  // Logarithms: a few simulations may lie far away from all others.
  const Eigen::VectorXd values = distances->values.col(0).array().max(1e-12).log10();
  const double low = values.minCoeff();
  const double width = std::max(1e-300, (values.maxCoeff() - low) / static_cast<double>(kBins));
  Eigen::VectorXd centres(kBins), counts = Eigen::VectorXd::Zero(kBins);
  for (Index b = 0; b < kBins; ++b) centres[b] = low + (static_cast<double>(b) + 0.5) * width;
  for (const double value : values) {
    counts[std::min(kBins - 1, static_cast<Index>((value - low) / width))] += 1;
  }
  Figure figure{.name = name,
                .title = title,
                .caption = caption,
                .x = {.label = "log₁₀ of the distance"},
                .y = {.label = "simulations"}};
  figure.series.push_back({.kind = SeriesKind::histogram,
                           .label = "simulations",
                           .colour = kPosteriorColour,
                           .x = centres,
                           .y = counts});
  figure.series.push_back({.kind = SeriesKind::vertical,
                           .label = "observation",
                           .colour = kTruthColour,
                           .x = own->values.col(0).array().max(1e-12).log10()});
  return figure;
}

}  // namespace

std::optional<PageSection> predictive_section(const RunContents& run) {
  if (!run.check) return std::nullopt;
  const Diagnosis* predictive = run.check->find("posterior-predictive");
  if (predictive == nullptr) return std::nullopt;
  PageSection section{.heading = "Predictive checks"};
  section.paragraphs.push_back(std::to_string(run.check->num_posterior) +
                               " simulations were made with parameters from the posterior. " +
                               predictive->sentence());
  if (const DiagnosisTable* table = predictive->table("statistics")) {
    section.figures.push_back(inline_figure(statistics_figure(*table)));
    if (const auto series = series_figure(*table)) {
      section.figures.push_back(inline_figure(*series));
    }
    if (table->values.rows() <= kMostNamed) section.tables.push_back(statistics_table(*table));
  }
  const auto add = [&](const char* of, const char* name, const char* title, const char* caption) {
    const Diagnosis* diagnosis = run.check->find(of);
    if (diagnosis == nullptr) return;
    if (const auto figure = distance_figure(*diagnosis, name, title, caption)) {
      section.figures.push_back(inline_figure(*figure));
    }
  };
  add("posterior-predictive", "predictive-distances", "Distance from the predictions' centre",
      "All statistics together: the observation's distance from the centre of the simulations "
      "from the posterior, in whitened statistics, among their own.");
  add("misspecification-prior", "nearest-prior", "Distance to the nearest simulations",
      "How far the observation lies from anything that the prior produced, in whitened "
      "statistics, among the simulations' distances from each other.");
  return section;
}

}  // namespace epsfree
