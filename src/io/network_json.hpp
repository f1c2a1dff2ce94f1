// The JSON form of mixture density networks.
#pragma once

#include <memory>
#include <nlohmann/json.hpp>

#include "epsfree/conditional_density.hpp"
#include "io/json_reader.hpp"

namespace epsfree {

/// The shape and the parameters, as the table of kinds in density_json.cpp wants them.
nlohmann::json network_to_json(const ConditionalDensity<float>& density);
std::shared_ptr<const ConditionalDensity<float>> network_from_json(const JsonReader& reader,
                                                                   Index context_dim,
                                                                   Index target_dim);

}  // namespace epsfree
