// Options of the strategies of Papamakarios & Murray (2016), section 3: mixture density networks of
// the parameters given the statistics.
#pragma once

#include "epsfree/mixture_density_network.hpp"
#include "epsfree/standardiser.hpp"
#include "epsfree/training.hpp"

namespace epsfree {

/// How the statistics are brought to a common scale before a network sees them.
struct PilotOptions {
  Scaling scaling = Scaling::normalise;
  /// Prior simulations to learn the scale from, part of the budget; none with Scaling::as_is.
  Index num_simulations = 200;
  /// How many these are.
  Index planned() const { return scaling == Scaling::as_is ? 0 : num_simulations; }
};

/// Algorithm 1: rounds in which a one-component network learns the proposal.
struct RoundsOptions {
  int max_rounds = 6;
  /// Simulations a round. 0: chosen so that all rounds fit into the budget; where a final training
  /// follows, that gets as many simulations as five rounds.
  Index num_simulations = 0;
  /// Stop when KL(new proposal || the one before) falls below this; 0: always max_rounds.
  double tolerance = 0.05;
  /// The proposal is the learnt Gaussian with its covariance times this; 1 is the paper's. More
  /// keeps one Gaussian from collapsing onto the core of a posterior with long tails, and makes the
  /// division by the proposal less sensitive.
  double widening = 2;
  double weight_precision = 0.01;  ///< lambda of the rounds' network
  TrainingOptions training = {
      .num_steps = 3000, .learning_rate = 1e-2, .schedule = Schedule::cosine};
};

/// Algorithm 2 with the prior as its proposal: one training, which holds for any observation.
struct MdnWithPriorOptions {
  NetworkOptions network = {};
  TrainingOptions training = {
      .num_steps = 5000, .learning_rate = 5e-3, .schedule = Schedule::cosine};
  PilotOptions pilot = {};
  /// Standardise z by the prior's mean and standard deviation before a network sees it.
  bool standardise_parameters = true;
  double min_weight = 1e-3;  ///< components below are pruned
};

/// Algorithm 1: a Gaussian posterior, learnt in rounds.
struct ProposalPriorOptions {
  NetworkOptions network = {};  ///< used with one component
  RoundsOptions rounds = {};
  PilotOptions pilot = {};
  bool standardise_parameters = true;  ///< as above
  double min_weight = 1e-3;
};

/// Algorithm 1, then Algorithm 2 with the proposal it learnt.
struct MdnWithProposalOptions {
  NetworkOptions network = {};  ///< the final network; the rounds use it with one component
  /// The final one.
  TrainingOptions training = {
      .num_steps = 5000, .learning_rate = 5e-3, .schedule = Schedule::cosine};
  RoundsOptions rounds = {};
  PilotOptions pilot = {};
  bool standardise_parameters = true;  ///< as above
  double min_weight = 1e-3;            ///< components below are pruned before the correction
  double replica_noise = 1e-6;         ///< noise on the replicated components' means
};

}  // namespace epsfree
