// The diagnostics in a report: a table with every verdict, and their plots.
#include <algorithm>

#include "io/number_text.hpp"
#include "report/drawing/palette.hpp"
#include "report/report_sections.hpp"

namespace epsfree {
namespace {

constexpr std::size_t kMostPlots = 12;  // of one diagnosis

std::string row_kind(Verdict verdict) {
  return verdict == Verdict::pass ? "holds" : verdict == Verdict::warn ? "warns" : "fails";
}

std::string limits(const Diagnosis& each) {
  const char* side = each.bad == Bad::low ? "below " : "above ";
  return std::string("warns ") + side + short_number(each.warn_at) + ", fails " + side +
         short_number(each.threshold);
}

PageTable verdict_table(const CheckRecord& check) {
  PageTable table{.caption = "Checks",
                  .header = {"Verdict", "Check", "Value", "Limits", "What it says", "After"},
                  .rows = {}};
  for (const Diagnosis& each : check.diagnoses) {
    table.rows.push_back({.cells = {to_string(each.verdict), each.name,
                                    each.quantity + " " + short_number(each.value), limits(each),
                                    each.sentence(), each.citation},
                          .kind = row_kind(each.verdict)});
  }
  return table;
}

/// "sbc-ranks" and "ecdf of a b" as a name of a figure.
std::string figure_name(const std::string& diagnosis, const std::string& table,
                        std::size_t number) {
  std::string name;
  for (const char c : diagnosis + "-" + table) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
    name += plain ? c : '-';
  }
  return name + "-" + std::to_string(number);
}

bool has_columns(const DiagnosisTable& table, const std::vector<std::string>& columns) {
  return table.columns == columns;
}

/// A share that should follow the diagonal, less the diagonal, within its bands.
Figure curve_figure(const DiagnosisTable& table, const std::string& caption) {
  const Eigen::VectorXd x = table.values.col(0);
  Figure figure{.caption = caption,
                .x = {.label = table.columns[0], .low = 0.0, .high = 1.0},
                .y = {.label = table.columns[1] + " minus " + table.columns[0]}};
  figure.series.push_back({.kind = SeriesKind::band,
                           .label = "95% of correct procedures stay inside",
                           .colour = kPriorColour,
                           .x = x,
                           .low = table.values.col(2) - x,
                           .high = table.values.col(3) - x});
  figure.series.push_back({.kind = SeriesKind::level,
                           .label = "",
                           .colour = kPriorColour,
                           .y = Eigen::VectorXd::Zero(1),
                           .dashed = true});
  figure.series.push_back({.kind = SeriesKind::line,
                           .label = "measured",
                           .colour = kPosteriorColour,
                           .x = x,
                           .y = table.values.col(1) - x});
  return figure;
}

Figure histogram_figure(const DiagnosisTable& table) {
  Figure figure{.caption =
                    "Ranks of the true parameters among samples of their posteriors: level "
                    "where posteriors are right, heaped at both ends where they are too "
                    "narrow, in the middle where they are too wide.",
                .x = {.label = "rank", .low = 0.0, .high = 1.0},
                .y = {.label = "repetitions"}};
  figure.series.push_back({.kind = SeriesKind::histogram,
                           .label = "",
                           .colour = kPosteriorColour,
                           .x = 0.5 * (table.values.col(0) + table.values.col(1)),
                           .y = table.values.col(2)});
  figure.series.push_back({.kind = SeriesKind::level,
                           .label = "expected",
                           .colour = kTruthColour,
                           .y = Eigen::VectorXd::Constant(1, table.values.col(3).mean()),
                           .dashed = true});
  return figure;
}

Figure band_figure(const DiagnosisTable& table) {
  Figure figure{.caption =
                    "The marginal density: median and 90% band over networks that fit the "
                    "simulations about equally well.",
                .x = {.label = table.name.substr(std::string("marginal of ").size())},
                .y = {.label = "density"}};
  figure.series.push_back({.kind = SeriesKind::band,
                           .label = "90% of the networks",
                           .colour = kPosteriorColour,
                           .x = table.values.col(0),
                           .low = table.values.col(1),
                           .high = table.values.col(3)});
  figure.series.push_back({.kind = SeriesKind::line,
                           .label = "median",
                           .colour = kPosteriorColour,
                           .x = table.values.col(0),
                           .y = table.values.col(2)});
  return figure;
}

Figure budget_figure(const DiagnosisTable& table) {
  Figure figure{.caption =
                    "How far the answer after so many simulations was from the last one, "
                    "in its standard deviations.",
                .x = {.label = table.columns[0]},
                .y = {.label = table.columns[1]}};
  figure.series.push_back({.kind = SeriesKind::points,
                           .label = "",
                           .colour = kPosteriorColour,
                           .x = table.values.col(0),
                           .y = table.values.col(1)});
  return figure;
}

std::optional<Figure> figure_of(const Diagnosis& diagnosis, const DiagnosisTable& table) {
  if (table.values.rows() < 2) return std::nullopt;
  if (has_columns(table, {"rank", "share", "lower", "upper"})) {
    return curve_figure(table,
                        "The empirical distribution of the ranks, less that of uniform ones, with "
                        "the band that holds for all ranks at once.");
  }
  if (has_columns(table, {"credibility", "coverage", "lower", "upper"})) {
    return curve_figure(table,
                        "How often regions of each credibility hold the truth, less what they "
                        "claim: below zero where posteriors are too narrow.");
  }
  if (has_columns(table, {"low", "high", "count", "expected"})) return histogram_figure(table);
  if (has_columns(table, {"parameter", "low", "median", "high"})) return band_figure(table);
  if (diagnosis.name == "budget" && table.name == "rounds") return budget_figure(table);
  return std::nullopt;
}

std::string title_of(const Diagnosis& diagnosis, const DiagnosisTable& table) {
  return diagnosis.name + ": " + table.name;
}

}  // namespace

std::optional<PageSection> diagnostics_section(const RunContents& run) {
  if (!run.check) return std::nullopt;
  PageSection section{.heading = "Diagnostics"};
  section.tables.push_back(verdict_table(*run.check));
  for (const Diagnosis& diagnosis : run.check->diagnoses) {
    std::size_t plots = 0;
    for (const DiagnosisTable& table : diagnosis.tables) {
      std::optional<Figure> figure = figure_of(diagnosis, table);
      if (!figure || plots == kMostPlots) continue;
      figure->name = figure_name(diagnosis.name, table.name, ++plots);
      figure->title = title_of(diagnosis, table);
      section.figures.push_back(inline_figure(*figure));
    }
  }
  section.notes = run.check->notes;
  section.notes.push_back(
      "Limits of p-values share one level between all tests made here (Holm 1979): a correct "
      "answer fails anywhere with a probability of 1%, and is warned of with 5%.");
  if (run.check->num_repetitions == 0) {
    section.notes.push_back(
        "Whether the procedure as a whole is calibrated was not checked: "
        "`epsfree check " +
        shell_word(run.path) +
        " --sbc 200` repeats the inference for 200 simulated "
        "observations.");
  }
  return section;
}

}  // namespace epsfree
