// All that the reproduction of the paper has measured.
#pragma once

#include <string>
#include <vector>

#include "paper/paper_plan.hpp"

namespace epsfree {

/// The records of one setting, one for each seed.
struct PaperGroup {
  double setting = 0;
  std::vector<const PaperRecord*> records;  ///< of the inferences that gave an answer
  std::vector<std::string> errors;          ///< of those that did not

  /// Of what the records say; NaN if there are none.
  double median(double PaperRecord::*field) const;
  double median(long PaperRecord::*field) const;
  /// Simulations in all, or per effective sample where there are effective samples. As in the
  /// paper, what finds the starts of MCMC-ABC's chains is not counted.
  double median_cost() const;
};

/// The middle one, or the mean of the two; NaN of none. NaN among them is left out.
double median_of(std::vector<double> values);

struct PaperResults {
  PaperScale scale;
  std::vector<PaperTarget> targets;  ///< of the models chosen, in the paper's order
  std::vector<PaperPart> parts;
  std::vector<PaperRecord> records;  ///< one for each part

  /// Null if the model was not chosen.
  const PaperTarget* target(const std::string& model) const;
  /// One group for each setting, in the order of the plan. Empty if the model was not chosen.
  std::vector<PaperGroup> groups(const std::string& model, PaperTopic topic,
                                 const std::string& method) const;
  /// The only group of a neural method.
  PaperGroup neural(const std::string& model, const std::string& method) const;
  /// Of an ABC method, the one with the smallest epsilon that gave answers; none if none did.
  std::optional<PaperGroup> nearest(const std::string& model, const std::string& method) const;
  /// The same with the smallest divergence.
  std::optional<PaperGroup> best(const std::string& model, const std::string& method) const;
};

}  // namespace epsfree
