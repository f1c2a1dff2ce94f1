// The JSON form of a prior, part of posterior and estimator files.
#pragma once

#include <nlohmann/json.hpp>

#include "epsfree/prior.hpp"
#include "io/json_reader.hpp"

namespace epsfree {

/// Throws ErrorKind::usage for a kind that has no form in files: prior_json.cpp has their table.
nlohmann::json prior_to_json(const Prior& prior);
/// How files describe the prior's coordinates.
struct CoordinateForm {
  /// Per parameter, the name of the map from it to its coordinate: "identity", "log" or
  /// "probit-cdf" (the standard normal quantile of the prior's distribution function).
  std::vector<std::string> names;
  /// Whose parameters these are: "theta", or "base" for an image of a prior in other coordinates
  /// than theta.
  std::string of = "theta";
};
CoordinateForm coordinate_form(const Prior& prior);
PriorPtr prior_from_json(const JsonReader& reader);
/// A list of dimensions below `dim`, not empty.
std::vector<Index> dims_from_json(const JsonReader& reader, Index dim);

}  // namespace epsfree
