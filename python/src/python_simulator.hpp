// A simulator that is a Python function.
#pragma once

#include <nanobind/nanobind.h>

#include <atomic>
#include <memory>

#include "epsfree/simulator.hpp"
#include "python/src/fault.hpp"

namespace epsfree::python {

/// Calls `dispatch(thetas, seeds, stopped)` of epsfree/simulators.py with batches. It returns the
/// statistics (N x S), a status per simulation as bytes, and what the bad ones said, by number.
///
/// Called by the runner's threads, which hold the GIL only while Python runs. One that is asked to
/// stop has an exception raised in the Python code it runs.
class PythonSimulator final : public Simulator {
 public:
  /// `batch` 0: as many as take a fiftieth of a second, since each is simulated by itself. What
  /// dispatch itself raises is a fault of the caller (a simulator that returns another length the
  /// second time), which is kept in `fault` and ends the run.
  PythonSimulator(Index num_parameters, Index num_statistics, Index batch,
                  nanobind::object dispatch, std::shared_ptr<Fault> fault);
  ~PythonSimulator() override;

  Index num_parameters() const override { return num_parameters_; }
  Index num_statistics() const override { return num_statistics_; }
  Index preferred_batch() const override;
  void simulate(const Eigen::Ref<const Eigen::MatrixXd>& thetas, std::span<Stream> streams,
                Eigen::Ref<Eigen::MatrixXd> statistics,
                std::span<SimStatus> statuses) const override;
  void simulate_in(const BatchContext& context, const Eigen::Ref<const Eigen::MatrixXd>& thetas,
                   std::span<Stream> streams, Eigen::Ref<Eigen::MatrixXd> statistics,
                   std::span<SimStatus> statuses) const override;

 private:
  struct Call;

  Index num_parameters_, num_statistics_, batch_;
  nanobind::object dispatch_;
  std::shared_ptr<Fault> fault_;
  // What is learnt while simulating, from several threads.
  mutable std::atomic<long> count_{0};
  mutable std::atomic<double> seconds_{0};
};

}  // namespace epsfree::python
