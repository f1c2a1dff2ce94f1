#include <cmath>

#include "diagnose/short_text.hpp"
#include "epsfree/diagnose.hpp"

namespace epsfree {

Diagnosis chain_agreement(const Eigen::Ref<const Eigen::VectorXd>& rhats) {
  Diagnosis result{
      .name = "rhat",
      .quantity = "R-hat",
      .value = rhats.hasNaN() ? std::nan("") : rhats.maxCoeff(),
      .bad = Bad::high,
      .warn_at = 1.01,
      .threshold = 1.1,
      .advice = "Let the chains run longer, or look for modes that they do not pass between.",
      .citation = "Vehtari et al. 2021",
      .tables = {{"parameters", {"R-hat"}, rhats}}};
  result.meaning = "The halves of the chains differ from each other by an R-hat of " +
                   short_text(result.value) + "; 1 is none.";
  judge_together(std::span(&result, 1));
  return result;
}

std::vector<Diagnosis> diagnose_chains(std::span<const Eigen::MatrixXd> chains) {
  const double size = effective_size_of_chains(chains);
  std::vector<Diagnosis> result;
  result.push_back(chain_agreement(split_rhat(chains)));
  result.push_back({.name = "effective-sample-size",
                    .quantity = "samples",
                    .value = size,
                    .bad = Bad::low,
                    .warn_at = 100 * static_cast<double>(chains.size()),
                    .threshold = 10 * static_cast<double>(chains.size()),
                    .meaning = "The chains are worth " + short_text(size) + " independent samples.",
                    .advice = "Let the chains run longer.",
                    .citation = "Vehtari et al. 2021; Papamakarios & Murray 2016, appendix E"});
  judge_together(result);
  return result;
}

}  // namespace epsfree
