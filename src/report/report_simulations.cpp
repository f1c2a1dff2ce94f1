// The simulations of a run in its report: how they ended, how long they took, and where they fail.
#include <algorithm>
#include <cmath>
#include <numeric>

#include "io/number_text.hpp"
#include "report/drawing/palette.hpp"
#include "report/report_sections.hpp"

namespace epsfree {
namespace {

PageTable outcome_table(const std::array<long, kNumSimStatuses>& counts) {
  PageTable table{.caption = "Simulations by outcome",
                  .header = {"Outcome", "Simulations", "Share"},
                  .rows = {}};
  const long total = std::accumulate(counts.begin(), counts.end(), 0L);
  for (int s = 0; s < kNumSimStatuses; ++s) {
    const long count = counts[static_cast<std::size_t>(s)];
    if (count == 0 && s > 0) continue;
    const double share = total > 0 ? static_cast<double>(count) / static_cast<double>(total) : 0;
    table.rows.push_back({.cells = {to_string(static_cast<SimStatus>(s)), std::to_string(count),
                                    fixed_number(100 * share, 1) + "%"}});
  }
  return table;
}

std::optional<Figure> time_figure(const RecordedSimulations& recorded) {
  std::vector<double> logs;
  for (const double each : recorded.seconds) {
    if (each > 0) logs.push_back(std::log10(each));
  }
  if (logs.size() < 10) return std::nullopt;
  const auto [low, high] = std::minmax_element(logs.begin(), logs.end());
  constexpr Index kBins = 30;
  const double first = *low, width = std::max(1e-3, (*high - *low) / static_cast<double>(kBins));
  Eigen::VectorXd centres(kBins), counts = Eigen::VectorXd::Zero(kBins);
  for (Index b = 0; b < kBins; ++b) centres[b] = first + (static_cast<double>(b) + 0.5) * width;
  for (const double each : logs) {
    counts[std::min(kBins - 1, static_cast<Index>((each - first) / width))] += 1;
  }
  Figure figure{.name = "simulation-times",
                .title = "Time per simulation",
                .caption = "How long the recorded simulations took.",
                .x = {.label = "log₁₀ of the seconds"},
                .y = {.label = "simulations"}};
  figure.series.push_back({.kind = SeriesKind::histogram,
                           .label = "",
                           .colour = kPosteriorColour,
                           .x = centres,
                           .y = counts});
  return figure;
}

/// The share that is not ok in each tenth of the simulations along one parameter.
Series failure_series(const RecordedSimulations& recorded, Index d, const std::string& name) {
  constexpr Index kParts = 10;
  const Index count = recorded.thetas.cols();
  std::vector<Index> order(static_cast<std::size_t>(count));
  std::iota(order.begin(), order.end(), Index{0});
  std::sort(order.begin(), order.end(),
            [&](Index a, Index b) { return recorded.thetas(d, a) < recorded.thetas(d, b); });
  Series series{.kind = SeriesKind::points,
                .label = name,
                .colour = kColours[static_cast<std::size_t>(d) % std::size(kColours)].light,
                .x = Eigen::VectorXd(kParts),
                .y = Eigen::VectorXd(kParts)};
  for (Index part = 0; part < kParts; ++part) {
    const Index begin = part * count / kParts, end = (part + 1) * count / kParts;
    long bad = 0;
    for (Index i = begin; i < end; ++i) {
      const Index column = order[static_cast<std::size_t>(i)];
      bad += recorded.statuses[static_cast<std::size_t>(column)] != SimStatus::ok ? 1 : 0;
    }
    series.x[part] = (static_cast<double>(part) + 0.5) / static_cast<double>(kParts);
    series.y[part] =
        100 * static_cast<double>(bad) / static_cast<double>(std::max<Index>(1, end - begin));
  }
  return series;
}

std::optional<Figure> failure_figure(const RecordedSimulations& recorded,
                                     const std::vector<std::string>& names) {
  const long bad = recorded.num_recorded - recorded.counts[0];
  if (bad == 0 || recorded.thetas.cols() < 20) return std::nullopt;
  Figure figure{.name = "failures",
                .title = "Where simulations fail",
                .caption =
                    "The share of simulations that are not ok, over the rank of each "
                    "parameter among all that were simulated: a line that rises to one "
                    "side says that they fail there.",
                .x = {.label = "rank of the parameter, from its least to its greatest values",
                      .low = 0.0,
                      .high = 1.0},
                .y = {.label = "not ok, %"}};
  const Index shown = std::min<Index>(recorded.thetas.rows(), std::size(kColours));
  for (Index d = 0; d < shown; ++d) {
    const auto i = static_cast<std::size_t>(d);
    figure.series.push_back(
        failure_series(recorded, d, i < names.size() ? names[i] : "theta" + std::to_string(d + 1)));
  }
  return figure;
}

PageTable failure_table(const Summary& summary, const std::vector<std::string>& names) {
  PageTable table{.caption = "Where simulations are not ok, in the prior's coordinates",
                  .header = {"Parameter", "5% of them below", "95% of them below"},
                  .rows = {}};
  for (Index d = 0; d < summary.dropped_low.size(); ++d) {
    table.rows.push_back(
        {.cells = {names[static_cast<std::size_t>(d)], short_number(summary.dropped_low[d]),
                   short_number(summary.dropped_high[d])}});
  }
  return table;
}

std::vector<std::string> names_of(const RunContents& run) {
  if (run.summary) return run.summary->posterior.names;
  return run.problem ? run.problem->problem.names : std::vector<std::string>();
}

}  // namespace

std::optional<PageSection> simulations_section(const RunContents& run) {
  PageSection section{.heading = "Simulations"};
  if (run.summary && run.summary->inference.simulations.total() > 0) {
    const Summary& summary = run.summary->inference;
    const auto total = static_cast<double>(summary.simulations.total());
    section.tables.push_back(outcome_table(summary.simulations.by_status));
    section.paragraphs.push_back(
        std::to_string(summary.simulations.total()) + " simulations took " +
        duration_text(summary.simulation_seconds) + " of " + duration_text(summary.total_seconds) +
        " in all, " + duration_text(summary.simulation_seconds / total) + " each by the clock" +
        (run.summary->num_threads > 1
             ? " on " + std::to_string(run.summary->num_threads) + " threads"
             : std::string()) +
        ".");
    if (summary.dropped_low.size() > 0 &&
        summary.dropped_low.size() == static_cast<Index>(names_of(run).size())) {
      section.tables.push_back(failure_table(summary, names_of(run)));
    }
    const std::string unspent = run.summary->unspent();
    if (!unspent.empty()) section.paragraphs.push_back(unspent + ".");
    const std::string note = run.summary->recording.note();
    if (!note.empty()) section.notes.push_back(note + ".");
  } else if (run.simulations) {
    section.tables.push_back(outcome_table(run.simulations->counts));
  }
  if (run.simulations) {
    if (const auto figure = time_figure(*run.simulations)) {
      section.figures.push_back(inline_figure(*figure));
    }
    if (const auto figure = failure_figure(*run.simulations, names_of(run))) {
      section.figures.push_back(inline_figure(*figure));
    }
  }
  if (section.tables.empty() && section.figures.empty()) return std::nullopt;
  return section;
}

}  // namespace epsfree
