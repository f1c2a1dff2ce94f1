// Learning a posterior: the default method, the three strategies of Papamakarios & Murray (2016),
// section 3, and the methods they are measured against.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "epsfree/error.hpp"
#include "epsfree/estimator.hpp"
#include "epsfree/journal.hpp"
#include "epsfree/method.hpp"
#include "epsfree/observer.hpp"
#include "epsfree/posterior.hpp"
#include "epsfree/problem.hpp"
#include "epsfree/runner.hpp"
#include "epsfree/simulation_set.hpp"
#include "epsfree/summary.hpp"

namespace epsfree {

struct InferOptions {
  MethodOptions method = AutoOptions{};
  std::uint64_t seed = 1;
  /// The budget: every call of the simulator, those of a pilot run and those that fail included.
  Index num_simulations = 2000;
  /// Let the default method fill Summary::expected_change, which the check of the budget reads. It
  /// costs five more fits, on parts of the simulations, and does not change the posterior.
  bool predict_change = false;
  /// Throws ErrorKind::input with the option's path, value and constraint.
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

/// Learns from simulations that have been made already, and makes none. With AutoOptions the
/// posterior at the observation, as the default method's last round fits it; with
/// MdnWithPriorOptions a network for any observation, the simulations weighted by prior over
/// proposals, and its posterior if there is an observation. Throws ErrorKind::usage for other
/// methods, ErrorKind::input where sizes disagree, ErrorKind::stopped if there are too few.
InferResult infer_from(const SimulationSet& simulations, const Eigen::VectorXd& observed,
                       const std::vector<std::string>& names, const InferOptions& options,
                       Observer* observer = nullptr);

}  // namespace epsfree
