#include "simulate/process/worker_connection.hpp"

#include <poll.h>

#include <algorithm>
#include <cmath>

#include "base/number_text.hpp"
#include "simulate/process/statistics_text.hpp"

namespace epsfree {
namespace {

// How soon a stop request is noticed.
constexpr auto kWorkerPatience = std::chrono::milliseconds(50);
// How long one that closed a pipe has to show that it is ending.
constexpr double kExitSeconds = 0.5;

SpawnRequest spawn_request(const WorkerOptions& options, const std::string& program) {
  const ProcessOptions& process = options.process;
  SpawnRequest request{.program = program,
                       .argv = process.argv,
                       .environment = process.environment,
                       .directory = absolute_path("", process.directory),
                       .with_input = true,
                       .grace_seconds = process.grace_seconds,
                       .memory_limit = process.memory_limit};
  request.environment.emplace_back("EPSFREE_NUM_PARAMETERS",
                                   std::to_string(process.num_parameters));
  request.environment.emplace_back("EPSFREE_NUM_STATISTICS",
                                   std::to_string(process.num_statistics));
  return request;
}

std::chrono::steady_clock::time_point after(std::chrono::steady_clock::time_point start,
                                            double seconds) {
  using SteadyClock = std::chrono::steady_clock;
  if (!(seconds < 1e9)) return SteadyClock::time_point::max();
  return start +
         std::chrono::duration_cast<SteadyClock::duration>(std::chrono::duration<double>(seconds));
}

std::string short_number(double value) { return number_text(std::round(value * 1000) / 1000); }

}  // namespace

WorkerConnection::WorkerConnection(const WorkerOptions& options, const std::string& program,
                                   TimeLimit& limit)
    : options_(options),
      limit_(limit),
      child_(Nursery::shared()->spawn(spawn_request(options, program))),
      max_line_(65536 + 64 * static_cast<std::size_t>(options.process.num_statistics)),
      max_in_flight_(static_cast<std::size_t>(options.max_in_flight)) {}

WorkerConnection::Wait WorkerConnection::exchange(Clock::time_point deadline,
                                                  const std::stop_token& stop) {
  if (stop.stop_requested()) return {.stopped = true};
  const auto rest = deadline - Clock::now();
  const auto wait = std::chrono::ceil<std::chrono::milliseconds>(
      std::clamp<Clock::duration>(rest, Clock::duration::zero(), kWorkerPatience));
  const short writable = sent_ < outgoing_.size() ? POLLOUT : 0;
  pollfd polled[4] = {{child_->out(), POLLIN, 0},
                      {child_->err(), POLLIN, 0},
                      {child_->control(), POLLIN, 0},
                      {child_->in(), writable, 0}};
  ::poll(polled, 4, static_cast<int>(wait.count()));
  if (polled[0].revents != 0) child_->read_out(incoming_);
  if (polled[1].revents != 0) child_->read_err();
  if (polled[2].revents != 0) child_->listen();
  if ((polled[3].revents & POLLERR) != 0) {
    child_->close_in();
  } else if (polled[3].revents != 0) {
    write_some();
  }
  return {.timed_out = rest <= Clock::duration::zero() && polled[0].revents == 0};
}

void WorkerConnection::write_some() {
  const long written = child_->write(std::string_view(outgoing_).substr(sent_));
  sent_ += static_cast<std::size_t>(std::max(written, 0L));
}

bool WorkerConnection::next_line(std::string_view& line) {
  const std::size_t end = incoming_.find('\n', std::max(taken_, searched_));
  if (end == std::string::npos) {
    incoming_.erase(0, taken_);
    taken_ = 0;
    searched_ = incoming_.size();
    return false;
  }
  line = std::string_view(incoming_).substr(taken_, end - taken_);
  taken_ = end + 1;
  return true;
}

std::string WorkerConnection::end_with(const std::string& complaint) {
  usable_ = false;
  child_->listen();
  const bool closing = child_->out() < 0 || child_->in() < 0;
  if (closing) child_->wait_gone(kExitSeconds);
  const bool by_itself = child_->exited() || child_->gone();
  by_others_ = child_->ended_by_others();
  finish();
  const std::string said = child_->tail.text();
  const std::string what =
      by_itself ? child_->ending() + memory_note(options_.process.memory_limit, said) : complaint;
  return "the worker " + what + quoted_error(said);
}

void WorkerConnection::leave() {
  child_->wait_gone(options_.process.grace_seconds);
  finish();
}

void WorkerConnection::finish() {
  usable_ = false;
  child_->end();
  // The nursery kills it after its grace; longer than that only a process that no signal reaches
  // stays.
  child_->wait_gone(options_.process.grace_seconds + 5);
}

std::string WorkerConnection::greet(const std::stop_token& stop) {
  const auto deadline = after(Clock::now(), options_.startup_seconds);
  std::string_view line;
  while (!next_line(line)) {
    if (child_->out() < 0) return end_with("closed its standard output before it said hello");
    if (line_too_long()) return end_with("wrote a line without end instead of its hello");
    const Wait wait = exchange(deadline, stop);
    if (wait.stopped) {
      finish();
      return "stopped on request";
    }
    if (wait.timed_out) {
      return end_with("did not say hello within " + short_number(options_.startup_seconds) + " s");
    }
  }
  if (!line_.read(line) || !line_.protocol) {
    return end_with("wrote " + excerpt(line) +
                    " instead of its hello, {\"epsfree_worker\":1,...} (docs/worker-protocol.md)");
  }
  const std::string complaint = hello_complaint();
  if (!complaint.empty()) return end_with(complaint);
  if (line_.batch && *line_.batch >= 1) {
    max_in_flight_ = std::min(max_in_flight_, static_cast<std::size_t>(*line_.batch));
  }
  return "";
}

std::string WorkerConnection::hello_complaint() const {
  if (*line_.protocol != kWorkerProtocol) {
    return "speaks version " + std::to_string(*line_.protocol) +
           " of the protocol, but epsfree speaks " + std::to_string(kWorkerProtocol);
  }
  const auto complain = [](const char* what, std::optional<std::int64_t> seen, Index expected) {
    if (!seen || *seen == expected) return std::string();
    return std::string("does not fit: ") + what + " is " + std::to_string(*seen) +
           " in its hello, but " + std::to_string(expected) + " in the problem";
  };
  const ProcessOptions& process = options_.process;
  const std::string complaint =
      complain("num_parameters", line_.num_parameters, process.num_parameters);
  return complaint.empty()
             ? complain("num_statistics", line_.num_statistics, process.num_statistics)
             : complaint;
}

bool WorkerConnection::is_quiet() {
  // Without waiting: what it said of its own accord is there.
  pollfd polled[2] = {{child_->out(), POLLIN, 0}, {child_->control(), POLLIN, 0}};
  if (::poll(polled, 2, 0) != 0) exchange(Clock::time_point::max(), {});
  return usable_ && taken_ == incoming_.size() && child_->out() >= 0 && child_->in() >= 0 &&
         !child_->exited() && !child_->gone();
}

void WorkerConnection::Flight::settle(SimStatus status, std::string message, FaultKind kind) {
  job.statuses[oldest] = status;
  if (!job.kinds.empty()) job.kinds[oldest] = kind;
  if (!job.messages.empty()) job.messages[oldest] = std::move(message);
  ++oldest;
}

std::size_t WorkerConnection::simulate(const WorkerJob& job, std::size_t first,
                                       const std::stop_token& stop) {
  Flight flight{job, first, first, first, next_id_};
  flight.begun = Clock::now();
  flight.allowed = limit_.limit();
  while (flight.oldest < job.seeds.size()) {
    ask(flight);
    const Wait wait = exchange(after(flight.begun, flight.allowed), stop);
    if (wait.stopped) {
      // It is at work on something that nobody wants.
      finish();
      while (flight.oldest < job.seeds.size()) flight.settle(SimStatus::lost, "stopped on request");
      break;
    }
    const std::size_t before = flight.oldest;
    if (!take_answers(flight)) break;
    if (flight.oldest == before && !check(flight, wait)) break;
  }
  return flight.oldest;
}

void WorkerConnection::ask(Flight& flight) {
  if (sent_ == outgoing_.size()) {
    outgoing_.clear();
    sent_ = 0;
  }
  const std::size_t count = flight.job.seeds.size();
  for (; flight.next < count && flight.next - flight.oldest < max_in_flight_; ++flight.next) {
    append_request(outgoing_, flight.id(flight.next), flight.job.seeds[flight.next],
                   flight.job.thetas.col(static_cast<Index>(flight.next)));
    next_id_ = flight.id(flight.next) + 1;
  }
  if (sent_ < outgoing_.size()) write_some();
}

bool WorkerConnection::take_answers(Flight& flight) {
  std::string_view line;
  while (next_line(line)) {
    const bool readable = line_.read(line) && line_.id;
    const std::int64_t expected = flight.id(flight.oldest);
    if (flight.oldest == flight.next || (readable && *line_.id >= 1 && *line_.id < expected)) {
      // It speaks without being asked, or has answered this before: the first answer counts. What
      // it will say next is doubtful, but not the fault of any simulation.
      finish();
      return false;
    }
    if (!readable || *line_.id != expected) {
      flight.settle(SimStatus::failed,
                    end_with(readable ? "answered request " + std::to_string(*line_.id) +
                                            " when asked " + std::to_string(expected)
                                      : "wrote " + excerpt(line) + " instead of an answer"));
      return false;
    }
    take_answer(flight);
  }
  return true;
}

void WorkerConnection::take_answer(Flight& flight) {
  const Index expected = options_.process.num_statistics;
  const auto now = Clock::now();
  if (line_.error) {
    std::string note;
    if (ran_out_of_memory(*line_.error)) {
      note = memory_note(options_.process.memory_limit, *line_.error);
    }
    flight.settle(SimStatus::failed, line_.error->empty()
                                         ? "the worker reports an error"
                                         : "the worker reports: " + *line_.error + note);
  } else if (line_.invalid || !line_.has_x) {
    flight.settle(SimStatus::invalid, line_.invalid ? *line_.invalid : "no statistics");
  } else if (static_cast<Index>(line_.x.size()) != expected) {
    flight.settle(SimStatus::failed,
                  "the worker gave " + std::to_string(line_.x.size()) + " statistics, expected " +
                      std::to_string(expected),
                  FaultKind::wrong_size);
  } else {
    const Eigen::Map<const Eigen::VectorXd> x(line_.x.data(), expected);
    flight.job.statistics.col(static_cast<Index>(flight.oldest)) = x;
    if (x.allFinite()) {
      flight.settle(SimStatus::ok, "");
      limit_.add(std::chrono::duration<double>(now - flight.begun).count());
    } else {
      flight.settle(SimStatus::invalid, "a statistic is not finite");
    }
  }
  flight.begun = now;
  flight.allowed = limit_.limit();
}

bool WorkerConnection::check(Flight& flight, const Wait& wait) {
  if (wait.timed_out) {
    finish();
    flight.settle(SimStatus::timeout, "took longer than " + short_number(flight.allowed) + " s" +
                                          quoted_error(child_->tail.text()));
    return false;
  }
  if (line_too_long()) {
    flight.settle(SimStatus::failed, end_with("wrote a line without end"));
    return false;
  }
  if (child_->lost()) {
    usable_ = false;
    flight.settle(SimStatus::lost, "the process that starts simulators was killed");
    return false;
  }
  if (child_->out() >= 0 && child_->in() >= 0 && !child_->exited()) return true;
  // What it wrote before its end may still be in the pipe, which something that it started may keep
  // open.
  const std::size_t before = incoming_.size();
  child_->read_out(incoming_);
  if (incoming_.size() != before) return true;
  std::string said =
      end_with(child_->in() < 0 ? "closed its standard input" : "closed its standard output");
  flight.settle(by_others_ ? SimStatus::lost : SimStatus::failed, std::move(said));
  return false;
}

}  // namespace epsfree
