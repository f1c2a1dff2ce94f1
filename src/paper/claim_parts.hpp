// What the sentences of claims are made of.
#pragma once

#include <string>
#include <vector>

#include "base/words.hpp"
#include "paper/paper_claims.hpp"

namespace epsfree {

/// Three digits: "0.0123", "2800", "1.5e+06"; "none" for what is not a number.
std::string digits(double value);

/// "a; b; c" as it grows.
class ClaimListing : public Listing {
 public:
  ClaimListing() : Listing("; ") {}
};

/// Whether all of `models` were chosen; if not, the claim says which are missing.
bool all_chosen(const PaperResults& results, const std::vector<std::string>& models,
                PaperClaim& claim);

std::vector<std::string> models_of(const PaperResults& results);

/// The median over the seeds.
double neural_divergence(const PaperResults& results, const std::string& model,
                         const std::string& method);

/// KL(true posterior || the Gaussian with its mean and covariance): the best a Gaussian can do.
double best_gaussian_divergence(const PaperTarget& target);

}  // namespace epsfree
