// A truncated mixture as weighted points, for what has no closed form.
#pragma once

#include "epsfree/truncated_mixture.hpp"
#include "epsfree/weighted_samples.hpp"
#include "prob/mixtures/box_gaussian.hpp"

namespace epsfree {

/// One per component, in the coordinates in which the support is a box.
std::vector<BoxGaussian> box_components(const GaussianMixture& mixture, const Support& support);
/// Whether each component has independent dimensions in these coordinates, so that each dimension
/// can be treated alone.
bool all_diagonal(const GaussianMixture& mixture, const Support& support);

/// Points of a shifted lattice with a fixed seed, so that the same mixture gives the same points:
/// more accurate than as many random draws. Every one lies in the support.
WeightedSamples truncated_points(const TruncatedMixture& truncated);

}  // namespace epsfree
