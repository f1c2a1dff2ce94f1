// Algorithm 1: training of the proposal prior.
#pragma once

#include <memory>
#include <optional>

#include "infer/mdn/network_run.hpp"

namespace epsfree {

/// What Algorithm 1 leaves behind.
struct LearntProposal {
  std::shared_ptr<Network> network;   ///< q with one component
  std::optional<Gaussian> posterior;  ///< a Gaussian approximation; none if no round gave one
  Proposal proposal;                  ///< p~: that Gaussian, widened
  Proposal trained_on;                ///< the p~ that the network's last training data came from
  Index num_examples = 0;             ///< how many those were
};

/// Runs the rounds; each is in the run's summary.
LearntProposal train_proposal_prior(InferenceRun& run);

}  // namespace epsfree
