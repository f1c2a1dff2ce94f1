// What the summary of a run says of its answer.
#include <algorithm>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "diagnose/short_text.hpp"
#include "epsfree/diagnose.hpp"

namespace epsfree {
namespace {

/// What was believed after so many simulations.
struct Belief {
  double num_simulations;
  const RoundSummary* round;
};

std::vector<Belief> beliefs(const Summary& summary) {
  std::vector<Belief> result;
  double simulations = static_cast<double>(summary.num_pilot_simulations);
  for (const RoundSummary& round : summary.rounds) {
    simulations += static_cast<double>(round.simulations.total());
    const bool known = round.mean.size() > 0 &&
                       round.standard_deviation.size() == round.mean.size() &&
                       (round.standard_deviation.array() > 0).all() && round.mean.allFinite();
    if (known) result.push_back({simulations, &round});
  }
  // Only like can be compared with like: the final fit of a method with rounds is of another kind,
  // and so finer, than theirs.
  const bool has_final = !result.empty() && result.back().round->phase == "final";
  if (has_final && result.size() > 2) result.pop_back();
  return result;
}

/// The larger of the mean's movement in standard deviations and the change of their logarithm, over
/// all parameters.
double change(const RoundSummary& from, const RoundSummary& to) {
  const double moved =
      (to.mean - from.mean).cwiseAbs().cwiseQuotient(to.standard_deviation).maxCoeff();
  const double scaled =
      (to.standard_deviation.array() / from.standard_deviation.array()).log().abs().maxCoeff();
  return std::max(moved, scaled);
}

Diagnosis judged(Diagnosis diagnosis) {
  judge_together(std::span(&diagnosis, 1));
  return diagnosis;
}

/// Simulations and the change to the last belief, of each of them.
DiagnosisTable change_table(const std::vector<Belief>& all) {
  const Index dim = all.back().round->mean.size();
  DiagnosisTable table{"rounds",
                       {"simulations", "change to the last"},
                       Eigen::MatrixXd(static_cast<Index>(all.size()), 2 + 2 * dim)};
  for (Index d = 1; d <= dim; ++d) table.columns.push_back("mean " + std::to_string(d));
  for (Index d = 1; d <= dim; ++d)
    table.columns.push_back("standard deviation " + std::to_string(d));
  for (std::size_t i = 0; i < all.size(); ++i) {
    const RoundSummary& round = *all[i].round;
    table.values.row(static_cast<Index>(i)) << all[i].num_simulations,
        change(round, *all.back().round), round.mean.transpose(),
        round.standard_deviation.transpose();
  }
  return table;
}

Diagnosis budget_diagnosis(double expected, std::string meaning) {
  return {.name = "budget",
          .quantity = "expected change",
          .value = expected,
          .bad = Bad::high,
          .warn_at = 0.5,
          .threshold = 2,
          .meaning = std::move(meaning),
          .advice = "Raise the budget: more simulations would still move the answer.",
          .citation = "Lueckmann et al. 2021"};
}

}  // namespace

std::optional<Diagnosis> round_convergence(const Summary& summary) {
  const std::vector<Belief> all = beliefs(summary);
  if (all.size() < 2) return std::nullopt;
  const double last = change(*all[all.size() - 2].round, *all.back().round);
  return judged({.name = "round-convergence",
                 .quantity = "change",
                 .value = last,
                 .bad = Bad::high,
                 .warn_at = 1,
                 .threshold = 3,
                 .meaning = "The last round moved the posterior by " + short_text(last) +
                            " of its standard deviations (mean, or logarithm of the deviation, "
                            "whichever moved most).",
                 .advice = "It has not settled: allow more rounds or a larger budget.",
                 .citation = "Papamakarios & Murray 2016, section 3.1",
                 .tables = {change_table(all)}});
}

std::optional<Diagnosis> budget_curve(const Summary& summary) {
  const std::vector<Belief> all = beliefs(summary);
  if (!std::isnan(summary.expected_change)) {
    // The method has predicted the change from its own simulations.
    Diagnosis result = budget_diagnosis(
        summary.expected_change,
        "Fits to parts of the simulations suggest that twice as many simulations would move the "
        "posterior by about " +
            short_text(summary.expected_change) +
            " of its standard deviations (mean, or logarithm of the deviation, whichever moves "
            "most).");
    if (!all.empty()) result.tables = {change_table(all)};
    return judged(std::move(result));
  }
  if (all.size() < 2) return std::nullopt;
  // The last belief from at most half of the simulations, else the first.
  const Belief* half = &all.front();
  for (const Belief& each : all) {
    if (each.num_simulations <= 0.5 * all.back().num_simulations) half = &each;
  }
  if (half == &all.back()) return std::nullopt;
  const double seen = change(*half->round, *all.back().round);
  // Errors fall as the root of the number n: from n / factor to n the answer moves by
  // (sqrt(factor) - 1) / sqrt(n) times a constant, from n to 2 n by (1 - sqrt(1/2)) times that.
  const double factor = all.back().num_simulations / half->num_simulations;
  const double share = factor > 1 ? (1 - std::sqrt(0.5)) / (std::sqrt(factor) - 1) : 1;
  const double expected = seen * std::min(share, 1.0);
  Diagnosis result = budget_diagnosis(
      expected, "From " + std::to_string(static_cast<long>(half->num_simulations)) + " to " +
                    std::to_string(static_cast<long>(all.back().num_simulations)) +
                    " simulations the posterior changed by " + short_text(seen) +
                    " of its standard deviations; doubling them would change it by about " +
                    short_text(expected) + ".");
  result.tables = {change_table(all)};
  return judged(std::move(result));
}

Diagnosis support_mass(const Summary& summary) {
  // Each parameter's share, had all the same: with many of them little of each adds up to much.
  const Index dim =
      summary.rounds.empty() ? 1 : std::max<Index>(1, summary.rounds.back().mean.size());
  const double outside = 1 - std::pow(summary.mass_on_support, 1 / static_cast<double>(dim));
  return judged(
      {.name = "support",
       .quantity = "mass outside, per parameter",
       .value = outside,
       .bad = Bad::high,
       .warn_at = 0.5,
       .threshold = 0.8,
       .meaning = short_text(100 * (1 - summary.mass_on_support)) +
                  "% of the density lay outside the prior's support before it was cut off there, " +
                  short_text(100 * outside) + "% per parameter.",
       .advice = "The observation asks for parameters at or beyond the prior's edge: widen the "
                 "prior if that "
                 "makes sense, else check the observation.",
       .citation = "Papamakarios & Murray 2016, appendix C; Greenberg, Nonnenmacher & Macke 2019",
       .tables = {{"mass",
                   {"on the support", "its error"},
                   Eigen::RowVector2d(summary.mass_on_support, summary.mass_on_support_error)}}});
}

std::optional<Diagnosis> sample_size(const Summary& summary) {
  if (!(summary.effective_sample_size > 0)) return std::nullopt;
  return judged(
      {.name = "effective-sample-size",
       .quantity = "samples",
       .value = summary.effective_sample_size,
       .bad = Bad::low,
       .warn_at = 100,
       .threshold = 20,
       .meaning = "The posterior's samples are worth " + short_text(summary.effective_sample_size) +
                  " independent ones.",
       .advice =
           "Quantiles and tails are not to be trusted: raise the budget or relax the tolerance.",
       .citation = "Papamakarios & Murray 2016, appendix E"});
}

std::optional<Diagnosis> tolerance(const Summary& summary) {
  if (!summary.is_abc() || summary.adjustment != "none") return std::nullopt;
  if (std::isnan(summary.blur)) {
    return Diagnosis{
        .name = "tolerance",
        .quantity = "change by regression",
        .value = summary.blur,
        .bad = Bad::high,
        .warn_at = 0.5,
        .threshold = 2,
        .verdict = Verdict::warn,
        .meaning = "What was accepted within epsilon = " + short_text(summary.epsilon) +
                   " is too little to tell how far epsilon blurs the answer.",
        .advice =
            "With so many statistics it is likely to: accept more samples, "
            "raise the budget, use fewer statistics or the default method.",
        .citation = "Beaumont, Zhang & Balding 2002"};
  }
  return judged(
      {.name = "tolerance",
       .quantity = "change by regression",
       .value = summary.blur,
       .bad = Bad::high,
       .warn_at = 0.5,
       .threshold = 2,
       .meaning = "Within epsilon = " + short_text(summary.epsilon) +
                  " of the observation the parameters still follow the statistics: a linear "
                  "regression would change the posterior by " +
                  short_text(summary.blur) +
                  " (mean in standard deviations, or logarithm of the deviation, whichever moves "
                  "most).",
       .advice = "Epsilon blurs the answer: adjust it (method.abc.adjust = \"linear\"), raise the "
                 "budget, or use the default method.",
       .citation = "Beaumont, Zhang & Balding 2002"});
}

std::optional<Diagnosis> acceptance(const Summary& summary) {
  if (summary.chains.num_chains == 0) return std::nullopt;
  const double rate = summary.chains.acceptance_rate;
  return judged({.name = "acceptance",
                 .quantity = "rate",
                 .value = rate,
                 .bad = Bad::low,
                 .warn_at = 0.02,
                 .threshold = 0.001,
                 .meaning = "The chains accepted " + short_text(100 * rate) + "% of their steps.",
                 .advice = "They hardly move: take smaller steps or a larger epsilon.",
                 .citation = "Roberts, Gelman & Gilks 1997"});
}

std::optional<Diagnosis> chain_agreement(const Summary& summary) {
  if (summary.chains.rhat.size() == 0) return std::nullopt;
  return chain_agreement(summary.chains.rhat);
}

std::vector<Diagnosis> diagnose(const Summary& summary, const std::vector<std::string>& names) {
  std::vector<Diagnosis> all;
  for (std::optional<Diagnosis> each :
       {failed_simulations(summary, names), round_convergence(summary), budget_curve(summary),
        std::optional(support_mass(summary)), sample_size(summary), tolerance(summary),
        acceptance(summary), chain_agreement(summary)}) {
    if (each) all.push_back(*std::move(each));
  }
  return all;
}

}  // namespace epsfree
