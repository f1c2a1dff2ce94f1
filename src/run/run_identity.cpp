#include "run/run_identity.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <nlohmann/json.hpp>

#include "base/words.hpp"
#include "io/prior_json.hpp"
#include "problem/problem_values.hpp"

namespace epsfree {
namespace {

// Keys of [simulator] that define no result: how it is carried out.
constexpr std::array kOperational = {
    "simulator.directory",         "simulator.interpreter",   "simulator.time_limit_seconds",
    "simulator.time_limit_factor", "simulator.memory_limit",  "simulator.grace_seconds",
    "simulator.scratch_directory", "simulator.keep_failed",   "simulator.max_kept",
    "simulator.startup_seconds",   "simulator.max_in_flight", "simulator.thread_safe"};

// A larger one adds to what has been done.
constexpr std::array kBudgets = {"method.num_simulations", "method.rounds.num_simulations",
                                 "method.rounds.max_rounds", "method.pilot.num_simulations"};

// What is made of the simulations, not which they are: one set serves any epsilon.
constexpr std::array kSelections = {"method.abc.adjust", "method.rejection.epsilon",
                                    "method.rejection.num_samples", "method.rejection.fraction"};

template <std::size_t N>
bool is_one_of(const std::array<const char*, N>& keys, const std::string& key) {
  return std::find(keys.begin(), keys.end(), key) != keys.end();
}

/// What defines the result, but for the prior. The problem's name, the truth, [run] and which runs
/// are reused do not: only what is taken from those runs does.
ProblemValues defining_values(const ProblemSpec& spec) {
  ProblemValues values;
  add_simulator_values(spec.simulator, values);
  for (const char* key : kOperational) values.erase(key);
  add_method_values(spec.options, values);
  // Files have seeds of 63 bits.
  values["seed"] = static_cast<std::int64_t>(spec.options.seed);
  const Eigen::VectorXd& observed = spec.problem.observed;
  if (observed.size() > 0) {
    values["observed.values"] = std::vector<double>(observed.begin(), observed.end());
  }
  if (!spec.reuse.runs.empty()) values["reuse.digest"] = spec.reuse.digest;
  return values;
}

std::string node_text(const Node& node) {
  if (node.is_list()) return "[" + joined(node.items(), ", ", node_text) + "]";
  if (node.is_table()) {
    const auto assignment = [](const NodeEntry& entry) {
      return entry.key + " = " + node_text(entry.node);
    };
    return "{" + joined(node.entries(), ", ", assignment) + "}";
  }
  return std::visit(
      [](const auto& value) -> std::string {
        if constexpr (std::is_constructible_v<ProblemValue, decltype(value)>) {
          return value_text(value);
        } else {
          return "another value";
        }
      },
      node.value);
}

/// The keys of a table and of those in it, with their values as text.
void flatten(const Node& table, const std::string& path, std::map<std::string, std::string>& flat) {
  for (const NodeEntry& entry : table.entries()) {
    const std::string key = path + "." + entry.key;
    if (entry.node.is_table()) {
      flatten(entry.node, key, flat);
    } else {
      flat.emplace(key, node_text(entry.node));
    }
  }
}

/// Calls on_both(key, before, now) or on_one(key, text there, text here) for each key.
template <class Map, class OnBoth, class OnOne>
void walk(const Map& before, const Map& now, const OnBoth& on_both, const OnOne& on_one) {
  for (const auto& [key, there] : before) {
    const auto at = now.find(key);
    if (at != now.end()) {
      on_both(key, there, at->second);
    } else {
      on_one(key, &there, nullptr);
    }
  }
  for (const auto& [key, here] : now) {
    if (!before.contains(key)) on_one(key, nullptr, &here);
  }
}

/// In which keys of [prior] two priors differ.
std::vector<IdentityDifference> prior_differences(const ProblemSpec& before,
                                                  const ProblemSpec& now) {
  const Problem &there = before.problem, &here = now.problem;
  if (same_prior(*there.prior, *here.prior) && there.names == here.names) return {};
  std::map<std::string, std::string> old_keys, new_keys;
  if (before.prior_table) flatten(*before.prior_table, "prior", old_keys);
  if (now.prior_table) flatten(*now.prior_table, "prior", new_keys);
  std::vector<IdentityDifference> found;
  walk(
      old_keys, new_keys,
      [&](const std::string& key, const std::string& a, const std::string& b) {
        if (a != b) found.push_back({key, a, b});
      },
      [&](const std::string& key, const std::string* a, const std::string* b) {
        found.push_back({key, a != nullptr ? *a : "nothing", b != nullptr ? *b : "nothing"});
      });
  if (found.empty()) {  // those of two built-in models
    found.push_back(
        {"prior", prior_to_json(*there.prior).dump(), prior_to_json(*here.prior).dump()});
  }
  return found;
}

bool has_grown(const std::string& key, const ProblemValue& before, const ProblemValue& now) {
  const auto* old_value = std::get_if<std::int64_t>(&before);
  const auto* new_value = std::get_if<std::int64_t>(&now);
  return is_one_of(kBudgets, key) && old_value != nullptr && new_value != nullptr &&
         *new_value > *old_value;
}

}  // namespace

std::string IdentityComparison::describe() const {
  Listing list("; ");
  for (const auto* part : {&differences, &grown}) {
    for (const IdentityDifference& each : *part) {
      list.add(each.key + " is " + each.before + " there and " + each.now + " here");
    }
  }
  return list.text();
}

IdentityComparison compare_identity(const ProblemSpec& before, const ProblemSpec& now) {
  IdentityComparison comparison;
  comparison.differences = prior_differences(before, now);
  ProblemValues old_values = defining_values(before), new_values = defining_values(now);
  if (before.options.method.index() != now.options.method.index()) {
    // Of another method only the name counts: their options have nothing to do with each other.
    for (ProblemValues* values : {&old_values, &new_values}) {
      std::erase_if(*values, [](const auto& each) {
        return each.first.rfind("method.", 0) == 0 && each.first != "method.name" &&
               each.first != "method.num_simulations";
      });
    }
  }
  walk(
      old_values, new_values,
      [&](const std::string& key, const ProblemValue& there, const ProblemValue& here) {
        if (there == here) return;
        const bool allowed = is_one_of(kSelections, key) || has_grown(key, there, here);
        auto& list = allowed ? comparison.grown : comparison.differences;
        list.push_back({key, value_text(there), value_text(here)});
      },
      [&](const std::string& key, const ProblemValue* there, const ProblemValue* here) {
        comparison.differences.push_back({key, there != nullptr ? value_text(*there) : "nothing",
                                          here != nullptr ? value_text(*here) : "nothing"});
      });
  std::sort(comparison.differences.begin(), comparison.differences.end(),
            [](const IdentityDifference& a, const IdentityDifference& b) { return a.key < b.key; });
  return comparison;
}

}  // namespace epsfree
