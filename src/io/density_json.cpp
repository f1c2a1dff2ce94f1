#include "io/density_json.hpp"

#include <vector>

#include "epsfree/mixture_density_network.hpp"
#include "io/network_json.hpp"

namespace epsfree {
namespace {

const std::vector<DensityFormat>& density_formats() {
  static const std::vector<DensityFormat> formats = {
      {kMixtureDensityNetwork, network_to_json, network_from_json}};
  return formats;
}

const DensityFormat* find_density_format(const std::string& kind) {
  for (const DensityFormat& format : density_formats()) {
    if (format.kind == kind) return &format;
  }
  return nullptr;
}

}  // namespace

nlohmann::json density_to_json(const ConditionalDensity<float>& density) {
  const DensityFormat* const format = find_density_format(density.kind());
  if (format == nullptr) {
    throw Error(ErrorKind::internal,
                "a density of the kind \"" + density.kind() + "\" has no file format");
  }
  return format->write(density);
}

DensityPtr density_from_json(const std::string& kind, const JsonReader& reader, Index context_dim,
                             Index target_dim) {
  const DensityFormat* const format = find_density_format(kind);
  if (format == nullptr) {
    std::string known;
    for (const DensityFormat& each : density_formats()) {
      known += (known.empty() ? "'" : ", '") + each.kind + "'";
    }
    reader.fail("is of the kind '" + kind + "', which this version cannot read; it knows " + known);
  }
  return format->read(reader, context_dim, target_dim);
}

}  // namespace epsfree
