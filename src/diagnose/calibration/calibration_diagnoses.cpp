#include <algorithm>
#include <cmath>
#include <string>

#include "diagnose/calibration/ecdf_bands.hpp"
#include "diagnose/short_text.hpp"
#include "epsfree/calibration.hpp"
#include "epsfree/error.hpp"

namespace epsfree {
namespace {

constexpr Index kMostBins = 20;
// A histogram of fewer ranks a bin shows nothing but noise.
constexpr Index kRanksPerBin = 10;
constexpr double kBandLevel = 0.05;

std::string percent(double share) { return short_text(100 * share) + "%"; }

DiagnosisTable histogram(const std::string& name, const Eigen::VectorXi& ranks, Index num_samples) {
  const Index bins =
      std::clamp<Index>(ranks.size() / kRanksPerBin, 2, std::min(kMostBins, num_samples + 1));
  const double cells = static_cast<double>(num_samples + 1);
  DiagnosisTable table{
      "histogram of " + name, {"low", "high", "count", "expected"}, Eigen::MatrixXd::Zero(bins, 4)};
  for (Index b = 0; b < bins; ++b) {
    const auto first = static_cast<int>(b * (num_samples + 1) / bins);
    const auto last = static_cast<int>((b + 1) * (num_samples + 1) / bins);
    table.values(b, 0) = first / cells;
    table.values(b, 1) = last / cells;
    table.values(b, 2) =
        static_cast<double>((ranks.array() >= first && ranks.array() < last).count());
    table.values(b, 3) = static_cast<double>(ranks.size()) * (last - first) / cells;
  }
  return table;
}

/// Shares of ranks below each point, with the simultaneous bands around them.
DiagnosisTable curve(const std::string& name, std::vector<std::string> columns,
                     const EcdfBands& bands, const EcdfBands::Limits& limits,
                     const Eigen::VectorXi& ranks) {
  const double count = static_cast<double>(ranks.size());
  const Eigen::VectorXi below = bands.counts_of(ranks);
  DiagnosisTable table{name, std::move(columns), Eigen::MatrixXd(bands.num_points() + 2, 4)};
  table.values.row(0).setZero();
  for (Index k = 0; k < bands.num_points(); ++k) {
    table.values.row(k + 1) << bands.z(k), below[k] / count, limits.lower[k] / count,
        limits.upper[k] / count;
  }
  table.values.row(bands.num_points() + 1).setOnes();
  return table;
}

/// The mean of coverage minus credibility: negative where posteriors are too narrow.
double excess_coverage(const EcdfBands& bands, const Eigen::VectorXi& ranks) {
  const Eigen::VectorXi below = bands.counts_of(ranks);
  double sum = 0;
  for (Index k = 0; k < bands.num_points(); ++k)
    sum += below[k] / static_cast<double>(ranks.size()) - bands.z(k);
  return sum / static_cast<double>(bands.num_points());
}

Diagnosis rank_diagnosis(const Calibration& calibration, const EcdfBands& bands,
                         const EcdfBands::Limits& limits) {
  Diagnosis result{
      .name = "sbc-ranks",
      .quantity = "p-value",
      .value = 1,
      .is_p_value = true,
      .advice =
          "Look at the histogram of the ranks: heaped at both ends, the posteriors are too narrow, "
          "in "
          "the middle too wide, at one end shifted; raise the budget or choose another method.",
      .citation = "Talts et al. 2018; Säilynoja, Bürkner & Vehtari 2022"};
  const Eigen::MatrixXi ranks = calibration.ranks();
  DiagnosisTable tests{"tests", {"p-value"}, Eigen::MatrixXd(ranks.rows(), 1), calibration.names};
  Index worst_one = 0;
  for (Index d = 0; d < ranks.rows(); ++d) {
    const std::string& name = calibration.names[static_cast<std::size_t>(d)];
    const Eigen::VectorXi own = ranks.row(d).transpose();
    tests.values(d, 0) = bands.p_value(own);
    if (tests.values(d, 0) < tests.values(worst_one, 0)) worst_one = d;
    result.tables.push_back(histogram(name, own, calibration.num_samples));
    result.tables.push_back(
        curve("ecdf of " + name, {"rank", "share", "lower", "upper"}, bands, limits, own));
  }
  // Each parameter is a test of its own (Bonferroni).
  result.value = std::min(1.0, tests.values(worst_one, 0) * static_cast<double>(ranks.rows()));
  result.meaning =
      "True parameters rank among their posteriors' samples as they should with probability " +
      short_text(result.value) + "; the least likely is " +
      calibration.names[static_cast<std::size_t>(worst_one)] + ".";
  result.tables.insert(result.tables.begin(), std::move(tests));
  return result;
}

Diagnosis coverage_diagnosis(const Calibration& calibration, const EcdfBands& bands,
                             const EcdfBands::Limits& limits) {
  const Eigen::VectorXi ranks = calibration.density_ranks();
  const double excess = excess_coverage(bands, ranks);
  return {
      .name = "expected-coverage",
      .quantity = "p-value",
      .value = bands.p_value(ranks),
      .is_p_value = true,
      .meaning = "Regions of highest density hold the truth " + percent(std::abs(excess)) +
                 (excess < 0 ? " less" : " more") +
                 " often than they claim, in the mean over their sizes.",
      .advice =
          excess < 0
              ? "The posteriors are too narrow: raise the budget, or do not trust small intervals."
              : "The posteriors are too wide: they are safe but say less than the data; raise the "
                "budget.",
      .citation = "Hermans et al. 2022; Säilynoja, Bürkner & Vehtari 2022",
      .tables = {
          curve("coverage", {"credibility", "coverage", "lower", "upper"}, bands, limits, ranks)}};
}

Diagnosis tarp_diagnosis(const Calibration& calibration, const EcdfBands& bands,
                         const EcdfBands::Limits& limits) {
  const Eigen::VectorXi ranks = calibration.distance_ranks();
  const double p = bands.p_value(ranks);
  return {
      .name = "tarp",
      .quantity = "p-value",
      .value = p,
      .is_p_value = true,
      .meaning =
          "Balls around reference points hold the truth as often as they should with probability " +
          short_text(p) + ".",
      .advice =
          "The posteriors are wrong as a whole, even where each marginal is right: parameters may "
          "be mixed up "
          "or the data not used; check the statistics and raise the budget.",
      .citation = "Lemos et al. 2023; Säilynoja, Bürkner & Vehtari 2022",
      .tables = {
          curve("coverage", {"credibility", "coverage", "lower", "upper"}, bands, limits, ranks)}};
}

Diagnosis failure_diagnosis(const Calibration& calibration) {
  const double share = static_cast<double>(calibration.num_failed()) /
                       static_cast<double>(calibration.records.size());
  std::string first;
  for (const CalibrationRecord& each : calibration.records) {
    if (first.empty()) first = each.error;
  }
  return {
      .name = "failed-inferences",
      .quantity = "share",
      .value = share,
      .bad = Bad::high,
      .warn_at = 1e-9,
      .threshold = 0.05,
      .meaning = percent(share) + " of " + std::to_string(calibration.records.size()) +
                 " inferences gave no posterior" +
                 (first.empty() ? "." : "; the first said: " + first),
      .advice =
          "What is said of the others may not hold for these: mend the cause and calibrate again.",
      .citation = "Talts et al. 2018"};
}

}  // namespace

std::vector<Diagnosis> diagnose(const Calibration& calibration, const TestLevels& levels) {
  std::vector<Diagnosis> result;
  const Index count = static_cast<Index>(calibration.records.size()) - calibration.num_failed();
  if (calibration.records.empty())
    throw Error(ErrorKind::input, "the calibration has no repetitions");
  if (count > 0) {
    const EcdfBands bands(count, calibration.num_samples);
    const EcdfBands::Limits limits = bands.limits(kBandLevel);
    result.push_back(rank_diagnosis(calibration, bands, limits));
    result.push_back(coverage_diagnosis(calibration, bands, limits));
    result.push_back(tarp_diagnosis(calibration, bands, limits));
  }
  result.push_back(failure_diagnosis(calibration));
  judge_together(result, levels);
  return result;
}

}  // namespace epsfree
