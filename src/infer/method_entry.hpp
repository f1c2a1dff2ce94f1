// What a method is: all that the rest of the house needs to know of one. methods.hpp has the table.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <variant>

#include "base/option_visitor.hpp"
#include "epsfree/infer.hpp"

namespace epsfree {

class InferenceRun;

/// The largest budget: far beyond any use, and small enough that sizes never overflow.
inline constexpr std::int64_t kMostSimulations = 1000000000;

struct MethodEntry {
  /// The smallest budget of most methods: with fewer there is nothing to learn in rounds.
  static constexpr Index kFewest = 40;

  std::string name;  ///< as files call it
  std::string help;  ///< one line
  MethodOptions defaults = {};
  Index fewest_simulations = kFewest;
  /// What it learns holds for any observation.
  bool learns_any_observation = false;
  /// It can learn from simulations that are given to it, all draws from the prior or not.
  bool learns_from_given = false;
  /// What its simulations of round 1 are drawn from.
  DrawnFrom (*first_round)(const MethodOptions& options) = [](const MethodOptions&) {
    return DrawnFrom::prior;
  };

  /// Lists its options by groups. The options that it is given are of its own type.
  void (*visit)(MethodOptions& options, OptionVisitor& visit) = nullptr;
  /// Checks what ranges of single options do not say. May be null.
  void (*check)(const InferOptions& options) = nullptr;
  InferResult (*run)(InferenceRun& run) = nullptr;
  /// How many rounds progress shows. Null: not known beforehand.
  int (*num_rounds)(const InferOptions& options) = nullptr;
  /// Changes options so that they suit the new budget. May be null: only the budget changes.
  void (*rescale)(InferOptions& options, Index budget) = nullptr;
};

/// An entry for a method with these options; the caller fills in the rest.
template <class Options>
MethodEntry method_entry(std::string name, std::string help, InferResult (*run)(InferenceRun&)) {
  MethodEntry entry;
  entry.name = std::move(name);
  entry.help = std::move(help);
  entry.defaults = Options{};
  entry.visit = [](MethodOptions& options, OptionVisitor& visit) {
    visit_fields(std::get<Options>(options), visit);
  };
  entry.run = run;
  return entry;
}

}  // namespace epsfree
