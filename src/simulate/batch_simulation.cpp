#include "simulate/batch_simulation.hpp"

#include <algorithm>
#include <chrono>
#include <exception>
#include <limits>

namespace epsfree {
namespace {

using Clock = std::chrono::steady_clock;

/// Call from a catch block.
std::string current_message() {
  try {
    throw;
  } catch (const std::exception& exception) {
    return exception.what();
  } catch (...) {
    return "an exception that is not a std::exception";
  }
}

}  // namespace

BatchSimulation::BatchSimulation(const SimulationRequest& request, int retries)
    : request_(request), retries_(request.simulator.faults_may_pass() ? retries : 0) {}

std::span<const SimulationRecord> BatchSimulation::run(Index begin, Index end,
                                                       Eigen::Ref<Eigen::MatrixXd> statistics,
                                                       const std::stop_token& stop) {
  const auto count = static_cast<std::size_t>(end - begin);
  streams_.assign(count, Stream(0));
  statuses_.assign(count, SimStatus::ok);
  messages_.resize(count);
  kinds_.assign(count, FaultKind::any);
  for (std::string& message : messages_) message.clear();
  records_.resize(count);

  const auto start = Clock::now();
  attempt(begin, statistics, 0, count, stop);
  const double each =
      std::chrono::duration<double>(Clock::now() - start).count() / static_cast<double>(count);
  for (std::size_t i = 0; i < count; ++i) {
    SimulationRecord& record = records_[i];
    record.column = begin + static_cast<Index>(i);
    record.attempts = 1;
    record.seconds = each;
    while (is_fault(statuses_[i]) && record.attempts <= retries_ && !stop.stop_requested()) {
      const auto again = Clock::now();
      attempt(begin, statistics, i, 1, stop);
      record.seconds = std::chrono::duration<double>(Clock::now() - again).count();
      ++record.attempts;
    }
    auto x = statistics.col(static_cast<Index>(i));
    if (statuses_[i] == SimStatus::ok && !x.allFinite()) statuses_[i] = SimStatus::invalid;
    record.status = statuses_[i];
    record.kind = record.status == SimStatus::failed ? kinds_[i] : FaultKind::any;
    record.message.clear();
    if (record.status == SimStatus::ok) continue;
    x.setConstant(std::numeric_limits<double>::quiet_NaN());
    record.message = messages_[i];
  }
  return records_;
}

/// Columns first .. first + count - 1 of the batch, each by itself where together they throw.
void BatchSimulation::attempt(Index begin, Eigen::Ref<Eigen::MatrixXd> statistics,
                              std::size_t first, std::size_t count, const std::stop_token& stop) {
  try {
    simulate(begin, statistics, first, count, stop);
    return;
  } catch (...) {
    if (count == 1) {
      statuses_[first] = SimStatus::failed;
      messages_[first] = current_message();
      kinds_[first] = FaultKind::any;
      return;
    }
  }
  // Which column threw is not known: each depends on its theta and stream alone, so repeating them
  // one by one changes none of the others.
  for (std::size_t i = first; i < first + count; ++i) attempt(begin, statistics, i, 1, stop);
}

void BatchSimulation::simulate(Index begin, Eigen::Ref<Eigen::MatrixXd> statistics,
                               std::size_t first, std::size_t count, const std::stop_token& stop) {
  const Index column = begin + static_cast<Index>(first);
  for (std::size_t i = 0; i < count; ++i) {
    streams_[first + i] = Stream(request_.seed, request_.key(column + static_cast<Index>(i)));
    statuses_[first + i] = SimStatus::ok;
    messages_[first + i].clear();
    kinds_[first + i] = FaultKind::any;
  }
  request_.simulator.simulate_in(
      {std::span(messages_).subspan(first, count), stop, std::span(kinds_).subspan(first, count)},
      request_.thetas.middleCols(column, static_cast<Index>(count)),
      std::span(streams_).subspan(first, count),
      statistics.middleCols(static_cast<Index>(first), static_cast<Index>(count)),
      std::span(statuses_).subspan(first, count));
}

}  // namespace epsfree
