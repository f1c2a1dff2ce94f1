// Algorithm 1: training of the proposal prior.
#pragma once

#include <memory>

#include "infer/inference_run.hpp"

namespace epsfree {

/// What Algorithm 1 leaves behind.
struct LearntProposal {
  std::shared_ptr<Network> network;  ///< q with one component
  Proposal proposal;                 ///< p~: a Gaussian approximation of the posterior
  Proposal trained_on;               ///< the p~ that the network's last training data came from
};

/// Runs the rounds; each is in the run's summary.
LearntProposal train_proposal_prior(InferenceRun& run);

}  // namespace epsfree
