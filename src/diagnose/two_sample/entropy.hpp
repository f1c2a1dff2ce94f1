// The entropy of a distribution that only samples are known of.
#pragma once

#include "epsfree/weighted_samples.hpp"

namespace epsfree {

/// -E[log p] in nats from the distances to each sample's nearest neighbours (Kozachenko & Leonenko
/// 1987): the floor that no density's cross-entropy on the same samples can go below. Neighbours
/// count by their weights; samples that lie at one place count as one. Throws ErrorKind::input if
/// there are fewer than ten places.
double nearest_neighbour_entropy(const WeightedSamples& samples);

}  // namespace epsfree
