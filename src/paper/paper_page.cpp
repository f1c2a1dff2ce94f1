#include "paper/paper_page.hpp"

#include <algorithm>

#include "base/words.hpp"
#include "epsfree/version.hpp"
#include "paper/claim_parts.hpp"
#include "paper/paper_figures.hpp"
#include "report/page.hpp"

namespace epsfree {
namespace {

/// Figures 1 to 4 in the paper's order.
std::string heading_of(const std::string& model) {
  const char* number = model == "mixture"             ? "1"
                       : model == "linear-regression" ? "2"
                       : model == "lotka-volterra"    ? "3"
                                                      : "4";
  return std::string("Figure ") + number + ": " + model_title(model);
}

PageTable claims_table(const std::vector<PaperClaim>& claims) {
  PageTable table{.caption = "",
                  .header = {"", "The paper's claim", "Holds if", "Measured", "Holds?"},
                  .rows = {}};
  for (const PaperClaim& claim : claims) {
    const std::string verdict = !claim.holds ? "not measured" : *claim.holds ? "yes" : "no";
    table.rows.push_back(
        {.cells = {std::to_string(claim.number), claim.claim, claim.criterion, claim.measured,
                   verdict + (claim.why.empty() ? "" : ": " + claim.why)},
         .kind = !claim.holds   ? "open"
                 : *claim.holds ? "holds"
                                : "fails"});
  }
  return table;
}

/// One row a method: what the figures are made of.
PageTable methods_table(const PaperResults& results, const std::string& model) {
  PageTable table{.caption = "Medians over the seeds; ABC at its smallest ε that gave an answer.",
                  .header = {"Method", "ε", "Simulations in all", "Effective samples",
                             "KL from the true posterior", "−log p(true parameters)", "Seconds"},
                  .rows = {}};
  const auto add = [&](const std::string& method, const PaperGroup& group) {
    if (group.records.empty()) return;
    const auto cell = [&](double PaperRecord::*field) {
      const double value = group.median(field);
      return value == value ? digits(value) : std::string();
    };
    table.rows.push_back(
        {.cells = {method_title(method), cell(&PaperRecord::epsilon),
                   digits(group.median(&PaperRecord::num_simulations)),
                   cell(&PaperRecord::effective_samples), cell(&PaperRecord::divergence),
                   cell(&PaperRecord::truth_score), cell(&PaperRecord::seconds)}});
  };
  for (const std::string& method : neural_methods()) add(method, results.neural(model, method));
  for (const std::string& method : paper_rivals()) {
    if (const auto group = results.nearest(model, method)) add(method, *group);
  }
  return table;
}

/// What ended without an answer, a line for each method: ABC's failing points are part of the
/// result.
std::vector<std::string> failures(const PaperResults& results, const std::string& model) {
  std::vector<std::string> lines;
  std::vector<std::string> methods = neural_methods();
  methods.insert(methods.end(), paper_rivals().begin(), paper_rivals().end());
  for (const std::string& method : methods) {
    Listing where;
    std::string why;
    for (const PaperGroup& group : results.groups(model, PaperTopic::figure, method)) {
      if (group.errors.empty()) continue;
      const std::size_t all = group.errors.size() + group.records.size();
      where.add((group.setting != 0 ? "at " + digits(group.setting) + " " : "") + "for " +
                std::to_string(group.errors.size()) + " of " + std::to_string(all) + " seeds");
      why = group.errors.front();
    }
    if (where.empty()) continue;
    lines.push_back(method_title(method) + " gave no answer " + where.text() +
                    ". The last: " + why + ".");
  }
  return lines;
}

const char* kWhyTheyDiffer =
    "The paper scores by the probability of the true parameters, which is not how far an answer is "
    "from the posterior: the exact posterior does not peak at the parameters that happened to make "
    "the data. On Lotka-Volterra they lie so far out in it that a method which is too broad scores "
    "better than the exact answer. Hence the divergence beside it.";

PageSection section_of(const PaperResults& results, const PaperTarget& target,
                       const std::vector<Figure>& figures, bool has_pdf) {
  PageSection section{.heading = heading_of(target.model)};
  section.paragraphs.push_back("Measured against " + target.source + ".");
  if (!target.exact) section.paragraphs.emplace_back(kWhyTheyDiffer);
  section.tables.push_back(methods_table(results, target.model));
  for (const Figure& figure : figures) {
    if (figure.name.rfind(target.model, 0) != 0) continue;
    section.figures.push_back(page_figure(figure, has_pdf));
  }
  section.notes = failures(results, target.model);
  return section;
}

std::string count_text(const std::vector<PaperClaim>& claims) {
  const auto count = [&](std::optional<bool> holds) {
    return std::count_if(claims.begin(), claims.end(),
                         [&](const PaperClaim& claim) { return claim.holds == holds; });
  };
  std::string text = "Of the paper's " + std::to_string(claims.size()) + " claims " +
                     std::to_string(count(true)) + " hold here and " +
                     std::to_string(count(false)) + " do not";
  if (count(std::nullopt) > 0)
    text += "; " + std::to_string(count(std::nullopt)) + " were not measured";
  return text + ". Each says by what measure.";
}

}  // namespace

std::string figures_html(const PaperResults& results, const std::vector<PaperClaim>& claims,
                         const std::vector<Figure>& figures, const std::string& without_pdf) {
  const bool has_pdf = without_pdf.empty();
  Page page{.title = "Fast ε-free inference: the figures and the claims"};
  page.lead = {
      "The experiments of Papamakarios & Murray, “Fast ε-free Inference of Simulation "
      "Models with Bayesian Conditional Density Estimation” (2016), made anew by epsfree, with its "
      "own default method beside the paper's three strategies and classical ABC."};
  if (!results.scale.full) page.lead.push_back(results.scale.describe());
  page.links = {{"claims.json", "claims.json"}};
  page.sections.push_back({.heading = "What became of the claims",
                           .paragraphs = {count_text(claims)},
                           .tables = {claims_table(claims)}});
  for (const PaperTarget& target : results.targets) {
    page.sections.push_back(section_of(results, target, figures, has_pdf));
  }
  page.footer =
      std::string("epsfree ") + version() + ", seeds " + std::to_string(results.scale.seed) +
      " to " +
      std::to_string(results.scale.seed +
                     static_cast<std::uint64_t>(results.scale.num_seeds() - 1)) +
      (has_pdf ? ". Each figure is an SVG, a PDF and a CSV file beside this page."
               : ". Each figure is an SVG and a CSV file beside this page. " + without_pdf);
  return page_html(page);
}

}  // namespace epsfree
