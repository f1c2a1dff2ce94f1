// The JSON form of Gaussians and mixtures.
#pragma once

#include <nlohmann/json.hpp>

#include "epsfree/gaussian_mixture.hpp"
#include "io/json_reader.hpp"

namespace epsfree {

/// {"mean": [...], "precision_factor": [[...], ...]}, the factor by rows.
nlohmann::json gaussian_to_json(const Gaussian& gaussian);
Gaussian gaussian_from_json(const JsonReader& reader, Index dim);

/// An array of components, each a Gaussian with its "log_weight".
nlohmann::json mixture_to_json(const GaussianMixture& mixture);
GaussianMixture mixture_from_json(const JsonReader& reader, Index dim);

}  // namespace epsfree
