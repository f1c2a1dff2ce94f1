#include "run/ledger_report.hpp"

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <numeric>

#include "epsfree/error.hpp"
#include "io/document.hpp"
#include "io/sha256.hpp"
#include "run/ledger_origin.hpp"
#include "run/run_directory.hpp"

namespace epsfree {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t kMostFailures = 10;

/// A digest of a digest a few thousand rows at a time: all rows at once may be gigabytes.
class RowDigest {
 public:
  void add(const LedgerRow& row) {
    add_word(row.key.replicate);
    add_word(static_cast<std::uint64_t>(row.key.purpose));
    add_word(row.key.round);
    add_word(row.key.index);
    add_word(static_cast<std::uint64_t>(row.status));
    add_doubles(row.theta);
    add_doubles(row.x);
    if (pending_.size() > 1000000) flush();
  }
  std::string finish() {
    flush();
    return sha256(digests_);
  }

 private:
  void add_word(std::uint64_t word) {
    pending_.append(reinterpret_cast<const char*>(&word), sizeof word);
  }
  void add_doubles(std::span<const double> values) {
    add_word(values.size());
    pending_.append(reinterpret_cast<const char*>(values.data()), values.size_bytes());
  }
  void flush() {
    digests_ += sha256(pending_);
    pending_.clear();
  }

  std::string pending_, digests_;
};

}  // namespace

long LedgerGroup::total() const { return std::accumulate(counts.begin(), counts.end(), 0L); }

std::string purpose_name(Purpose purpose) {
  if (purpose == Purpose::simulation) return "simulation";
  if (purpose == Purpose::pilot_simulation) return "pilot";
  return "purpose " + std::to_string(static_cast<std::uint32_t>(purpose));
}

Ledger open_ledger(const std::string& run_directory) {
  if (is_directory(run_directory)) {
    return Ledger(run_file(run_directory, kLedgerFile), Ledger::Access::read);
  }
  return Ledger(run_directory, Ledger::Access::read);
}

LedgerReport report_ledger(const std::string& run_directory) {
  Ledger ledger = open_ledger(run_directory);
  LedgerReport report;
  report.path = ledger.path();
  report.num_values = ledger.num_values();
  if (const auto problem = ledger.note("problem")) {
    const Node root = parse_toml(*problem, report.path);
    const Node* name = root.find("name");
    if (name != nullptr && std::holds_alternative<std::string>(name->value)) {
      report.problem = std::get<std::string>(name->value);
    }
  }
  RowDigest digest;
  const LedgerOrigin origin(ledger);
  std::map<std::pair<SimStatus, std::string>, LedgerFailure> failures;
  ledger.visit([&](const LedgerRow& row) {
    digest.add(row);
    const Key& key = row.key;
    if (report.groups.empty() || report.groups.back().replicate != key.replicate ||
        report.groups.back().purpose != key.purpose || report.groups.back().round != key.round) {
      report.groups.emplace_back();
      report.groups.back().replicate = key.replicate;
      report.groups.back().purpose = key.purpose;
      report.groups.back().round = key.round;
      report.groups.back().drawn_from = origin.of(row);
    }
    LedgerGroup& group = report.groups.back();
    if (origin.of(row) != group.drawn_from) group.drawn_from = DrawnFrom::unknown;
    ++group.counts[static_cast<std::size_t>(row.status)];
    group.num_attempts += row.attempts;
    group.seconds += row.seconds;
    report.num_parameters = static_cast<Index>(row.theta.size());
    if (row.status == SimStatus::ok) {
      report.num_statistics = static_cast<Index>(row.x.size());
      return;
    }
    LedgerFailure& failure = failures[{row.status, std::string(row.message)}];
    if (failure.count++ == 0) {
      failure.message = row.message;
      failure.status = row.status;
      failure.first = key;
    }
  });
  report.digest = digest.finish();
  for (auto& [key, failure] : failures) report.failures.push_back(std::move(failure));
  std::stable_sort(report.failures.begin(), report.failures.end(),
                   [](const auto& a, const auto& b) { return a.count > b.count; });
  if (report.failures.size() > kMostFailures) report.failures.resize(kMostFailures);
  return report;
}

std::string ledger_json(const LedgerReport& report) {
  Json json;
  json["format"] = "epsfree-ledger";
  json["version"] = 1;
  json["path"] = report.path;
  json["problem"] = report.problem;
  json["num_parameters"] = report.num_parameters;
  json["num_statistics"] = report.num_statistics;
  json["journal_values"] = report.num_values;
  json["digest"] = report.digest;
  Json groups = Json::array();
  for (const LedgerGroup& group : report.groups) {
    Json entry;
    entry["replicate"] = group.replicate;
    entry["purpose"] = purpose_name(group.purpose);
    entry["round"] = group.round;
    entry["drawn_from"] = to_string(group.drawn_from);
    entry["simulations"] = group.total();
    for (int s = 0; s < kNumSimStatuses; ++s) {
      entry[to_string(static_cast<SimStatus>(s))] = group.counts[static_cast<std::size_t>(s)];
    }
    entry["attempts"] = group.num_attempts;
    entry["seconds"] = group.seconds;
    groups.push_back(std::move(entry));
  }
  json["groups"] = std::move(groups);
  Json failures = Json::array();
  for (const LedgerFailure& failure : report.failures) {
    failures.push_back({{"status", to_string(failure.status)},
                        {"message", failure.message},
                        {"simulations", failure.count},
                        {"first",
                         {{"replicate", failure.first.replicate},
                          {"purpose", purpose_name(failure.first.purpose)},
                          {"round", failure.first.round},
                          {"index", failure.first.index}}}});
  }
  json["failures"] = std::move(failures);
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace epsfree
