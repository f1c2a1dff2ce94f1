// Built-in simulators: the four experiments of the paper.
#pragma once

#include <Eigen/Core>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "epsfree/posterior.hpp"
#include "epsfree/problem.hpp"

namespace epsfree {

/// A simulator with its prior, statistics, the authors' observation and, where known, its exact
/// posterior.
class Model {
 public:
  virtual ~Model() = default;
  virtual std::string name() const = 0;         ///< "lotka-volterra"
  virtual std::string description() const = 0;  ///< one line
  /// Raised when the same parameters and random numbers no longer give the same statistics. A run
  /// that started with another revision does not continue.
  virtual int revision() const { return 1; }
  virtual PriorPtr prior() const = 0;
  virtual SimulatorPtr simulator() const = 0;
  virtual std::vector<std::string> parameter_names() const = 0;
  virtual std::vector<std::string> statistic_names() const = 0;
  /// The parameters and the observation of the paper.
  virtual Eigen::VectorXd default_truth() const = 0;
  virtual Eigen::VectorXd default_observed() const = 0;
  /// The exact posterior where it is known in closed form.
  virtual PosteriorPtr exact_posterior(const Eigen::Ref<const Eigen::VectorXd>& observed) const;
  /// Prior, simulator, the authors' observation, names and truth.
  Problem problem() const;
  /// The same with an observation drawn from the prior predictive, valid runs only; the truth is
  /// the parameters it was drawn with.
  Problem problem(std::uint64_t observe_seed) const;
};

/// All built-in models.
const std::vector<std::shared_ptr<const Model>>& models();
/// By name; throws ErrorKind::input with the nearest name.
std::shared_ptr<const Model> model(const std::string& name);

}  // namespace epsfree
