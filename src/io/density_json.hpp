// Conditional densities as JSON: one entry per kind of density.
#pragma once

#include <memory>
#include <nlohmann/json.hpp>
#include <string>

#include "epsfree/conditional_density.hpp"
#include "io/json_reader.hpp"

namespace epsfree {

using DensityPtr = std::shared_ptr<const ConditionalDensity<float>>;

/// How a kind of density is written and read. A new kind adds one entry to the table in
/// density_json.cpp.
struct DensityFormat {
  std::string kind;
  nlohmann::json (*write)(const ConditionalDensity<float>& density);
  /// Checks every size against the dimensions and against what the file holds before it takes
  /// memory.
  DensityPtr (*read)(const JsonReader& reader, Index context_dim, Index target_dim);
};

/// The density without its kind. Throws ErrorKind::internal for a kind without an entry.
nlohmann::json density_to_json(const ConditionalDensity<float>& density);
/// Refuses a kind without an entry by its name.
DensityPtr density_from_json(const std::string& kind, const JsonReader& reader, Index context_dim,
                             Index target_dim);

}  // namespace epsfree
