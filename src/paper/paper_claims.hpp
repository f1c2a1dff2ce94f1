// What the paper claims, and whether it holds here.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "paper/paper_results.hpp"

namespace epsfree {

struct PaperClaim {
  int number = 0;
  std::string claim;
  std::string criterion;      ///< when it is said to hold
  std::string measured = {};  ///< what was seen, in a sentence or two
  /// The figures behind that sentence, by name.
  std::vector<std::pair<std::string, double>> numbers = {};
  std::optional<bool> holds = {};  ///< none: its model was not chosen
  std::string why = {};            ///< where it does not hold, or was not measured
};

/// All thirteen, in order.
std::vector<PaperClaim> judge_claims(const PaperResults& results);

// Each of them.
PaperClaim claim_rounds(const PaperResults& results);                // 1
PaperClaim claim_mixture_posteriors(const PaperResults& results);    // 2
PaperClaim claim_mixture_observations(const PaperResults& results);  // 3
PaperClaim claim_smaller_epsilon(const PaperResults& results);       // 4
PaperClaim claim_best_approximations(const PaperResults& results);   // 5
PaperClaim claim_fewer_simulations(const PaperResults& results);     // 6
PaperClaim claim_cheaper_proposal(const PaperResults& results);      // 7
PaperClaim claim_one_component(const PaperResults& results);         // 8
PaperClaim claim_more_confident(const PaperResults& results);        // 9
PaperClaim claim_smaller_network(const PaperResults& results);       // 10
PaperClaim claim_overfitting(const PaperResults& results);           // 11
PaperClaim claim_rare_failures(const PaperResults& results);         // 12
PaperClaim claim_eight_components(const PaperResults& results);      // 13

/// As versioned JSON (docs/formats.md).
std::string claims_json(const std::vector<PaperClaim>& claims, const PaperResults& results);

}  // namespace epsfree
