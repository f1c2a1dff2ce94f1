#include "paper/claim_parts.hpp"

#include <cmath>
#include <cstdio>

namespace epsfree {

std::string digits(double value) {
  if (std::isnan(value)) return "none";
  const bool whole = std::abs(value) >= 100 && std::abs(value) < 1e6;
  char text[32];
  std::snprintf(text, sizeof text, whole ? "%.0f" : "%.3g", value);
  return text;
}

bool all_chosen(const PaperResults& results, const std::vector<std::string>& models,
                PaperClaim& claim) {
  ClaimListing missing;
  for (const std::string& model : models) {
    if (results.target(model) == nullptr) missing.add(model);
  }
  if (missing.empty()) return true;
  claim.measured = "not measured";
  claim.why = "not chosen: " + missing.text();
  return false;
}

std::vector<std::string> models_of(const PaperResults& results) {
  std::vector<std::string> names;
  for (const PaperTarget& target : results.targets) names.push_back(target.model);
  return names;
}

double neural_divergence(const PaperResults& results, const std::string& model,
                         const std::string& method) {
  return results.neural(model, method).median(&PaperRecord::divergence);
}

double best_gaussian_divergence(const PaperTarget& target) {
  const WeightedSamples samples(target.samples);
  const Gaussian gaussian = Gaussian::from_covariance(samples.mean(), samples.covariance());
  return -gaussian.log_probs(target.samples).mean() - target.entropy;
}

}  // namespace epsfree
