#include <algorithm>
#include <cmath>

#include "base/parallel.hpp"
#include "base/require.hpp"
#include "diagnose/short_text.hpp"
#include "diagnose/two_sample/classifier.hpp"
#include "diagnose/two_sample/whitening.hpp"
#include "epsfree/calibration.hpp"

namespace epsfree {
namespace {

constexpr Index kFewestPairs = 50;
// Of all pairs of one classifier: enough to learn what can be told, before it learns them by heart.
constexpr int kEpochs = 100;

/// Truths and posterior samples, each with its observation, in units of the truths' deviations.
struct Pairs {
  Eigen::MatrixXf truths, samples;  ///< parameters above statistics, one column per repetition
  Eigen::MatrixXf at_observed;      ///< samples of the posterior in question
};

Pairs make_pairs(const Calibration& calibration, const Eigen::MatrixXd& posterior_samples,
                 const Eigen::VectorXd& observed) {
  const Index dim = calibration.dim(), rows = dim + observed.size();
  const Index count = static_cast<Index>(calibration.records.size()) - calibration.num_failed();
  require(count >= kFewestPairs, "local calibration: the number of repetitions", count,
          "at least 50");
  Eigen::MatrixXd truths(rows, count), samples(rows, count), here(rows, posterior_samples.cols());
  Index at = 0;
  for (const CalibrationRecord& each : calibration.records) {
    if (!each.error.empty()) continue;
    require(each.observed.size() == observed.size(),
            "local calibration: the size of the observation", observed.size(),
            "that of the calibration's, " + std::to_string(each.observed.size()));
    truths.col(at) << each.truth, each.observed;
    samples.col(at++) << each.sample, each.observed;
  }
  here << posterior_samples, observed.replicate(1, posterior_samples.cols());
  const Eigen::VectorXd mean = truths.rowwise().mean();
  Eigen::VectorXd scale =
      ((truths.colwise() - mean).rowwise().squaredNorm() / static_cast<double>(count)).cwiseSqrt();
  for (double& each : scale) {
    if (each == 0) each = 1;
  }
  const auto standardised = [&](const Eigen::MatrixXd& points) -> Eigen::MatrixXf {
    return ((points.colwise() - mean).array().colwise() / scale.array()).cast<float>();
  };
  return {standardised(truths), standardised(samples), standardised(here)};
}

/// How far from guessing a classifier is at the observation. Where posteriors are right, a truth
/// and a sample may change places: `swap` does so at random, which gives the null distribution.
double statistic(const Pairs& pairs, const ClassifierOptions& options, bool swap,
                 std::uint64_t seed, std::uint64_t index) {
  Stream stream(seed, {.purpose = Purpose::classifier, .round = 2, .index = index});
  const Index count = pairs.truths.cols();
  Eigen::MatrixXf points(pairs.truths.rows(), 2 * count);
  points << pairs.truths, pairs.samples;
  if (swap) {
    for (Index i = 0; i < count; ++i) {
      if (stream.uniform() < 0.5) points.col(i).swap(points.col(count + i));
    }
  }
  Eigen::VectorXf labels = Eigen::VectorXf::Zero(2 * count);
  labels.tail(count).setOnes();
  const Classifier classifier(points, labels, options, stream);
  const Eigen::ArrayXf odds = classifier.log_odds(pairs.at_observed).array();
  return static_cast<double>((1 / (1 + (-odds).exp()) - 0.5f).square().mean());
}

}  // namespace

void LocalCalibrationOptions::validate() const {
  require_between(1, 1'000'000, "local_calibration.num_null", num_null);
  require_between(10, 1'000'000, "local_calibration.num_samples", num_samples);
  require(num_threads >= 0, "local_calibration.num_threads", num_threads, "at least 0");
}

Diagnosis local_calibration(const Calibration& calibration, const Posterior& posterior,
                            const Eigen::Ref<const Eigen::VectorXd>& observed,
                            const LocalCalibrationOptions& options) {
  options.validate();
  Stream draws(options.seed, {.purpose = Purpose::classifier, .round = 3});
  const Pairs pairs =
      make_pairs(calibration, posterior.sample(options.num_samples, draws), observed);
  // As wide as the test between samples of the parameters would have it.
  ClassifierOptions classifier = {.max_epochs = kEpochs};
  classifier.num_units = classifier.units_per_dimension * static_cast<int>(calibration.dim());
  Eigen::VectorXd values(options.num_null + 1);
  parallel_for(options.num_threads, static_cast<std::size_t>(values.size()), 1,
               [&](std::size_t begin, std::size_t end) {
                 for (std::size_t i = begin; i < end; ++i) {
                   values[static_cast<Index>(i)] =
                       statistic(pairs, classifier, i > 0, options.seed, i);
                 }
               });
  const double own = values[0];
  Diagnosis result{
      .name = "lc2st",
      .quantity = "p-value",
      .value = upper_tail_p(values.tail(options.num_null), own),
      .is_p_value = true,
      .meaning =
          "At the observation a classifier tells the posterior's samples from true parameters as "
          "little as it should with probability ",
      .advice =
          "The posterior is wrong at this observation, even if it is right on average: spend more "
          "simulations near it.",
      .citation = "Linhart, Gramfort & Rodrigues 2023",
      .tables = {{"null distribution", {"statistic"}, values.tail(options.num_null)},
                 {"statistic", {"statistic"}, values.head(1)}}};
  result.meaning += short_text(result.value) + ".";
  judge_together(std::span(&result, 1));
  return result;
}

}  // namespace epsfree
