// What the answers of the paper's four experiments are measured against.
#pragma once

#include <Eigen/Core>
#include <optional>
#include <string>

#include "epsfree/infer.hpp"
#include "epsfree/models.hpp"
#include "epsfree/truncated_mixture.hpp"

namespace epsfree {

struct PaperTarget {
  std::string model;
  Problem problem;
  PosteriorPtr exact;                                 ///< none where it is not known
  Eigen::MatrixXd samples;                            ///< of the true posterior
  std::optional<Eigen::VectorXd> log_densities = {};  ///< theirs, if it is exact
  double entropy = 0;                                 ///< of the true posterior
  std::string source;                                 ///< where the samples come from, for people
  Index parameter = 0;          ///< whose marginal or estimate the figure shows
  std::string parameter_label;  ///< its name there

  /// Changes with the samples.
  std::string fingerprint() const;
  /// KL(true posterior || q), with its standard error.
  Estimate divergence(const Posterior& q) const;
};

/// The exact posterior where it is known; else the samples in `reference`, a directory of
/// MODEL_posterior.csv; else, where that is empty, the samples `made`.
PaperTarget paper_target(const std::string& model_name, const std::string& reference,
                         const WeightedSamples* made);

/// Whether paper_target needs a posterior that is made for it.
bool needs_reference(const std::string& model_name, const std::string& reference);

/// A long run of classical ABC, which owes nothing to the methods that it is to judge but where to
/// look: simulations from the prior near the answer of the default method, the nearest of them
/// adjusted by regression.
struct ReferenceRun {
  Problem problem;  ///< with the prior, which is flat, cut down to a box around the answer
  InferOptions options;
};
ReferenceRun reference_run(const std::string& model_name, bool full, std::uint64_t seed,
                           Runner& runner, Observer& observer);

}  // namespace epsfree
