// The names of the one-dimensional families.
#include <array>
#include <string>

#include "base/nearest.hpp"
#include "epsfree/error.hpp"
#include "epsfree/prior.hpp"

namespace epsfree {
namespace {

struct FamilyEntry {
  Family family;
  std::string name;
  std::vector<std::string> parameters;
};

const std::array<FamilyEntry, 9>& families() {
  static const std::array<FamilyEntry, 9> table = {{
      {Family::uniform, "uniform", {"low", "high"}},
      {Family::normal, "normal", {"mean", "std"}},
      {Family::log_uniform, "log-uniform", {"low", "high"}},
      {Family::log_normal, "log-normal", {"log_mean", "log_std"}},
      {Family::exponential, "exponential", {"rate"}},
      {Family::gamma, "gamma", {"shape", "rate"}},
      {Family::beta, "beta", {"a", "b"}},
      {Family::half_normal, "half-normal", {"std"}},
      {Family::truncated_normal, "truncated-normal", {"mean", "std", "low", "high"}},
  }};
  return table;
}

const FamilyEntry& entry(Family family) {
  for (const FamilyEntry& candidate : families()) {
    if (candidate.family == family) return candidate;
  }
  throw Error(ErrorKind::internal, "Family: a value that names no family");
}

}  // namespace

const std::vector<std::string>& family_parameter_names(Family family) {
  return entry(family).parameters;
}

std::string family_name(Family family) { return entry(family).name; }

Family family_from_name(const std::string& name) {
  std::vector<std::string> names;
  for (const FamilyEntry& candidate : families()) {
    if (candidate.name == name) return candidate.family;
    names.push_back(candidate.name);
  }
  const std::string guess = nearest(name, names);
  std::string message = "family = \"" + name + "\" is not known";
  if (!guess.empty()) message += "; did you mean \"" + guess + "\"?";
  message += " (known:";
  for (const std::string& known : names) message += " " + known;
  throw Error(ErrorKind::input, message + ")");
}

}  // namespace epsfree
