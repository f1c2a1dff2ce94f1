#include "simulate/tally.hpp"

#include <limits>
#include <utility>

namespace epsfree {
namespace {

constexpr auto kReportInterval = std::chrono::milliseconds(50);

}  // namespace

Tally::Tally(const SimulationRequest& request, long give_up_after, SimulationResults& results)
    : request_(request),
      give_up_after_(request.may_give_up ? give_up_after : 0),
      stops_at_wrong_sizes_(give_up_after > 0),
      results_(results),
      total_(static_cast<long>(request.thetas.cols())),
      start_(std::chrono::steady_clock::now()),
      last_report_(start_) {
  results_ = {};
  results_.statistics.setConstant(request.simulator.num_statistics(), request.thetas.cols(),
                                  std::numeric_limits<double>::quiet_NaN());
  results_.statuses.assign(static_cast<std::size_t>(total_), SimStatus::lost);
}

void Tally::add(std::span<const SimulationRecord> records) {
  long bad = 0, faults = 0, wrong_sizes = 0;
  for (const SimulationRecord& record : records) {
    results_.statuses[static_cast<std::size_t>(record.column)] = record.status;
    if (record.status != SimStatus::ok) ++bad;
    if (!is_fault(record.status)) continue;
    ++faults;
    if (record.kind == FaultKind::wrong_size) ++wrong_sizes;
    const std::lock_guard lock(mutex_);
    // A wrong number of values says most about what to fix.
    const bool says_more = record.kind > first_kind_;
    if (results_.first_failure_column >= 0 && !says_more &&
        (record.kind < first_kind_ || results_.first_failure_column < record.column)) {
      continue;
    }
    first_kind_ = record.kind;
    results_.first_failure_column = record.column;
    results_.first_failure = record.message;
  }
  if (request_.sink != nullptr) {
    const std::lock_guard lock(mutex_);
    pending_.insert(pending_.end(), records.begin(), records.end());
  }
  if (bad > 0) bad_.fetch_add(bad, std::memory_order_relaxed);
  if (faults > 0) faults_.fetch_add(faults, std::memory_order_relaxed);
  if (wrong_sizes > 0) wrong_sizes_.fetch_add(wrong_sizes, std::memory_order_relaxed);
  done_.fetch_add(static_cast<long>(records.size()), std::memory_order_release);
}

void Tally::hand_to_sink() {
  if (request_.sink == nullptr) return;
  std::vector<SimulationRecord> records;
  {
    const std::lock_guard lock(mutex_);
    records.swap(pending_);
  }
  if (records.empty()) return;
  Eigen::MatrixXd statistics(results_.statistics.rows(), static_cast<Index>(records.size()));
  for (std::size_t i = 0; i < records.size(); ++i) {
    statistics.col(static_cast<Index>(i)) = results_.statistics.col(records[i].column);
  }
  request_.sink->on_end(records, statistics);
}

bool Tally::report(bool now) {
  const auto time = std::chrono::steady_clock::now();
  if (!now && time - last_report_ < kReportInterval) return true;
  last_report_ = time;
  const long done = done_.load(std::memory_order_acquire);
  hand_to_sink();
  if (request_.progress &&
      request_.progress(done, bad_.load(std::memory_order_relaxed)) == Action::stop) {
    results_.interrupted = true;
    return false;
  }
  if (stops_at_wrong_sizes_ && wrong_sizes_.load(std::memory_order_relaxed) >= kMostWrongSizes) {
    results_.gave_up = true;
    return false;
  }
  // Nothing but faults among the first.
  if (give_up_after_ > 0 && done >= give_up_after_ && done < total_ &&
      faults_.load(std::memory_order_relaxed) >= done) {
    results_.gave_up = true;
    return false;
  }
  return true;
}

void Tally::finish() {
  hand_to_sink();
  if (stops_at_wrong_sizes_) {
    results_.num_wrong_size = wrong_sizes_.load(std::memory_order_relaxed);
  }
  results_.counts = {};
  for (const SimStatus status : results_.statuses) {
    ++results_.counts[static_cast<std::size_t>(status)];
  }
  results_.seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
}

}  // namespace epsfree
