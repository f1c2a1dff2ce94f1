// The default method.
#pragma once

#include "infer/inference_run.hpp"
#include "infer/local/simulation_pool.hpp"
#include "infer/method_entry.hpp"

namespace epsfree {

/// Sequential mixtures of regressions (Häggström, Rodrigues, Oudoumanessah, Forbes & Picchini
/// 2024), stacked with a linear likelihood and a network. Every round fits all simulations so far,
/// reweighted to a target as narrow as they allow, and proposes from the widened answer.
InferResult auto_method(InferenceRun& run);
/// The same from simulations that are there already, without new ones.
InferResult auto_fit(InferenceRun& run, SimulationPool pool);

MethodEntry auto_entry();

}  // namespace epsfree
