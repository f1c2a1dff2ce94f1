// One simulation by itself, to look at.
#pragma once

#include <Eigen/Core>
#include <cstdint>
#include <functional>
#include <string>

#include "problem/problem_file.hpp"

namespace epsfree {

struct SingleSimulation {
  Eigen::VectorXd theta;
  std::uint64_t seed = 0;
  SimStatus status = SimStatus::lost;
  Eigen::VectorXd statistics = {};  ///< what it gave, finite or not
  double seconds = 0;
  std::string message = {};
};

/// Simulates with the parameters and the seed of one simulation, as messages of a run name them.
/// `keep_on`, if given, is asked some twenty times a second and may say stop.
SingleSimulation simulate_once(const Problem& problem, const Eigen::VectorXd& theta,
                               std::uint64_t seed, const std::function<Action()>& keep_on = {});

/// Parameters as --theta has them, "0.5,2". Throws ErrorKind::usage if they are not as many numbers
/// as the prior has; outside of its support they are allowed.
Eigen::VectorXd parse_theta(const std::string& text, const Problem& problem);

/// "0.5,2": reads back as the same numbers.
std::string theta_text(const Eigen::VectorXd& theta);

/// The command that repeats a simulation: "epsfree simulate sir.toml --theta=0.5,2 --seed=7", with
/// the assignments of --set.
std::string simulate_command(const std::string& problem_file,
                             const std::vector<std::string>& assignments,
                             const Eigen::VectorXd& theta, std::uint64_t seed);

}  // namespace epsfree
