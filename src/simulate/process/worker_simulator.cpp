#include <algorithm>
#include <atomic>
#include <memory>
#include <mutex>

#include "epsfree/process_simulators.hpp"
#include "simulate/process/worker_connection.hpp"

namespace epsfree {
namespace {

// What a call should take, so that passing lines is a small part of it.
constexpr double kBatchSeconds = 2e-3;

class WorkerSimulator final : public Simulator {
 public:
  explicit WorkerSimulator(const WorkerOptions& options)
      : options_(options),
        program_(find_program(options.process)),
        nursery_(Nursery::shared()),
        limit_(options.process) {}

  ~WorkerSimulator() override {
    // All are told before the first is waited for.
    for (const auto& worker : idle_) worker->close_input();
    for (const auto& worker : idle_) worker->leave();
  }

  Index num_parameters() const override { return options_.process.num_parameters; }
  Index num_statistics() const override { return options_.process.num_statistics; }
  bool faults_may_pass() const override { return true; }

  /// One at a time until it is known how long they take.
  Index preferred_batch() const override {
    const double median = limit_.median();
    if (median <= 0) return 1;
    return static_cast<Index>(
        std::clamp(kBatchSeconds / median, 1.0, static_cast<double>(options_.max_in_flight)));
  }

  void simulate(const Eigen::Ref<const Eigen::MatrixXd>& thetas, std::span<Stream> streams,
                Eigen::Ref<Eigen::MatrixXd> statistics,
                std::span<SimStatus> statuses) const override {
    simulate_in({}, thetas, streams, statistics, statuses);
  }

  void simulate_in(const BatchContext& context, const Eigen::Ref<const Eigen::MatrixXd>& thetas,
                   std::span<Stream> streams, Eigen::Ref<Eigen::MatrixXd> statistics,
                   std::span<SimStatus> statuses) const override {
    const auto count = static_cast<std::size_t>(thetas.cols());
    std::vector<std::uint64_t> seeds(count);
    for (std::size_t i = 0; i < count; ++i) seeds[i] = streams[i].bits64();
    const WorkerJob job{thetas, seeds, statistics, statuses, context.messages, context.kinds};
    const auto settle_rest = [&](std::size_t first, SimStatus status, const std::string& message) {
      for (std::size_t i = first; i < count; ++i) {
        statuses[i] = status;
        if (!context.messages.empty()) context.messages[i] = message;
      }
    };
    for (std::size_t next = 0; next < count;) {
      if (context.stop.stop_requested()) return settle_rest(next, SimStatus::lost, "stopped");
      std::unique_ptr<WorkerConnection> worker = take();
      if (!worker) {
        worker = std::make_unique<WorkerConnection>(options_, program_, limit_);
        const std::string complaint = worker->greet(context.stop);
        if (!complaint.empty()) {
          const bool stopped = context.stop.stop_requested();
          return settle_rest(next, stopped ? SimStatus::lost : SimStatus::failed, complaint);
        }
      }
      next = worker->simulate(job, next, context.stop);
      if (worker->usable()) give_back(std::move(worker));
    }
  }

 private:
  /// Empty: there is none.
  std::unique_ptr<WorkerConnection> take() const {
    for (;;) {
      std::unique_ptr<WorkerConnection> worker;
      {
        const std::lock_guard lock(mutex_);
        if (idle_.empty()) return nullptr;
        worker = std::move(idle_.back());
        idle_.pop_back();
      }
      if (worker->is_quiet()) return worker;
      worker->finish();
    }
  }

  void give_back(std::unique_ptr<WorkerConnection> worker) const {
    const std::lock_guard lock(mutex_);
    idle_.push_back(std::move(worker));
  }

  WorkerOptions options_;
  std::string program_;
  std::shared_ptr<Nursery> nursery_;
  mutable TimeLimit limit_;
  mutable std::mutex mutex_;  // of idle_
  mutable std::vector<std::unique_ptr<WorkerConnection>> idle_;
};

}  // namespace

SimulatorPtr worker_simulator(const WorkerOptions& options) {
  options.validate();
  return std::make_shared<WorkerSimulator>(options);
}

}  // namespace epsfree
