// Simulations that failed: how many, and where in parameter space.
#include <algorithm>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "base/numbered_names.hpp"
#include "base/words.hpp"
#include "diagnose/short_text.hpp"
#include "epsfree/diagnose.hpp"

namespace epsfree {
namespace {

// A smaller round does not give a reliable share.
constexpr long kFewestOfRound = 20;
// A sentence names at most this many parameters.
constexpr std::size_t kMostNames = 4;
// A difference counts if it is at least this large, in standard deviations or as a ratio of them,
// and three times its sampling error.
constexpr double kLeastShift = 0.3;
constexpr double kLeastRatio = 1.25;
constexpr double kErrors = 3;

double share(const SimulationCounts& counts) {
  return static_cast<double>(counts.num_faults()) / static_cast<double>(counts.total());
}

std::string percent(const SimulationCounts& counts) {
  return std::to_string(counts.num_faults()) + " of " + std::to_string(counts.total()) + " (" +
         short_text(100 * share(counts)) + "%)";
}

/// " (12 failed, 3 timeout)"; nothing where all simply failed.
std::string kinds(const SimulationCounts& counts) {
  if (counts[SimStatus::failed] == counts.num_faults()) return "";
  Listing list;
  for (const SimStatus status : {SimStatus::failed, SimStatus::timeout, SimStatus::lost}) {
    if (counts[status] == 0) continue;
    list.add(std::to_string(counts[status]) + " " + to_string(status));
  }
  return " (" + list.text() + ")";
}

/// How one parameter of the failed simulations differs, and by how many sampling errors.
struct Difference {
  double errors = 0;
  std::string text;
};

Difference difference(const FaultSummary& faults, Index d, const std::string& name,
                      const SimulationCounts& counts) {
  const auto failed = static_cast<double>(std::max(1L, counts.num_faults()));
  const auto successful = static_cast<double>(std::max(1L, counts[SimStatus::ok]));
  const double wide = faults.successful_deviation[d], narrow = faults.failed_deviation[d];
  const double scale =
      std::sqrt((failed * narrow * narrow + successful * wide * wide) / (failed + successful));
  if (!(scale > 0)) return {};
  const double shift = (faults.failed_mean[d] - faults.successful_mean[d]) / scale;
  const double shift_errors = std::abs(shift) / std::sqrt(1 / failed + 1 / successful);
  if (std::abs(shift) >= kLeastShift && shift_errors >= kErrors) {
    return {shift_errors, std::string(shift > 0 ? "large " : "small ") + name + " (" +
                              short_text(faults.failed_mean[d]) + " on average, " +
                              short_text(faults.successful_mean[d]) +
                              " where simulations succeed)"};
  }
  const double ratio = std::log(narrow / wide);
  const double ratio_errors = std::abs(ratio) / std::sqrt(0.5 / failed + 0.5 / successful);
  if (narrow > 0 && wide > 0 && std::abs(ratio) >= std::log(kLeastRatio) &&
      ratio_errors >= kErrors) {
    return {ratio_errors, ratio > 0
                              ? "both small and large " + name
                              : "values of " + name + " near " + short_text(faults.failed_mean[d])};
  }
  return {};
}

/// Where they lie, as a sentence.
std::string place(const Summary& summary, const std::vector<std::string>& names) {
  const FaultSummary& faults = summary.faults;
  if (faults.failed_mean.size() == 0) return "";
  std::vector<Difference> all;
  for (Index d = 0; d < faults.failed_mean.size(); ++d) {
    all.push_back(difference(faults, d, names[static_cast<std::size_t>(d)], summary.simulations));
  }
  std::stable_sort(all.begin(), all.end(),
                   [](const Difference& a, const Difference& b) { return a.errors > b.errors; });
  std::string text;
  for (std::size_t i = 0; i < std::min(all.size(), kMostNames); ++i) {
    if (all[i].text.empty()) break;
    text += (i == 0 ? " They happen more often at " : ", and at ") + all[i].text;
  }
  if (text.empty()) {
    return " Their parameters do not differ clearly from those of the successful ones.";
  }
  return text + ".";
}

DiagnosisTable place_table(const FaultSummary& faults, std::vector<std::string> names) {
  DiagnosisTable table{
      "parameters",
      {"mean of failed", "deviation of failed", "mean of successful", "deviation of successful"},
      Eigen::MatrixXd(faults.failed_mean.size(), 4),
      std::move(names)};
  table.values << faults.failed_mean, faults.failed_deviation, faults.successful_mean,
      faults.successful_deviation;
  return table;
}

/// The last round that simulated enough to have a share of its own: the nearest to the answer.
const RoundSummary* last_round(const Summary& summary) {
  for (auto round = summary.rounds.rbegin(); round != summary.rounds.rend(); ++round) {
    if (round->simulations.total() >= kFewestOfRound) return &*round;
  }
  return nullptr;
}

}  // namespace

std::optional<Diagnosis> failed_simulations(const Summary& summary,
                                            std::vector<std::string> names) {
  const SimulationCounts& counts = summary.simulations;
  if (counts.total() == 0) return std::nullopt;
  const Index dim = summary.faults.failed_mean.size();
  if (static_cast<Index>(names.size()) != dim) names = numbered_names("theta", dim);
  Diagnosis result{.name = "failed-simulations",
                   .quantity = "share",
                   .value = share(counts),
                   .bad = Bad::high,
                   .warn_at = 0.01,
                   .threshold = 0.1,
                   .meaning = "None of " + std::to_string(counts.total()) + " simulations failed.",
                   .advice =
                       "Failed simulations are left out, so the posterior moves away from the "
                       "parameters where they happen. Find out why they fail (`epsfree simulate` "
                       "repeats one), fix the simulator, and run again.",
                   .citation = "docs/simulators.md"};
  if (counts.num_faults() > 0) {
    result.meaning = percent(counts) + " simulations failed" + kinds(counts);
    const RoundSummary* const last = last_round(summary);
    if (last != nullptr && share(last->simulations) > result.value) {
      result.value = share(last->simulations);
      result.meaning +=
          "; in the last round, which is closest to the answer, " + percent(last->simulations);
    }
    result.meaning += "." + place(summary, names);
    if (dim > 0) result.tables = {place_table(summary.faults, std::move(names))};
  }
  judge_together(std::span(&result, 1));
  return result;
}

}  // namespace epsfree
