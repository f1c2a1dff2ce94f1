// Simulators: programs that turn parameters and randomness into statistics.
#pragma once

#include <Eigen/Core>
#include <functional>
#include <memory>
#include <span>
#include <stop_token>
#include <string>

#include "epsfree/gaussian.hpp"
#include "epsfree/stream.hpp"

namespace epsfree {

/// How a simulation ended. A value, never an exception.
enum class SimStatus : unsigned char {
  ok,
  invalid,  ///< it says so, or returned NaN or Inf: part of the model
  failed,   ///< it threw, crashed, gave another number of values, or could not be understood
  timeout,
  lost,
};
inline constexpr int kNumSimStatuses = 5;
const char* to_string(SimStatus status);

/// Whether it ended by a fault of the machinery, which trying again may mend.
bool is_fault(SimStatus status);

/// What a `failed` simulation tells about the simulator.
enum class FaultKind : unsigned char {
  any,
  wrong_size,  ///< another number of values than the problem says: a mistake, which will not pass
};

/// What passes between a runner and a simulator besides the numbers.
struct BatchContext {
  std::span<std::string> messages;  ///< one per simulation, for those that are not ok to fill
  std::stop_token stop;             ///< once requested, what takes long ends early, as `lost`
  std::span<FaultKind> kinds = {};  ///< one per simulation, for those that failed to fill
};

/// Simulates batches. Implementations are thread-safe: `simulate` is called concurrently, and each
/// column depends on its theta and its stream alone.
class Simulator {
 public:
  virtual ~Simulator() = default;
  virtual Index num_parameters() const = 0;
  virtual Index num_statistics() const = 0;
  /// Column i of `statistics` and statuses[i] are the outcome of column i of `thetas` with
  /// streams[i]. A column that is not ok may hold anything. The caller turns what is not finite
  /// into `invalid` and an exception into `failed` for the whole batch.
  virtual void simulate(const Eigen::Ref<const Eigen::MatrixXd>& thetas, std::span<Stream> streams,
                        Eigen::Ref<Eigen::MatrixXd> statistics,
                        std::span<SimStatus> statuses) const = 0;
  /// The same for simulators that run elsewhere, which take long and can say what went wrong.
  virtual void simulate_in(const BatchContext& context,
                           const Eigen::Ref<const Eigen::MatrixXd>& thetas,
                           std::span<Stream> streams, Eigen::Ref<Eigen::MatrixXd> statistics,
                           std::span<SimStatus> statuses) const {
    static_cast<void>(context);
    simulate(thetas, streams, statistics, statuses);
  }
  /// Whether a fault may pass: that of another process may, that of a function of its arguments
  /// does not.
  virtual bool faults_may_pass() const { return false; }
  /// How many columns suit one call.
  virtual Index preferred_batch() const { return 16; }
};

using SimulatorPtr = std::shared_ptr<const Simulator>;

/// Wraps a function of one theta. A result with NaN or Inf counts as `invalid`; what it throws, and
/// another length than `num_statistics`, as `failed`. It must be safe to call from several threads.
SimulatorPtr function_simulator(
    Index num_parameters, Index num_statistics,
    std::function<Eigen::VectorXd(const Eigen::VectorXd& theta, Stream& stream)> function);

}  // namespace epsfree
