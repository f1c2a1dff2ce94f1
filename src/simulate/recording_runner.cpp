#include <algorithm>
#include <chrono>
#include <cstring>
#include <optional>

#include "base/number_text.hpp"
#include "epsfree/error.hpp"
#include "epsfree/ledger.hpp"

namespace epsfree {
namespace {

using Clock = std::chrono::steady_clock;

// Simulations that come faster than this, by the clock and from all threads together, are not
// recorded by default: writing one takes 2 to 4 microseconds, reading it back one or two, so that
// making them again is no loss and recording would be a burden.
constexpr double kWorthRecordingSeconds = 25e-6;

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

std::string describe(const Key& key) {
  return "replicate " + std::to_string(key.replicate) + ", purpose " +
         std::to_string(static_cast<std::uint32_t>(key.purpose)) + ", round " +
         std::to_string(key.round) + ", index " + std::to_string(key.index);
}

std::string describe(std::span<const double> theta) {
  std::string text;
  for (const double value : theta) text += (text.empty() ? "" : ", ") + number_text(value);
  return "(" + text + ")";
}

/// One request: what the ledger has of it, and what is missing.
class Replay {
 public:
  Replay(const SimulationRequest& request, Ledger& ledger, bool replace_others)
      : request_(request), total_(request.thetas.cols()), replace_others_(replace_others) {
    results_.statuses.assign(static_cast<std::size_t>(total_), SimStatus::lost);
    results_.statistics.setConstant(request.simulator.num_statistics(), total_,
                                    std::numeric_limits<double>::quiet_NaN());
    if (total_ == 0) return;
    found_.assign(static_cast<std::size_t>(total_), 0);
    index_columns();
    const Key first = key_at(0);
    ledger.visit(first, key_at(total_ - 1).index, [&](const LedgerRow& row) { take(row); });
    for (Index i = 0; i < total_; ++i) {
      if (found_[static_cast<std::size_t>(i)] == 0) missing_.push_back(i);
    }
  }

  SimulationResults& results() { return results_; }
  const std::vector<Index>& missing() const { return missing_; }
  long num_found() const { return total_ - static_cast<long>(missing_.size()); }
  long num_bad() const { return num_bad_; }
  bool any_good() const { return any_good_; }

  /// What a simulation that is not ok said; the first one counts.
  void note_failure(Index column, std::string_view message) {
    if (results_.first_failure_column >= 0 && results_.first_failure_column < column) return;
    results_.first_failure_column = column;
    results_.first_failure = message;
  }

 private:
  /// With offsets in no order, columns in the order of their keys.
  void index_columns() {
    if (request_.offsets.empty() ||
        std::is_sorted(request_.offsets.begin(), request_.offsets.end()))
      return;
    order_.resize(static_cast<std::size_t>(total_));
    for (Index i = 0; i < total_; ++i) order_[static_cast<std::size_t>(i)] = i;
    std::sort(order_.begin(), order_.end(), [&](Index a, Index b) {
      return request_.offsets[static_cast<std::size_t>(a)] <
             request_.offsets[static_cast<std::size_t>(b)];
    });
  }
  Index column_at(Index place) const {
    return order_.empty() ? place : order_[static_cast<std::size_t>(place)];
  }
  Key key_at(Index place) const { return request_.key(column_at(place)); }

  void take(const LedgerRow& row) {
    while (place_ < total_ && key_at(place_).index < row.key.index) ++place_;
    if (place_ == total_ || key_at(place_).index != row.key.index) return;
    const Index column = column_at(place_);
    const auto asked = request_.thetas.col(column);
    const bool same = static_cast<Index>(row.theta.size()) == asked.size() &&
                      std::memcmp(row.theta.data(), asked.data(), row.theta.size_bytes()) == 0;
    if (!same) {
      if (replace_others_) return;
      throw Error(ErrorKind::input,
                  "the recorded simulation (" + describe(row.key) + ") has theta " +
                      describe(row.theta) + ", but " +
                      describe({asked.data(), static_cast<std::size_t>(asked.size())}) +
                      " was asked for: the ledger belongs to another problem, or was made by "
                      "another program or kind of CPU; start over with --force");
    }
    if (row.status == SimStatus::ok) {
      if (static_cast<Index>(row.x.size()) != results_.statistics.rows()) {
        throw Error(ErrorKind::input, "the recorded simulation (" + describe(row.key) + ") has " +
                                          std::to_string(row.x.size()) +
                                          " statistics, expected the simulator's " +
                                          std::to_string(results_.statistics.rows()));
      }
      std::copy(row.x.begin(), row.x.end(), results_.statistics.col(column).begin());
    } else {
      ++num_bad_;
    }
    if (is_fault(row.status)) {
      note_failure(column, row.message);
    } else {
      any_good_ = true;
    }
    results_.statuses[static_cast<std::size_t>(column)] = row.status;
    found_[static_cast<std::size_t>(column)] = 1;
  }

  const SimulationRequest& request_;
  const Index total_;
  const bool replace_others_;
  SimulationResults results_;
  std::vector<Index> order_;  // empty: columns are in the order of their keys
  std::vector<char> found_;
  std::vector<Index> missing_;
  Index place_ = 0;
  long num_bad_ = 0;
  bool any_good_ = false;
};

/// Writes down what the inner runner makes, and passes it on to who asked.
class Recorder final : public SimulationSink {
 public:
  Recorder(const SimulationRequest& inner, const SimulationRequest& asked,
           const std::vector<Index>& missing, Ledger& ledger, Recording policy,
           RecordingRunner::Counts& counts)
      : inner_(inner),
        asked_(asked),
        missing_(missing),
        ledger_(ledger),
        policy_(policy),
        counts_(counts),
        before_(counts) {}

  void on_end(std::span<const SimulationRecord> records,
              const Eigen::Ref<const Eigen::MatrixXd>& statistics) override {
    counts_.num_simulated += static_cast<long>(records.size());
    counts_.seconds = before_.seconds + seconds_since(start_);
    if (worth_recording() && asked_.worth_recording) {
      write_chosen(records, statistics);
    } else if (worth_recording()) {
      const bool any_lost = std::any_of(records.begin(), records.end(), [](const auto& record) {
        return record.status == SimStatus::lost;
      });
      if (!any_lost) {
        write(records, statistics);
      } else {
        hold_back_lost(records, statistics);
      }
    }
    if (asked_.sink == nullptr) return;
    std::vector<SimulationRecord> renumbered(records.begin(), records.end());
    for (SimulationRecord& record : renumbered) {
      record.column = missing_[static_cast<std::size_t>(record.column)];
    }
    asked_.sink->on_end(renumbered, statistics);
  }

  /// All of a request that chooses what is recorded, after its end: hearing of each simulation as
  /// it ends takes longer than making a quick one.
  void take_all(const SimulationResults& results) {
    counts_.num_simulated += static_cast<long>(results.statuses.size());
    counts_.seconds = before_.seconds + seconds_since(start_);
    if (!worth_recording()) return;
    SimulationRecord record{.status = SimStatus::ok};
    record.seconds = results.seconds / static_cast<double>(results.statuses.size());
    for (const Index column : results.ok_indices()) {
      record.column = column;
      write_chosen({&record, 1}, results.statistics.col(column));
    }
  }

  void finish(const SimulationResults& results) {
    counts_.seconds = before_.seconds + seconds_since(start_);
    if (results.gave_up) {
      // Nothing but faults: that is something to mend, and the same simulations are to be tried
      // again when it is. A fault among good ones stays what it is.
      for (const Index column : faults_) ledger_.erase(inner_.key(column));
      counts_.num_recorded -= static_cast<long>(faults_.size());
      ledger_.commit();
    } else if (!results.interrupted && !lost_.empty()) {
      write(lost_,
            Eigen::MatrixXd(inner_.simulator.num_statistics(), static_cast<Index>(lost_.size())));
    }
  }

 private:
  bool worth_recording() const {
    if (policy_ != Recording::automatic) return policy_ == Recording::always;
    return counts_.seconds >= kWorthRecordingSeconds * static_cast<double>(counts_.num_simulated);
  }

  void write(std::span<const SimulationRecord> records,
             const Eigen::Ref<const Eigen::MatrixXd>& statistics) {
    ledger_.record(inner_, records, statistics);
    counts_.num_recorded += static_cast<long>(records.size());
    for (const SimulationRecord& record : records) {
      if (is_fault(record.status)) faults_.push_back(record.column);
    }
  }

  void write_chosen(std::span<const SimulationRecord> records,
                    const Eigen::Ref<const Eigen::MatrixXd>& statistics) {
    for (std::size_t i = 0; i < records.size(); ++i) {
      const auto x = statistics.col(static_cast<Index>(i));
      if (records[i].status != SimStatus::ok || !asked_.worth_recording(x)) continue;
      write(records.subspan(i, 1), x);
    }
  }

  /// `lost` may mean that the run is being stopped: that is known only at its end.
  void hold_back_lost(std::span<const SimulationRecord> records,
                      const Eigen::Ref<const Eigen::MatrixXd>& statistics) {
    for (std::size_t i = 0; i < records.size(); ++i) {
      if (records[i].status == SimStatus::lost) {
        lost_.push_back(records[i]);
      } else {
        write(records.subspan(i, 1), statistics.col(static_cast<Index>(i)));
      }
    }
  }

  const SimulationRequest& inner_;
  const SimulationRequest& asked_;
  const std::vector<Index>& missing_;
  Ledger& ledger_;
  const Recording policy_;
  RecordingRunner::Counts& counts_;
  const RecordingRunner::Counts before_;
  const Clock::time_point start_ = Clock::now();
  std::vector<SimulationRecord> lost_;
  std::vector<Index> faults_;
};

}  // namespace

const char* to_string(Recording recording) {
  switch (recording) {
    case Recording::automatic:
      return "auto";
    case Recording::always:
      return "always";
    case Recording::never:
      break;
  }
  return "never";
}

RecordingRunner::RecordingRunner(Runner& inner, Ledger& ledger, const RecordingOptions& options)
    : inner_(inner), ledger_(ledger), options_(options) {}

SimulationResults RecordingRunner::run(const SimulationRequest& request) {
  request.validate();
  const auto start = Clock::now();
  Replay replay(request, ledger_, options_.replace_others);
  SimulationResults& results = replay.results();
  const std::vector<Index>& missing = replay.missing();
  const long found = replay.num_found();
  counts_.num_replayed += found;
  if (missing.empty()) {
    if (request.progress && found > 0 &&
        request.progress(found, replay.num_bad()) == Action::stop) {
      results.interrupted = true;
    }
  } else if (found == 0 && request.worth_recording && request.sink == nullptr) {
    SimulationRequest inner = request;
    inner.progress = [&](long done, long bad) {
      ledger_.commit_if_due();
      return request.progress ? request.progress(done, bad) : Action::proceed;
    };
    Recorder recorder(inner, request, missing, ledger_, options_.policy, counts_);
    results = inner_.run(inner);
    recorder.take_all(results);
    ledger_.commit_if_due();
    results.seconds = seconds_since(start);
    return std::move(results);
  } else {
    Eigen::MatrixXd thetas(request.thetas.rows(), static_cast<Index>(missing.size()));
    std::vector<Index> offsets(missing.size());
    for (std::size_t i = 0; i < missing.size(); ++i) {
      thetas.col(static_cast<Index>(i)) = request.thetas.col(missing[i]);
      offsets[i] = request.offsets.empty() ? missing[i]
                                           : request.offsets[static_cast<std::size_t>(missing[i])];
    }
    SimulationRequest inner{.simulator = request.simulator,
                            .thetas = thetas,
                            .seed = request.seed,
                            .first = request.first,
                            .offsets = offsets};
    inner.may_give_up = request.may_give_up && !replay.any_good();
    inner.progress = [&](long done, long bad) {
      ledger_.commit_if_due();
      return request.progress ? request.progress(found + done, replay.num_bad() + bad)
                              : Action::proceed;
    };
    Recorder recorder(inner, request, missing, ledger_, options_.policy, counts_);
    inner.sink = &recorder;
    const SimulationResults made = inner_.run(inner);
    recorder.finish(made);
    ledger_.commit_if_due();
    for (std::size_t i = 0; i < missing.size(); ++i) {
      results.statistics.col(missing[i]) = made.statistics.col(static_cast<Index>(i));
      results.statuses[static_cast<std::size_t>(missing[i])] = made.statuses[i];
    }
    if (made.first_failure_column >= 0) {
      replay.note_failure(missing[static_cast<std::size_t>(made.first_failure_column)],
                          made.first_failure);
    }
    results.interrupted = made.interrupted;
    results.gave_up = made.gave_up;
  }
  results.counts = {};
  for (const SimStatus status : results.statuses) {
    ++results.counts[static_cast<std::size_t>(status)];
  }
  results.seconds = seconds_since(start);
  return std::move(results);
}

}  // namespace epsfree
