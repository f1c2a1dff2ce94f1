// What the ABC methods share: drawing from the prior, and the answer made of what they accept.
#pragma once

#include <Eigen/Core>
#include <string>

#include "infer/abc/abc_sample.hpp"
#include "infer/abc/distance.hpp"
#include "infer/inference_run.hpp"

namespace epsfree {

/// The distance of the options, after a pilot run where it needs a scale.
Distance make_distance(InferenceRun& run);

/// What to say of the distance, given simulations from the prior: a Euclidean one may rest on few
/// of the statistics. Empty: nothing.
std::string distance_warning(const InferenceRun& run, const Eigen::MatrixXd& statistics);

/// Stops where an observation is so far away that no distance to it is a number.
[[noreturn]] void explain_infinite_distances(long num_simulations);

/// Parameters number `first` to `first` + `count` - 1 of the prior, in so many threads; each is the
/// same whatever is drawn with it. `first` must be a multiple of kDrawnTogether.
inline constexpr Index kDrawnTogether = 256;
Eigen::MatrixXd draw_from_prior(const Prior& prior, std::uint64_t seed, std::uint32_t round,
                                Index first, Index count, int num_threads);

/// Mean and standard deviation of the sample in the prior's coordinates, epsilon and effective
/// size.
void describe_sample(const Prior& prior, const AbcSample& sample, double effective_size,
                     RoundSummary& round);

/// Adjusts the sample if the options say so, and makes the answer. `round` is the last one.
InferResult finish_abc(InferenceRun& run, AbcSample sample, double effective_size,
                       RoundSummary round);

}  // namespace epsfree
