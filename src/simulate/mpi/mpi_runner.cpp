#include "simulate/mpi/mpi_runner.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/stopwatch.hpp"
#include "epsfree/error.hpp"
#include "simulate/mpi/chunk_threads.hpp"
#include "simulate/tally.hpp"

namespace epsfree {
namespace {

// A chunk takes about so long: much more than a message costs, and soon enough for progress,
// recording and an even end. With very many ranks it takes longer, so that rank 0, which spends
// some 10 us on each chunk, is busy for a fifth of its time.
constexpr double kChunkSeconds = 0.02;
constexpr double kChunkSecondsPerRank = 50e-6;
// Chunks a rank has beside those that it works on, so that it never waits for the next.
constexpr int kSpareChunks = 1;
// Rank 0 simulates itself while it has nothing else to do for this share of the time.
constexpr double kIdleShare = 0.5;
constexpr double kSmoothing = 0.2;

}  // namespace

MpiRunner::MpiRunner(MpiConnection& connection, const RunnerOptions& options)
    : connection_(connection),
      options_(options),
      ready_(static_cast<std::size_t>(connection.size()), false) {
  options_.validate();
  options_.num_threads = std::max(1, options_.num_threads);
}

/// One call of MpiRunner::run.
class MpiRun {
 public:
  MpiRun(MpiRunner& runner, const SimulationRequest& request, SimulationResults& results)
      : runner_(runner),
        connection_(runner.connection_),
        request_(request),
        results_(results),
        tally_(request, runner.options_.give_up_after, results),
        own_(request.simulator, runner.options_),
        outstanding_(runner.ready_.size(), 0),
        total_(request.thetas.cols()) {}

  void run() {
    while (!tally_.complete()) {
      hand_out();
      if (take_in()) {
        pause_.reset();
      } else {
        const Stopwatch watch;
        own_.wait(pause_.next());
        idle_seconds_ += watch.seconds();
      }
      if (!tally_.report()) {
        abandon();
        break;
      }
    }
    // The last word: short runs are never asked about otherwise.
    if (total_ > 0 && !results_.interrupted && !results_.gave_up) tally_.report(true);
    tally_.finish();
  }

 private:
  int capacity() const { return runner_.options_.num_threads + kSpareChunks; }

  Index chunk_size() const {
    const RunnerOptions& options = runner_.options_;
    if (options.chunk > 0) return options.chunk;
    const Index batch = std::max<Index>(1, request_.simulator.preferred_batch());
    double size = static_cast<double>(batch);
    const double ranks = static_cast<double>(outstanding_.size());
    if (runner_.seconds_each_ > 0) {
      size = std::max(kChunkSeconds, kChunkSecondsPerRank * ranks) / runner_.seconds_each_;
    }
    // Smaller and smaller towards the end, so that all ranks end together.
    const double places = ranks * static_cast<double>(runner_.options_.num_threads);
    size = std::min(size, static_cast<double>(total_ - next_) / (2 * places));
    return std::max<Index>(1, static_cast<Index>(size) / batch * batch);
  }

  void hand_out() {
    for (std::size_t rank = 1; rank < outstanding_.size(); ++rank) {
      while (runner_.ready_[rank] && outstanding_[rank] < capacity() && next_ < total_) {
        connection_.send(static_cast<int>(rank), MessageKind::work, to_bytes(next_chunk()));
        ++outstanding_[rank];
      }
    }
    const bool has_time =
        outstanding_.size() == 1 || idle_seconds_ >= kIdleShare * watch_.seconds();
    while (own_.outstanding() < capacity() && next_ < total_ && has_time) {
      own_.submit(next_chunk());
    }
  }

  Chunk next_chunk() {
    const Index count = std::min(chunk_size(), total_ - next_);
    Chunk chunk = cut(request_, runner_.num_runs_, next_, count);
    next_ += count;
    return chunk;
  }

  /// Whether there was anything.
  bool take_in() {
    bool any = false;
    while (std::optional<Message> message = connection_.receive()) {
      any = true;
      handle(*message);
    }
    while (const std::optional<ChunkOutcome> outcome = own_.poll()) {
      any = true;
      add(*outcome);
    }
    return any;
  }

  void handle(const Message& message) {
    const auto rank = static_cast<std::size_t>(message.rank);
    switch (message.kind) {
      case MessageKind::ready:
        if (!message.bytes.empty()) {
          abandon();
          throw Error(ErrorKind::io, "rank " + std::to_string(message.rank) +
                                         " cannot simulate: " + message.bytes);
        }
        runner_.ready_[rank] = true;
        break;
      case MessageKind::outcome:
        --outstanding_[rank];
        add(outcome_from_bytes(message.bytes));
        break;
      case MessageKind::abandoned:
        outstanding_[rank] = 0;
        --num_abandoning_;
        break;
      case MessageKind::work:
      case MessageKind::abandon:
      case MessageKind::finish:
        throw Error(ErrorKind::internal, "rank 0 got a message that only it sends");
    }
  }

  void add(const ChunkOutcome& outcome) {
    if (outcome.run != runner_.num_runs_) return;
    for (std::size_t i = 0; i < outcome.records.size(); ++i) {
      results_.statistics.col(outcome.records[i].column) =
          outcome.statistics.col(static_cast<Index>(i));
    }
    tally_.add(outcome.records);
    if (static_cast<Index>(outcome.records.size()) < outcome.size) return;
    const double each = outcome.seconds / static_cast<double>(outcome.size);
    double& seconds = runner_.seconds_each_;
    seconds = seconds > 0 ? seconds + kSmoothing * (each - seconds) : each;
  }

  /// All ranks end what they do.
  void abandon() {
    num_abandoning_ = 0;
    for (std::size_t rank = 1; rank < outstanding_.size(); ++rank) {
      if (!runner_.ready_[rank]) continue;
      connection_.send(static_cast<int>(rank), MessageKind::abandon);
      ++num_abandoning_;
    }
    for (const ChunkOutcome& outcome : own_.abandon()) add(outcome);
    Pause pause;
    while (num_abandoning_ > 0) {
      if (const std::optional<Message> message = connection_.receive()) {
        if (message->kind != MessageKind::ready) handle(*message);
        pause.reset();
      } else {
        own_.wait(pause.next());
      }
    }
  }

  MpiRunner& runner_;
  MpiConnection& connection_;
  const SimulationRequest& request_;
  SimulationResults& results_;
  Tally tally_;
  ChunkThreads own_;
  std::vector<int> outstanding_;  // chunks, by rank
  const Index total_;
  Index next_ = 0;
  int num_abandoning_ = 0;
  Pause pause_;
  Stopwatch watch_;
  double idle_seconds_ = 0;
};

SimulationResults MpiRunner::run(const SimulationRequest& request) {
  request.validate();
  ++num_runs_;
  SimulationResults results;
  MpiRun(*this, request, results).run();
  return results;
}

}  // namespace epsfree
