// Running many simulations.
#pragma once

#include <Eigen/Core>
#include <array>
#include <functional>
#include <string>
#include <vector>

#include "epsfree/observer.hpp"
#include "epsfree/simulator.hpp"

namespace epsfree {

/// The outcomes of a batch, in the order of its keys.
struct SimulationResults {
  Eigen::MatrixXd statistics;  ///< one column per simulation; NaN where not ok
  std::vector<SimStatus> statuses;
  std::array<long, kNumSimStatuses> counts{};  ///< by status
  std::string first_failure;                   ///< what the first `failed` one said, if any
  double seconds = 0;
  bool interrupted = false;  ///< progress asked to stop; the rest is `lost`

  long num_ok() const { return counts[0]; }
  /// The indices of the ok ones, in order.
  std::vector<Index> ok_indices() const;
};

/// Runs simulations somewhere: here in threads, later in processes or on a cluster. A method that
/// uses it knows nothing of that.
class Runner {
 public:
  virtual ~Runner() = default;
  /// Simulates column i of `thetas` with the stream of `seed` and `first` with index first.index +
  /// i. `progress(done, bad)` is called from the calling thread now and then.
  virtual SimulationResults run(const Simulator& simulator,
                                const Eigen::Ref<const Eigen::MatrixXd>& thetas, std::uint64_t seed,
                                const Key& first,
                                const std::function<Action(long done, long bad)>& progress) = 0;
};

/// Runs simulations in threads of this process. Results are the same for any number of threads.
class ThreadRunner final : public Runner {
 public:
  /// 0 threads: as many as the machine has.
  explicit ThreadRunner(int num_threads = 0);
  int num_threads() const { return num_threads_; }
  SimulationResults run(const Simulator& simulator, const Eigen::Ref<const Eigen::MatrixXd>& thetas,
                        std::uint64_t seed, const Key& first,
                        const std::function<Action(long, long)>& progress) override;

 private:
  int num_threads_;
};

}  // namespace epsfree
