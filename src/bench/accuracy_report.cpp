// What many inferences amount to: the table's numbers, and the JSON file.
#include <algorithm>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>

#include "base/order_statistics.hpp"
#include "bench/accuracy_benchmark.hpp"
#include "epsfree/version.hpp"
#include "io/json_reader.hpp"
#include "problem/method_file.hpp"

namespace epsfree {
namespace {

using Json = nlohmann::ordered_json;  // keys in the order in which a person wants to read them

constexpr const char* kAccuracyFormat = "epsfree-accuracy";
constexpr int kAccuracyVersion = 1;
constexpr double kNoScore = std::numeric_limits<double>::quiet_NaN();

Json score_or_null(double value) { return std::isnan(value) ? Json() : Json(to_json(value)); }

Json record_json(const AccuracyPlan& plan, const SeedRecord& record) {
  Json json;
  json["seed"] = record.seed;
  json["score"] = score_or_null(record.score);
  json["score_error"] = score_or_null(record.score_error);
  json["failed"] = record.failed;
  json["error"] = record.error.empty() ? Json() : Json(record.error);
  json["simulations"] = record.num_simulations;
  json["seconds"] = record.seconds;
  json["cpu_seconds"] = record.cpu_seconds;
  json["correction"] = record.correction;
  json["warnings"] = record.warnings;
  if (plan.mode == AccuracyMode::observations) {
    json["ranks"] = std::vector<int>(record.ranks.begin(), record.ranks.end());
  }
  return json;
}

Json summary_json(const AccuracySummary& summary) {
  Json json;
  json["seeds"] = summary.num_seeds;
  json["scored"] = summary.num_scored;
  json["failed"] = summary.num_failed;
  json["errors"] = summary.num_errors;
  json["mean"] = score_or_null(summary.mean);
  json["standard_error"] = score_or_null(summary.standard_error);
  json["median"] = score_or_null(summary.median);
  json["best"] = score_or_null(summary.best);
  json["worst"] = score_or_null(summary.worst);
  json["simulations"] = {{"mean", summary.mean_simulations}, {"max", summary.max_simulations}};
  json["seconds"] = {{"mean", summary.mean_seconds}, {"max", summary.max_seconds}};
  json["cpu_seconds"] = {{"mean", summary.mean_cpu_seconds}, {"max", summary.max_cpu_seconds}};
  json["corrections"] = summary.corrections;
  if (summary.ranks) {
    json["ranks"] = {{"p_values", to_json(summary.ranks->p_values)},
                     {"overall_p", summary.ranks->overall_p},
                     {"level", kRankLevel},
                     {"passed", summary.ranks->overall_p >= kRankLevel}};
  }
  return json;
}

Json report_json(const AccuracyReport& report) {
  const AccuracyPlan& plan = report.plan;
  Json json;
  json["model"] = plan.spec.model;
  json["method"] = method_name(plan.spec.options.method);
  json["mode"] = plan.mode == AccuracyMode::seeds ? "seeds" : "observations";
  json["first_seed"] = plan.seeds.first;
  json["last_seed"] = plan.seeds.last;
  json["budget"] = plan.budget;
  json["score"] = to_string(plan.score);
  json["reference"] = plan.reference.empty() ? Json() : Json(plan.reference);
  json["failed_above"] = plan.failed_above ? Json(*plan.failed_above) : Json();
  json["parameters"] = plan.spec.problem.names;
  if (plan.mode == AccuracyMode::observations) json["rank_samples"] = kRankSamples;
  json["options"] = method_toml(plan.spec.options, false);
  json["summary"] = summary_json(report.summary);
  Json records = Json::array();
  for (const SeedRecord& record : report.records) records.push_back(record_json(plan, record));
  json["records"] = std::move(records);
  return json;
}

void summarise_scores(std::vector<double> scores, AccuracySummary& summary) {
  summary.num_scored = scores.size();
  summary.mean = summary.standard_error = summary.median = summary.best = summary.worst = kNoScore;
  if (scores.empty()) return;
  std::sort(scores.begin(), scores.end());
  const Eigen::Map<const Eigen::ArrayXd> values(scores.data(), static_cast<Index>(scores.size()));
  const double n = static_cast<double>(scores.size());
  summary.mean = values.mean();
  summary.median = median_of_sorted(scores);
  summary.best = scores.front();
  summary.worst = scores.back();
  if (scores.size() > 1 && std::isfinite(summary.mean)) {
    summary.standard_error = std::sqrt((values - summary.mean).square().sum() / (n - 1) / n);
  }
}

RankTest test_of(const std::vector<SeedRecord>& records, Index dim) {
  Eigen::MatrixXi ranks(dim, static_cast<Index>(records.size()));
  Index count = 0;
  for (const SeedRecord& record : records) {
    if (record.ranks.size() == dim) ranks.col(count++) = record.ranks;
  }
  return test_ranks(ranks.leftCols(count), kRankSamples);
}

}  // namespace

AccuracySummary summarise(const AccuracyPlan& plan, const std::vector<SeedRecord>& records) {
  AccuracySummary summary;
  summary.num_seeds = records.size();
  std::vector<double> scores;
  long finished = 0;
  for (const SeedRecord& record : records) {
    if (record.failed) ++summary.num_failed;
    if (!record.error.empty()) {
      if (summary.num_errors++ == 0) summary.first_error = record.error;
      continue;
    }
    ++finished;
    if (!std::isnan(record.score)) scores.push_back(record.score);
    ++summary.corrections[record.correction];
    summary.mean_simulations += static_cast<double>(record.num_simulations);
    summary.mean_seconds += record.seconds;
    summary.mean_cpu_seconds += record.cpu_seconds;
    summary.max_simulations = std::max(summary.max_simulations, record.num_simulations);
    summary.max_seconds = std::max(summary.max_seconds, record.seconds);
    summary.max_cpu_seconds = std::max(summary.max_cpu_seconds, record.cpu_seconds);
  }
  if (finished > 0) {
    summary.mean_simulations /= static_cast<double>(finished);
    summary.mean_seconds /= static_cast<double>(finished);
    summary.mean_cpu_seconds /= static_cast<double>(finished);
  }
  summarise_scores(std::move(scores), summary);
  if (plan.mode == AccuracyMode::observations) {
    summary.ranks = test_of(records, plan.spec.problem.prior->dim());
  }
  return summary;
}

std::string accuracy_json(const std::vector<AccuracyReport>& reports) {
  Json json;
  json["format"] = kAccuracyFormat;
  json["version"] = kAccuracyVersion;
  json["epsfree_version"] = version();
  Json list = Json::array();
  for (const AccuracyReport& report : reports) list.push_back(report_json(report));
  json["benchmarks"] = std::move(list);
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace epsfree
