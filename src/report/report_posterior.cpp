// The posterior in a report: its picture, and what it says of each parameter.
#include <cmath>

#include "io/number_text.hpp"
#include "report/drawing/corner.hpp"
#include "report/report_sections.hpp"

namespace epsfree {
namespace {

// More columns are no table for a person.
constexpr Index kMostCorrelations = 12;

PageTable parameter_table(const PosteriorTable& of) {
  PageTable table{.caption = "Parameters",
                  .header = {"Parameter", "Mean", "Standard deviation", "95% interval"},
                  .rows = {}};
  if (of.truth) table.header.push_back("Truth");
  for (std::size_t i = 0; i < of.names.size(); ++i) {
    const auto d = static_cast<Index>(i);
    PageRow row{.cells = {of.names[i], short_number(of.mean[d]),
                          short_number(of.standard_deviation[d]),
                          short_number(of.lower[d]) + " to " + short_number(of.upper[d])}};
    if (of.truth) row.cells.push_back(short_number((*of.truth)[d]));
    table.rows.push_back(std::move(row));
  }
  return table;
}

PageTable correlation_table(const Posterior& posterior) {
  PageTable table{.caption = "Correlations", .header = {"Parameter"}, .rows = {}};
  const Eigen::MatrixXd covariance = posterior.covariance();
  const std::vector<std::string>& names = posterior.names();
  for (const std::string& name : names) table.header.push_back(name);
  for (Index i = 0; i < posterior.dim(); ++i) {
    PageRow row{.cells = {names[static_cast<std::size_t>(i)]}};
    for (Index j = 0; j < posterior.dim(); ++j) {
      const double scale = std::sqrt(covariance(i, i) * covariance(j, j));
      row.cells.push_back(i == j      ? "1"
                          : scale > 0 ? fixed_number(covariance(i, j) / scale, 2)
                                      : "–");
    }
    table.rows.push_back(std::move(row));
  }
  return table;
}

PageFigure picture(const RunContents& run) {
  const std::optional<Eigen::VectorXd> truth =
      run.summary ? run.summary->posterior.truth : std::nullopt;
  const CornerPlot plot = corner_plot(run.posterior, truth);
  const bool single = plot.marginals.size() == 1;
  const bool with_prior = plot.marginals.front().prior.size() > 0;
  std::string caption = single ? "The posterior" : "Marginals of the posterior";
  if (with_prior) caption += single ? " and the prior" : " and of the prior";
  if (!single) {
    caption += ", and the regions that hold 50% and 90% of the mass of each pair of parameters";
  }
  caption += plot.exact ? ", from the posterior's density" : ", from smoothed samples";
  caption += plot.truth ? ", with the true parameters." : ".";
  if (!single) caption += " ρ are correlations.";
  if (plot.num_left_out > 0) {
    caption += " The first " + std::to_string(plot.marginals.size()) + " parameters; the other " +
               std::to_string(plot.num_left_out) + " are in the table.";
  }
  const std::string title = "The posterior";
  return {.name = "posterior",
          .title = title,
          .caption = caption,
          .svg = corner_svg(plot, "posterior", title, caption),
          .csv = corner_csv(plot),
          .wide = !single,
          .narrow_svg = narrow_corner_svg(plot, "posterior-narrow", title, caption)};
}

}  // namespace

std::optional<PageSection> posterior_section(const RunContents& run) {
  if (!run.posterior) return std::nullopt;
  PageSection section{.heading = "Posterior"};
  const std::optional<Eigen::VectorXd> truth =
      run.summary ? run.summary->posterior.truth : std::nullopt;
  section.tables.push_back(
      parameter_table(run.summary ? run.summary->posterior : tabulate(*run.posterior, truth)));
  if (run.posterior->dim() > 1 && run.posterior->dim() <= kMostCorrelations) {
    section.tables.push_back(correlation_table(*run.posterior));
  }
  section.figures.push_back(picture(run));
  return section;
}

}  // namespace epsfree
