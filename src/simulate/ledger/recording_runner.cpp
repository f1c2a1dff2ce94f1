#include <algorithm>
#include <chrono>
#include <utility>

#include "epsfree/ledger.hpp"
#include "simulate/ledger/replay.hpp"

namespace epsfree {
namespace {

using Clock = std::chrono::steady_clock;

// Simulations that come faster than this, by the clock and from all threads together, are not
// recorded by default: writing one takes 2 to 4 microseconds, reading it back one or two, so that
// making them again is no loss and recording would be a burden.
constexpr double kWorthRecordingSeconds = 25e-6;
// Fewer faults, and nothing else, may be chance.
constexpr std::size_t kManyFaults = 20;

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

/// Writes down what the inner runner makes, and passes it on to who asked.
class Recorder final : public SimulationSink {
 public:
  /// `missing`: the columns asked for that the inner request is made of; empty: all of them.
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
    if (missing_.empty()) return asked_.sink->on_end(records, statistics);
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
    const bool all_are_faults =
        faults_.size() >= kManyFaults && static_cast<Index>(faults_.size()) == asked_.thetas.cols();
    if (results.gave_up || all_are_faults) {
      // Nothing but faults: that is something to mend, and the same simulations are to be tried
      // again when it is, also where all had ended before anybody looked. A fault among good ones
      // stays what it is.
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

  /// A wrong number of values is a mistake in the simulator. Once it is fixed, the simulation must
  /// run again, so it is not recorded.
  void write(std::span<const SimulationRecord> records,
             const Eigen::Ref<const Eigen::MatrixXd>& statistics) {
    const auto is_mistake = [](const SimulationRecord& record) {
      return record.kind == FaultKind::wrong_size;
    };
    if (!std::any_of(records.begin(), records.end(), is_mistake)) {
      return write_all(records, statistics);
    }
    for (std::size_t i = 0; i < records.size(); ++i) {
      if (is_mistake(records[i])) continue;
      write_all(records.subspan(i, 1), statistics.col(static_cast<Index>(i)));
    }
  }

  void write_all(std::span<const SimulationRecord> records,
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
  counts_.num_replayed += replay.num_found();
  SimulationResults results =
      replay.found_nothing() ? make_all(request) : make_missing(request, replay);
  results.seconds = seconds_since(start);
  return results;
}

/// Nothing is recorded: the request is passed on as it is.
SimulationResults RecordingRunner::make_all(const SimulationRequest& request) {
  const std::vector<Index> all;
  SimulationRequest inner = request;
  inner.progress = [&](long done, long bad) {
    ledger_.commit_if_due();
    return request.progress ? request.progress(done, bad) : Action::proceed;
  };
  Recorder recorder(inner, request, all, ledger_, options_.policy, counts_);
  const bool chooses_at_the_end = request.worth_recording && request.sink == nullptr;
  inner.sink = chooses_at_the_end ? nullptr : &recorder;
  SimulationResults results = inner_.run(inner);
  if (chooses_at_the_end) {
    recorder.take_all(results);
  } else {
    recorder.finish(results);
  }
  ledger_.commit_if_due();
  return results;
}

SimulationResults RecordingRunner::make_missing(const SimulationRequest& request, Replay& replay) {
  SimulationResults& results = replay.results();
  const std::vector<Index>& missing = replay.missing();
  const long found = replay.num_found();
  if (missing.empty()) {
    if (request.progress && found > 0 &&
        request.progress(found, replay.num_bad()) == Action::stop) {
      results.interrupted = true;
    }
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
                            .offsets = offsets,
                            .drawn_from = request.recorded_as()};
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
    results.num_wrong_size = made.num_wrong_size;
  }
  results.counts = {};
  for (const SimStatus status : results.statuses) {
    ++results.counts[static_cast<std::size_t>(status)];
  }
  return std::move(results);
}

}  // namespace epsfree
