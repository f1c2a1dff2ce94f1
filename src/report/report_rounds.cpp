// Rounds and training in a report.
#include <algorithm>
#include <cmath>

#include "base/words.hpp"
#include "io/number_text.hpp"
#include "report/drawing/palette.hpp"
#include "report/report_sections.hpp"

namespace epsfree {
namespace {

constexpr std::size_t kMostLines = 7;  // that colours can tell apart

/// Rounds of which the belief is known, with the simulations made by then.
struct Believed {
  Eigen::VectorXd simulations;
  std::vector<const RoundSummary*> rounds;
};

Believed believed(const Summary& summary) {
  Believed result;
  std::vector<double> simulations;
  double made = static_cast<double>(summary.num_pilot_simulations);
  for (const RoundSummary& round : summary.rounds) {
    made += static_cast<double>(round.simulations.total());
    if (round.mean.size() == 0 || round.standard_deviation.size() != round.mean.size()) continue;
    simulations.push_back(made);
    result.rounds.push_back(&round);
  }
  result.simulations =
      Eigen::Map<const Eigen::VectorXd>(simulations.data(), static_cast<Index>(simulations.size()));
  return result;
}

Figure movement_figure(const Believed& all, const std::vector<std::string>& names) {
  const RoundSummary& last = *all.rounds.back();
  const auto shown = static_cast<Index>(
      std::min<std::size_t>(kMostLines, static_cast<std::size_t>(last.mean.size())));
  Figure figure{.name = "rounds",
                .title = "How the answer moved",
                .caption =
                    "Each round's mean, in standard deviations of the last one around its "
                    "mean, and one standard deviation of each round around it. In the "
                    "prior's coordinates.",
                .x = {.label = "simulations"},
                .y = {.label = "standard deviations of the last round"}};
  const auto count = static_cast<Index>(all.rounds.size());
  for (Index d = 0; d < shown; ++d) {
    Series series{.kind = SeriesKind::intervals,
                  .label = names[static_cast<std::size_t>(d)],
                  .colour = kColours[static_cast<std::size_t>(d)].light,
                  .x = all.simulations,
                  .y = Eigen::VectorXd(count),
                  .low = Eigen::VectorXd(count),
                  .high = Eigen::VectorXd(count)};
    // Side by side, as they would hide each other.
    const double span = std::max(1.0, all.simulations.maxCoeff());
    series.x.array() += 0.008 * span * static_cast<double>(d - shown / 2);
    for (Index r = 0; r < count; ++r) {
      const RoundSummary& round = *all.rounds[static_cast<std::size_t>(r)];
      const double unit = last.standard_deviation[d];
      series.y[r] = (round.mean[d] - last.mean[d]) / unit;
      const double half = round.standard_deviation[d] / unit;
      series.low[r] = series.y[r] - half;
      series.high[r] = series.y[r] + half;
    }
    figure.series.push_back(std::move(series));
  }
  return figure;
}

std::string name_of(const RoundSummary& round) {
  return round.phase == "final" ? "final" : round.phase + " " + std::to_string(round.round);
}

std::optional<Figure> training_figure(const Summary& summary) {
  Figure figure{.name = "training",
                .title = "Training",
                .caption =
                    "The mean loss over stretches of each training: the less the better, "
                    "and level at the end where it has learnt all it can.",
                .x = {.label = "share of the training"},
                .y = {.label = "loss"}};
  std::vector<const RoundSummary*> trained;
  for (const RoundSummary& round : summary.rounds) {
    if (round.training.loss_history.size() > 1) trained.push_back(&round);
  }
  if (trained.empty()) return std::nullopt;
  if (trained.size() > kMostLines) trained.erase(trained.begin(), trained.end() - kMostLines);
  for (std::size_t i = 0; i < trained.size(); ++i) {
    const std::vector<double>& history = trained[i]->training.loss_history;
    const auto count = static_cast<Index>(history.size());
    figure.series.push_back(
        {.kind = SeriesKind::line,
         .label = name_of(*trained[i]),
         .colour = kColours[i].light,
         .x = Eigen::VectorXd::LinSpaced(count, 1.0 / static_cast<double>(count), 1),
         .y = Eigen::Map<const Eigen::VectorXd>(history.data(), count)});
  }
  return figure;
}

std::string stack_text(const RoundSummary& round) {
  Listing list;
  for (const StackMember& member : round.stack) {
    if (member.weight < 0.005) continue;
    list.add(fixed_number(100 * member.weight, 0) + "% " + member.name);
  }
  return list.text();
}

PageTable rounds_table(const Summary& summary) {
  const bool abc = std::any_of(summary.rounds.begin(), summary.rounds.end(),
                               [](const RoundSummary& round) { return round.epsilon > 0; });
  PageTable table{.caption = "Rounds", .header = {"Round", "Simulations", "Not ok"}, .rows = {}};
  for (const char* name : {"Moved by (KL)", "Simulating", "Training", "Made of"}) {
    table.header.push_back(name);
  }
  if (abc) {
    for (const char* name : {"ε", "Accepted", "Effective size"}) table.header.push_back(name);
  }
  for (const RoundSummary& round : summary.rounds) {
    const long total = round.simulations.total();
    PageRow row{.cells = {name_of(round), std::to_string(total),
                          std::to_string(total - round.simulations[SimStatus::ok]),
                          std::isnan(round.proposal_change) || abc
                              ? ""
                              : short_number(round.proposal_change),
                          duration_text(round.simulation_seconds),
                          round.training.seconds > 0 ? duration_text(round.training.seconds) : "",
                          stack_text(round)}};
    if (abc) {
      row.cells.push_back(round.epsilon > 0 ? short_number(round.epsilon) : "");
      row.cells.push_back(fixed_number(100 * round.acceptance_rate, 1) + "%");
      row.cells.push_back(short_number(round.effective_size));
    }
    table.rows.push_back(std::move(row));
  }
  return table;
}

}  // namespace

std::optional<PageSection> rounds_section(const RunContents& run) {
  if (!run.summary || run.summary->inference.rounds.empty()) return std::nullopt;
  const Summary& summary = run.summary->inference;
  PageSection section{.heading = "Rounds and training"};
  section.tables.push_back(rounds_table(summary));
  const Believed all = believed(summary);
  if (all.rounds.size() > 1) {
    section.figures.push_back(inline_figure(movement_figure(all, run.summary->posterior.names)));
  }
  if (const auto figure = training_figure(summary)) {
    section.figures.push_back(inline_figure(*figure));
  }
  return section;
}

}  // namespace epsfree
