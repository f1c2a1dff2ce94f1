// Learning a posterior: the default method, the three strategies of Papamakarios & Murray (2016),
// section 3, and the methods they are measured against.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "epsfree/abc.hpp"
#include "epsfree/error.hpp"
#include "epsfree/estimator.hpp"
#include "epsfree/journal.hpp"
#include "epsfree/mixture_density_network.hpp"
#include "epsfree/observer.hpp"
#include "epsfree/posterior.hpp"
#include "epsfree/problem.hpp"
#include "epsfree/runner.hpp"
#include "epsfree/simulation_set.hpp"
#include "epsfree/standardiser.hpp"
#include "epsfree/summary.hpp"
#include "epsfree/synthetic_options.hpp"
#include "epsfree/training.hpp"

namespace epsfree {

enum class Method {
  automatic,  ///< the default: one observation, one budget, everything else chosen from the data
  mdn_with_prior,     ///< Algorithm 2 with the prior as its proposal and a plain MDN
  proposal_prior,     ///< Algorithm 1: a Gaussian posterior, learnt in rounds
  mdn_with_proposal,  ///< Algorithm 1, then Algorithm 2 with the proposal it learnt
  rejection_abc,
  mcmc_abc,
  smc_abc,
  synthetic_likelihood,  ///< Markov chains on a likelihood made from simulations
};
/// "auto", "mdn-with-prior", ...
std::string to_string(Method method);

/// How the statistics are brought to a common scale before a network sees them.
struct PilotOptions {
  Scaling scaling = Scaling::normalise;
  Index num_simulations =
      200;  ///< prior simulations to learn the scale from; counted in the budget
  void validate() const;
};

/// Algorithm 1: rounds in which a one-component network learns the proposal.
struct RoundsOptions {
  int max_rounds = 6;
  Index num_simulations = 400;  ///< a round
  /// Stop when KL(new proposal || the one before) falls below this; 0: always max_rounds.
  double tolerance = 0.05;
  /// The proposal is the learnt Gaussian with its covariance times this; 1 is the paper's. More
  /// keeps one Gaussian from collapsing onto the core of a posterior with long tails, and makes the
  /// division by the proposal less sensitive.
  double widening = 2;
  double weight_precision = 0.01;  ///< lambda of the rounds' network
  TrainingOptions training = {
      .num_steps = 3000, .learning_rate = 1e-2, .schedule = Schedule::cosine};
  void validate() const;
};

/// The default method, which needs no settings; these are for experiments.
struct AutoOptions {
  int max_components = 16;  ///< of the largest mixture of the final fit
  bool network = true;      ///< whether a network may be trained where mixtures do not suffice
  /// Factor on the covariance of each proposal; 0: 5^(2/D), from 1.5 to 4, with which a proposal
  /// covers about five times the volume of the posterior whatever the dimension.
  double widening = 0;
  /// Return the rest of the budget unspent when twice the simulations changed the posterior by less
  /// than this KL divergence; 0: always spend all of it.
  double tolerance = 0.001;
  /// Budgets that were spent before this one was granted, ascending: the rounds are those of the
  /// first until it is spent, and so on, so that a run whose budget grows keeps all it has.
  std::vector<long> earlier_budgets = {};
  void validate() const;
};

struct InferOptions {
  Method method = Method::automatic;
  std::uint64_t seed = 1;
  /// Of the default method, the ABC methods and the synthetic likelihood: the whole budget, every
  /// call of the simulator. Else of the final (or only) training.
  Index num_simulations = 2000;
  AutoOptions automatic = {};
  AbcOptions abc = {};  ///< of the three methods below
  RejectionOptions rejection = {};
  McmcOptions mcmc = {};
  SmcOptions smc = {};
  SyntheticOptions synthetic = {};
  NetworkOptions network = {};  ///< of the final training; the rounds use it with one component
  /// The final (or only) training.
  TrainingOptions training = {
      .num_steps = 5000, .learning_rate = 5e-3, .schedule = Schedule::cosine};
  RoundsOptions rounds = {};  ///< Algorithm 1; not used by mdn-with-prior
  PilotOptions pilot = {};
  /// Standardise z by the prior's mean and standard deviation before a network sees it.
  bool standardise_parameters = true;
  double min_weight = 1e-3;     ///< components below are pruned before the correction
  double replica_noise = 1e-6;  ///< noise on the replicated components' means
  /// Let the default method fill Summary::expected_change, which the check of the budget reads. It
  /// costs five more fits, on parts of the simulations, and does not change the posterior.
  bool predict_change = false;
  void validate() const;
};

struct InferResult {
  PosteriorPtr posterior;
  std::shared_ptr<const Estimator> estimator;  ///< none from the default and the ABC methods,
                                               ///< whose answers hold for the one observation only
  Summary summary;
};

/// What infer throws, with ErrorKind::stopped, where simulations ended by faults: it knows the
/// first of them, so that it can be repeated and looked at.
class StoppedByFaults : public Error {
 public:
  StoppedByFaults(const std::string& message, Eigen::VectorXd theta, std::uint64_t seed,
                  bool mostly_faults = true)
      : Error(ErrorKind::stopped, message),
        theta_(std::move(theta)),
        seed_(seed),
        mostly_faults_(mostly_faults) {}
  const Eigen::VectorXd& theta() const { return theta_; }
  /// As programs and libraries are given it: the first bits64() of the simulation's stream.
  std::uint64_t seed() const { return seed_; }
  /// Whether the faults were the reason to stop: fewer simulations were invalid.
  bool mostly_faults() const { return mostly_faults_; }

 private:
  Eigen::VectorXd theta_;
  std::uint64_t seed_;
  bool mostly_faults_;
};

/// Runs the chosen strategy. Throws ErrorKind::input for a bad problem or bad options,
/// ErrorKind::stopped when too few simulations are usable, ErrorKind::interrupted when the observer
/// said stop. With a journal that an earlier, unfinished run of the same problem and options has
/// written to, finished work is taken from it.
InferResult infer(const Problem& problem, const InferOptions& options, Runner& runner,
                  Observer* observer = nullptr, Journal* journal = nullptr);
/// The same on all cores, unobserved.
InferResult infer(const Problem& problem, const InferOptions& options = {});

/// Learns from simulations that have been made already, and makes none. With Method::automatic the
/// posterior at the observation, as the default method's last round fits it; with
/// Method::mdn_with_prior a network for any observation, the simulations weighted by prior over
/// proposals, and its posterior if there is an observation. Throws ErrorKind::usage for other
/// methods, ErrorKind::input where sizes disagree, ErrorKind::stopped if there are too few.
InferResult infer_from(const SimulationSet& simulations, const Eigen::VectorXd& observed,
                       const std::vector<std::string>& names, const InferOptions& options,
                       Observer* observer = nullptr);

}  // namespace epsfree
