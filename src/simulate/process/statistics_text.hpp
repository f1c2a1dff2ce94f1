// Numbers as simulators write them.
#pragma once

#include <Eigen/Core>
#include <string>
#include <string_view>

#include "epsfree/simulator.hpp"

namespace epsfree {

/// Reads the number that `text` begins with and removes it. Takes whatever programs print: "+1",
/// ".5", "1.D+3", "NaN", "-Infinity", "null" (as NaN); too large ones are infinite. False: there is
/// none, and `text` is as it was.
bool take_number(std::string_view& text, double& value);

/// The first `size` characters in quotes, with what cannot be printed made visible.
std::string excerpt(std::string_view text, std::size_t size = 60);

struct StatisticsText {
  SimStatus status = SimStatus::ok;
  std::string message = {};
  FaultKind kind = FaultKind::any;
};

/// Numbers separated by blanks, commas, semicolons or line ends, or a JSON array, into `x`. NaN and
/// Inf are `invalid`, another count of numbers and anything else `failed`; then `x` may hold
/// anything.
StatisticsText read_statistics(std::string_view text, Eigen::Ref<Eigen::VectorXd> x);

}  // namespace epsfree
