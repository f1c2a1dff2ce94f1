// The strategies of Papamakarios & Murray (2016), section 3.
#pragma once

#include "infer/inference_run.hpp"
#include "infer/method_entry.hpp"

namespace epsfree {

/// Algorithm 2 with the prior as its proposal.
InferResult mdn_with_prior(InferenceRun& run);
/// Algorithm 1 alone.
InferResult proposal_prior(InferenceRun& run);
/// Algorithm 1, then Algorithm 2 with the proposal it learnt.
InferResult mdn_with_proposal(InferenceRun& run);

MethodEntry mdn_with_prior_entry();
MethodEntry proposal_prior_entry();
MethodEntry mdn_with_proposal_entry();

}  // namespace epsfree
