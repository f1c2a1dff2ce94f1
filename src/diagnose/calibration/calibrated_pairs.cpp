// Calibration of whatever can draw samples: from pairs of parameters and observations, and samples
// at each observation.
#include <cmath>
#include <string>
#include <vector>

#include "base/interruption.hpp"
#include "diagnose/calibration/ranked_truth.hpp"
#include "epsfree/calibration.hpp"
#include "epsfree/error.hpp"

namespace epsfree {
namespace {

// Parts of a pair's random numbers, as in calibration.cpp.
enum PairPart : std::uint32_t { pair_sample_part = 2, pair_reference_part = 3, pair_tie_part = 4 };

void check_sizes(const Eigen::MatrixXd& truths, const Eigen::MatrixXd& observed,
                 std::span<const Eigen::MatrixXd> samples) {
  const auto refuse = [](const std::string& message) {
    throw Error(ErrorKind::input, "calibrate: " + message);
  };
  if (truths.cols() == 0) refuse("there are no pairs");
  if (observed.cols() != truths.cols()) {
    refuse("there are " + std::to_string(truths.cols()) + " parameter vectors but " +
           std::to_string(observed.cols()) + " observations; each pair needs one of each");
  }
  if (static_cast<Index>(samples.size()) != truths.cols()) {
    refuse("there are " + std::to_string(samples.size()) + " sets of samples but " +
           std::to_string(truths.cols()) + " pairs; each pair needs one set");
  }
  if (!truths.allFinite() || !observed.allFinite()) {
    refuse("the pairs contain a value that is not a finite number; remove such pairs");
  }
  for (const Eigen::MatrixXd& each : samples) {
    if (each.rows() != truths.rows() || each.cols() != samples.front().cols()) {
      refuse("a set of samples is " + std::to_string(each.cols()) + " x " +
             std::to_string(each.rows()) + ", expected " + std::to_string(samples.front().cols()) +
             " x " + std::to_string(truths.rows()));
    }
    if (each.cols() < 9) {
      refuse("a pair has " + std::to_string(each.cols()) + " samples, expected at least 9");
    }
    if (!each.allFinite()) refuse("the samples contain a value that is not a finite number");
  }
}

/// A prior that says no more than where the parameters lie and how far they spread.
PriorPtr scale_of(const Eigen::MatrixXd& truths) {
  const Eigen::VectorXd mean = truths.rowwise().mean();
  Eigen::VectorXd variance =
      (truths.colwise() - mean).rowwise().squaredNorm() / static_cast<double>(truths.cols());
  for (Index d = 0; d < variance.size(); ++d) {
    if (!(variance[d] > 0)) variance[d] = 1;
  }
  return gaussian_prior(Gaussian::from_covariance(mean, variance.asDiagonal()));
}

}  // namespace

Calibration calibrate(const Eigen::Ref<const Eigen::MatrixXd>& truths,
                      const Eigen::Ref<const Eigen::MatrixXd>& observed,
                      std::span<const Eigen::MatrixXd> samples, std::vector<std::string> names,
                      std::uint64_t seed) {
  check_sizes(truths, observed, samples);
  const Index count = truths.cols();
  Calibration result;
  result.names = names.empty() ? default_names(truths.rows()) : std::move(names);
  result.num_samples = samples.front().cols();
  const PriorPtr prior = scale_of(truths);
  // The reference points of a pair are learnt from the half that it is not in.
  std::vector<Index> halves[2];
  for (Index i = 0; i < count; ++i) halves[i % 2].push_back(i);
  const ReferencePoints references[2] = {
      ReferencePoints(prior, truths(Eigen::all, halves[1]), observed(Eigen::all, halves[1])),
      ReferencePoints(prior, truths(Eigen::all, halves[0]), observed(Eigen::all, halves[0]))};
  for (Index i = 0; i < count; ++i) {
    check_interruption();
    CalibrationRecord& record = result.records.emplace_back();
    record.truth = truths.col(i);
    record.observed = observed.col(i);
    const auto stream = [&](PairPart part) {
      return Stream(seed, {.purpose = Purpose::calibration,
                           .replicate = static_cast<std::uint32_t>(i),
                           .round = part});
    };
    const SamplesPosterior posterior(prior, result.names,
                                     WeightedSamples(samples[static_cast<std::size_t>(i)]));
    rank_truth(posterior, result.num_samples, references[i % 2],
               {stream(pair_sample_part), stream(pair_tie_part), stream(pair_reference_part)},
               record);
  }
  return result;
}

}  // namespace epsfree
