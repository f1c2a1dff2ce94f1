// Mixture density networks for an inference.
#pragma once

#include <memory>

#include "epsfree/mixture_density_network.hpp"
#include "infer/inference_run.hpp"

namespace epsfree {

using Network = MixtureDensityNetwork<float>;

/// A network for the problem's dimensions with freshly drawn weights.
std::unique_ptr<Network> make_network(const InferenceRun& run, const NetworkOptions& options,
                                      Direction direction = Direction::posterior);

}  // namespace epsfree
