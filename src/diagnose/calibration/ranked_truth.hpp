// Where true parameters lie among a posterior's samples.
#pragma once

#include "diagnose/calibration/reference_points.hpp"
#include "epsfree/calibration.hpp"

namespace epsfree {

/// The random numbers of one repetition.
struct RankingStreams {
  Stream samples, ties, reference;
};

/// Fills in what a record says of the posterior at its observation: ranks of its truth among
/// `num_samples` draws, their moments, and a draw.
void rank_truth(const Posterior& posterior, Index num_samples, const ReferencePoints& reference,
                RankingStreams streams, CalibrationRecord& record);

}  // namespace epsfree
