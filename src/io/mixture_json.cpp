#include "io/mixture_json.hpp"

#include <utility>
#include <vector>

namespace epsfree {

using nlohmann::json;

json gaussian_to_json(const Gaussian& gaussian) {
  return {{"mean", to_json(gaussian.mean())},
          {"precision_factor", matrix_to_json(gaussian.precision_factor())}};
}

Gaussian gaussian_from_json(const JsonReader& reader, Index dim) {
  return Gaussian::from_precision_factor(reader.at("mean").vector(dim),
                                         reader.at("precision_factor").matrix(dim, dim));
}

json mixture_to_json(const GaussianMixture& mixture) {
  json components = json::array();
  for (Index k = 0; k < mixture.num_components(); ++k) {
    json component = gaussian_to_json(mixture.component(k));
    component["log_weight"] = to_json(mixture.log_weights()[k]);
    components.push_back(std::move(component));
  }
  return components;
}

GaussianMixture mixture_from_json(const JsonReader& reader, Index dim) {
  std::vector<Gaussian> components;
  Eigen::VectorXd log_weights(static_cast<Index>(reader.size()));
  for (std::size_t k = 0; k < reader.size(); ++k) {
    components.push_back(gaussian_from_json(reader.at(k), dim));
    log_weights[static_cast<Index>(k)] = reader.at(k).at("log_weight").number();
  }
  return GaussianMixture(std::move(components), std::move(log_weights));
}

}  // namespace epsfree
