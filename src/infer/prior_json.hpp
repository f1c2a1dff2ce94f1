// The JSON form of a prior, part of posterior and estimator files.
#pragma once

#include <nlohmann/json.hpp>

#include "epsfree/prior.hpp"
#include "infer/json_reader.hpp"

namespace epsfree {

/// Throws ErrorKind::usage for a prior that is not one of the library's.
nlohmann::json prior_to_json(const Prior& prior);
PriorPtr prior_from_json(const JsonReader& reader);

}  // namespace epsfree
