// The claims about the posteriors that are learnt: 1 to 3.
#include <algorithm>
#include <cmath>

#include "paper/claim_parts.hpp"
#include "paper/paper_claims.hpp"
#include "paper/paper_figures.hpp"

namespace epsfree {
namespace {

constexpr double kGood = 0.1;         ///< nats from the true posterior that count as a good fit
constexpr double kNoticeable = 0.25;  ///< nats that a figure would show

}  // namespace

PaperClaim claim_rounds(const PaperResults& results) {
  PaperClaim claim{.number = 1,
                   .claim = "Algorithm 1 needs 4 to 6 rounds of 200 to 500 simulations.",
                   .criterion =
                       "For every model, going on until the proposal stands still (KL to the "
                       "one before below 0.05), for up to 12 rounds, brings its KL from the "
                       "true posterior down by at most 0.25 (medians over seeds)."};
  ClaimListing text, slow;
  for (const std::string& model : models_of(results)) {
    const PaperGroup longer = results.groups(model, PaperTopic::rounds, "proposal-prior").front();
    std::vector<double> rounds;
    for (const PaperRecord* record : longer.records) rounds.push_back(record->num_rounds);
    const InferOptions options = paper_options(model, "proposal-prior", results.scale);
    const RoundsOptions& authors = std::get<ProposalPriorOptions>(options.method).rounds;
    const double before = neural_divergence(results, model, "proposal-prior");
    const double after = longer.median(&PaperRecord::divergence);
    text.add(model + ": KL " + digits(before) + " after " + std::to_string(authors.max_rounds) +
             " rounds of " + std::to_string(authors.num_simulations) + ", " + digits(after) +
             " after " + digits(median_of(rounds)));
    claim.numbers.emplace_back(model + " KL after the authors' rounds", before);
    claim.numbers.emplace_back(model + " KL after more", after);
    claim.numbers.emplace_back(model + " rounds until it stands still, at most 12",
                               median_of(rounds));
    if (!(before - after <= kNoticeable)) slow.add(model);
  }
  claim.measured = text.text() + ".";
  claim.holds = slow.empty();
  if (!*claim.holds) {
    claim.why = "More rounds would have helped: " + slow.text() +
                ". Each round learns from its own simulations only, so that with few of them the "
                "Gaussian goes on improving.";
  }
  return claim;
}

PaperClaim claim_mixture_posteriors(const PaperResults& results) {
  PaperClaim claim{
      .number = 2,
      .claim =
          "Mixture: MDN with prior and MDN with proposal approximate the posterior well, and "
          "the proposal prior is a good Gaussian approximation.",
      .criterion =
          "Median KL at most 0.1 for both; the proposal prior's at most 0.1 above that of "
          "the best Gaussian."};
  if (!all_chosen(results, {"mixture"}, claim)) return claim;
  const double prior = neural_divergence(results, "mixture", "mdn-with-prior");
  const double proposal = neural_divergence(results, "mixture", "mdn-with-proposal");
  const double gaussian = neural_divergence(results, "mixture", "proposal-prior");
  const double best = best_gaussian_divergence(*results.target("mixture"));
  const double own = neural_divergence(results, "mixture", "auto");
  claim.numbers = {{"MDN with prior", prior},
                   {"MDN with proposal", proposal},
                   {"proposal prior", gaussian},
                   {"best Gaussian", best},
                   {"epsfree's default", own}};
  claim.measured = "KL " + digits(prior) + " (MDN with prior), " + digits(proposal) +
                   " (MDN with proposal), " + digits(gaussian) +
                   " (proposal prior; the best Gaussian has " + digits(best) +
                   "). epsfree's default: " + digits(own) + ".";
  claim.holds = prior <= kGood && proposal <= kGood && gaussian <= best + kGood;
  if (!*claim.holds) {
    ClaimListing why;
    if (!(prior <= kGood)) why.add("the MDN with prior was not trained to the end");
    if (!(proposal <= kGood)) {
      why.add("dividing by the proposal amplifies what the network has wrong in the tails");
    }
    if (!(gaussian <= best + kGood)) {
      why.add(
          "one Gaussian that is learnt in rounds comes to rest on the narrow core: each "
          "round sees less of the tails than the one before");
    }
    claim.why = why.text() + ".";
  }
  return claim;
}

PaperClaim claim_mixture_observations(const PaperResults& results) {
  constexpr double kNear = 0.4;
  PaperClaim claim{
      .number = 3,
      .claim = "Mixture: MDN with prior is accurate for many x, MDN with proposal only near x_o.",
      .criterion =
          "KL at most 0.25 for 90% of x from -8 to 8 with the prior; with the proposal for "
          "90% of x within 0.4 of x_o = 0, and for less than half of all x."};
  if (!all_chosen(results, {"mixture"}, claim)) return claim;
  const auto share = [&](const std::string& method, double reach) {
    std::vector<double> shares;
    for (const PaperRecord* record : results.neural("mixture", method).records) {
      double good = 0, all = 0;
      for (Index i = 0; i < record->x_grid.size(); ++i) {
        if (std::abs(record->x_grid[i]) > reach + 1e-9) continue;
        all += 1;
        good += record->divergence_by_x[i] <= kNoticeable ? 1 : 0;
      }
      shares.push_back(good / all);
    }
    return median_of(shares);
  };
  const double prior = share("mdn-with-prior", 8), near = share("mdn-with-proposal", kNear),
               far = share("mdn-with-proposal", 8);
  claim.numbers = {{"MDN with prior, all x", prior},
                   {"MDN with proposal, near x_o", near},
                   {"MDN with proposal, all x", far}};
  claim.measured = "Within 0.25 nats: MDN with prior at " + digits(100 * prior) +
                   "% of x; MDN with proposal at " + digits(100 * near) + "% of x near x_o and " +
                   digits(100 * far) + "% of all.";
  claim.holds = prior >= 0.9 && near >= 0.9 && far < 0.5;
  if (!*claim.holds) {
    claim.why = prior >= 0.9
                    ? "The MDN with proposal is accurate " +
                          std::string(near >= 0.9 ? "farther from x_o than claimed."
                                                  : "at x_o, but not everywhere around it.")
                    : "The MDN with prior needs more steps than it was given for the narrow "
                      "component at every x.";
  }
  return claim;
}

}  // namespace epsfree
