// The JSON form of a prior, part of posterior and estimator files.
#pragma once

#include <nlohmann/json.hpp>

#include "epsfree/prior.hpp"
#include "io/json_reader.hpp"

namespace epsfree {

/// Throws ErrorKind::usage for a prior that is not one of the library's.
nlohmann::json prior_to_json(const Prior& prior);
/// Per parameter, the name of the map from theta to the prior's coordinate: "identity", "log" or
/// "probit-cdf" (the standard normal quantile of the prior's distribution function). For an image
/// of a prior in other coordinates than theta: of the base's parameters.
std::vector<std::string> coordinate_names(const Prior& prior);
PriorPtr prior_from_json(const JsonReader& reader);
/// A list of dimensions below `dim`, not empty.
std::vector<Index> dims_from_json(const JsonReader& reader, Index dim);

}  // namespace epsfree
