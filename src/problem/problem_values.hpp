// The values that a problem's options hold, by the keys of its file: two problems are compared by
// them.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <variant>
#include <vector>

#include "epsfree/infer.hpp"
#include "problem/simulator_spec.hpp"

namespace epsfree {

/// An enumeration is the text that files spell it with.
using ProblemValue =
    std::variant<bool, std::int64_t, double, std::string, std::vector<std::int64_t>,
                 std::vector<double>, std::vector<std::string>>;
/// By full key: "method.rounds.num_simulations".
using ProblemValues = std::map<std::string, ProblemValue>;

/// Every option of [method], its name included.
void add_method_values(const InferOptions& options, ProblemValues& values);
/// Every key of [simulator] that its kind has; texts that are empty are the default and left out.
void add_simulator_values(const SimulatorSpec& spec, ProblemValues& values);

/// As TOML. Whole numbers are written as such, whichever type they have.
std::string value_text(const ProblemValue& value);

}  // namespace epsfree
