#include "paper/paper_claims.hpp"

#include <nlohmann/json.hpp>

#include "epsfree/version.hpp"
#include "io/json_reader.hpp"

namespace epsfree {

std::vector<PaperClaim> judge_claims(const PaperResults& results) {
  return {claim_rounds(results),
          claim_mixture_posteriors(results),
          claim_mixture_observations(results),
          claim_smaller_epsilon(results),
          claim_best_approximations(results),
          claim_fewer_simulations(results),
          claim_cheaper_proposal(results),
          claim_one_component(results),
          claim_more_confident(results),
          claim_smaller_network(results),
          claim_overfitting(results),
          claim_rare_failures(results),
          claim_eight_components(results)};
}

std::string claims_json(const std::vector<PaperClaim>& claims, const PaperResults& results) {
  nlohmann::ordered_json json;
  json["format"] = "epsfree-claims";
  json["version"] = 1;
  json["epsfree_version"] = version();
  json["full"] = results.scale.full;
  json["first_seed"] = results.scale.seed;
  json["num_seeds"] = results.scale.num_seeds();
  for (const PaperTarget& target : results.targets) {
    json["measured_against"][target.model] = target.source;
  }
  json["claims"] = nlohmann::ordered_json::array();
  for (const PaperClaim& claim : claims) {
    nlohmann::ordered_json row;
    row["number"] = claim.number;
    row["claim"] = claim.claim;
    row["criterion"] = claim.criterion;
    row["measured"] = claim.measured;
    row["numbers"] = nlohmann::ordered_json::object();
    for (const auto& [name, value] : claim.numbers) row["numbers"][name] = to_json(value);
    row["holds"] = claim.holds ? nlohmann::json(*claim.holds) : nlohmann::json();
    row["why"] = claim.why;
    json["claims"].push_back(std::move(row));
  }
  return json.dump(2) + "\n";
}

}  // namespace epsfree
