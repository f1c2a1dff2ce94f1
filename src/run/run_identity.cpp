#include "run/run_identity.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>

#include "base/words.hpp"
#include "io/document.hpp"
#include "io/number_text.hpp"

namespace epsfree {
namespace {

// Tables and keys that define no result: how it is carried out, and what is only shown.
constexpr std::array kOperational = {"run",
                                     "name",
                                     "observed.truth",
                                     "reuse.runs",
                                     "simulator.directory",
                                     "simulator.interpreter",
                                     "simulator.time_limit_seconds",
                                     "simulator.time_limit_factor",
                                     "simulator.memory_limit",
                                     "simulator.grace_seconds",
                                     "simulator.scratch_directory",
                                     "simulator.keep_failed",
                                     "simulator.max_kept",
                                     "simulator.startup_seconds",
                                     "simulator.max_in_flight",
                                     "simulator.thread_safe"};

// A larger one adds to what has been done.
constexpr std::array kBudgets = {"method.num_simulations", "method.rounds.num_simulations",
                                 "method.rounds.max_rounds", "method.pilot.num_simulations"};

// What is made of the simulations, not which they are: one set serves any epsilon.
constexpr std::array kSelections = {"method.abc.adjust", "method.rejection.epsilon",
                                    "method.rejection.num_samples", "method.rejection.fraction"};

std::string value_text(const Node& node);

std::string list_text(const NodeList& items) { return "[" + joined(items, ", ", value_text) + "]"; }

std::string table_text(const NodeTable& entries) {
  const auto assignment = [](const NodeEntry& entry) {
    return entry.key + " = " + value_text(entry.node);
  };
  return "{" + joined(entries, ", ", assignment) + "}";
}

/// Whole numbers are written as such, whichever type they have.
std::string number(double value) {
  constexpr double kExact = 9007199254740992;
  if (std::abs(value) < kExact && value == std::floor(value)) {
    return std::to_string(static_cast<std::int64_t>(value));
  }
  return toml_number(value);
}

std::string value_text(const Node& node) {
  switch (node.value.index()) {
    case 1:
      return std::get<bool>(node.value) ? "true" : "false";
    case 2:
      return std::to_string(std::get<std::int64_t>(node.value));
    case 3:
      return number(std::get<double>(node.value));
    case 4:
      return toml_quote(std::get<std::string>(node.value));
    case 5:
      return list_text(node.items());
    case 6:
      return table_text(node.entries());
    default:
      return "another value";
  }
}

using Flat = std::map<std::string, const Node*>;

void flatten(const Node& table, const std::string& path, Flat& flat) {
  for (const NodeEntry& entry : table.entries()) {
    const std::string key = path.empty() ? entry.key : path + "." + entry.key;
    if (is_operational(key)) continue;
    if (entry.node.is_table()) {
      flatten(entry.node, key, flat);
    } else {
      flat.emplace(key, &entry.node);
    }
  }
}

bool has_grown(const std::string& key, const Node& before, const Node& now) {
  if (std::find(kBudgets.begin(), kBudgets.end(), key) == kBudgets.end()) return false;
  const auto* old_value = std::get_if<std::int64_t>(&before.value);
  const auto* new_value = std::get_if<std::int64_t>(&now.value);
  return old_value != nullptr && new_value != nullptr && *new_value > *old_value;
}

}  // namespace

bool is_operational(const std::string& key) {
  return std::any_of(kOperational.begin(), kOperational.end(), [&](const std::string& each) {
    return key == each || key.rfind(each + ".", 0) == 0;
  });
}

std::string IdentityComparison::describe() const {
  Listing list("; ");
  for (const auto* part : {&differences, &grown}) {
    for (const IdentityDifference& each : *part) {
      list.add(each.key + " is " + each.before + " there and " + each.now + " here");
    }
  }
  return list.text();
}

IdentityComparison compare_identity(const std::string& before, const std::string& now) {
  const Node old_root = parse_toml(before, "the earlier run");
  const Node new_root = parse_toml(now, "this run");
  Flat old_flat, new_flat;
  flatten(old_root, "", old_flat);
  flatten(new_root, "", new_flat);
  IdentityComparison comparison;
  for (const auto& [key, node] : old_flat) {
    const auto at = new_flat.find(key);
    const std::string there = value_text(*node);
    if (at == new_flat.end()) {
      comparison.differences.push_back({key, there, "nothing"});
      continue;
    }
    const std::string here = value_text(*at->second);
    if (here == there) continue;
    const bool selects =
        std::find(kSelections.begin(), kSelections.end(), key) != kSelections.end();
    const bool allowed = selects || has_grown(key, *node, *at->second);
    auto& list = allowed ? comparison.grown : comparison.differences;
    list.push_back({key, there, here});
  }
  for (const auto& [key, node] : new_flat) {
    if (!old_flat.contains(key)) {
      comparison.differences.push_back({key, "nothing", value_text(*node)});
    }
  }
  return comparison;
}

}  // namespace epsfree
