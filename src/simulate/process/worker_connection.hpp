// One worker: a process that stays, asked over its standard input, answering on its standard
// output.
#pragma once

#include <Eigen/Core>
#include <chrono>
#include <memory>
#include <span>
#include <stop_token>
#include <string>
#include <vector>

#include "epsfree/process_simulators.hpp"
#include "simulate/process/nursery.hpp"
#include "simulate/process/program.hpp"
#include "simulate/process/worker_message.hpp"

namespace epsfree {

/// Simulations for a worker, and how they ended. Column i of both matrices, seeds[i] and so on
/// belong together.
struct WorkerJob {
  const Eigen::Ref<const Eigen::MatrixXd>& thetas;
  std::span<const std::uint64_t> seeds;
  Eigen::Ref<Eigen::MatrixXd>& statistics;
  std::span<SimStatus> statuses;
  std::span<std::string> messages;
  std::span<FaultKind> kinds = {};
};

/// Used by one thread at a time.
class WorkerConnection {
 public:
  WorkerConnection(const WorkerOptions& options, const std::string& program, TimeLimit& limit);

  /// Waits for the hello. "": it came and fits; else what is wrong, and the worker is not to be
  /// used.
  std::string greet(const std::stop_token& stop);

  /// Simulates the columns from `first` on, as many as the worker settles, and returns the first
  /// that it did not. What is not settled was not begun and may be given to another worker; one
  /// whose simulation went wrong is. Once a worker is not `usable`, it is to be ended.
  std::size_t simulate(const WorkerJob& job, std::size_t first, const std::stop_token& stop);

  bool usable() const { return usable_; }
  /// Whether the worker kept its peace since it was last asked.
  bool is_quiet();

  /// The first half of a polite end: no more requests.
  void close_input() { child_->close_in(); }
  /// The second: waits a grace for it to go by itself, then ends it.
  void leave();
  /// Ends it and waits until it is gone.
  void finish();

 private:
  using Clock = std::chrono::steady_clock;
  struct Wait {
    bool stopped = false, timed_out = false;
  };
  /// The simulations of one call: those before `oldest` are settled, those before `next` asked for.
  struct Flight {
    const WorkerJob& job;
    std::size_t first, oldest, next;
    std::int64_t first_id;
    Clock::time_point begun = {};  // when the oldest could begin
    double allowed = 0;            // seconds for it

    std::int64_t id(std::size_t i) const { return first_id + static_cast<std::int64_t>(i - first); }
    void settle(SimStatus status, std::string message, FaultKind kind = FaultKind::any);
  };

  void ask(Flight& flight);
  /// Takes the answers that have come. False: the worker is not to be used any more.
  bool take_answers(Flight& flight);
  void take_answer(Flight& flight);
  /// False: no more answers will come, and the oldest is settled accordingly.
  bool check(Flight& flight, const Wait& wait);

  /// Moves what can be moved; waits until `deadline` at most for something to happen. It has timed
  /// out only if nothing is there either: this process may have been stopped meanwhile.
  Wait exchange(Clock::time_point deadline, const std::stop_token& stop);
  void write_some();
  bool next_line(std::string_view& line);
  bool line_too_long() const { return incoming_.size() - taken_ > max_line_; }
  /// What is wrong with the hello in line_; "": nothing.
  std::string hello_complaint() const;
  /// Ends the worker and returns what is to be said of it: how it ended, if by itself, else the
  /// complaint.
  std::string end_with(const std::string& complaint);

  const WorkerOptions& options_;
  TimeLimit& limit_;
  std::unique_ptr<ChildProcess> child_;
  std::size_t max_line_;
  std::size_t max_in_flight_;
  std::string outgoing_;
  std::size_t sent_ = 0;  // of outgoing_
  std::string incoming_;
  std::size_t taken_ = 0, searched_ = 0;  // of incoming_
  WorkerLine line_;
  std::int64_t next_id_ = 1;
  bool usable_ = true;
  bool by_others_ = false;  // it was ended by somebody else
};

}  // namespace epsfree
