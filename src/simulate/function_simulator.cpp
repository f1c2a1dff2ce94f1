#include <utility>

#include "epsfree/error.hpp"
#include "epsfree/simulator.hpp"

namespace epsfree {
namespace {

using Function = std::function<Eigen::VectorXd(const Eigen::VectorXd& theta, Stream& stream)>;

class FunctionSimulator final : public Simulator {
 public:
  FunctionSimulator(Index num_parameters, Index num_statistics, Function function)
      : num_parameters_(num_parameters),
        num_statistics_(num_statistics),
        function_(std::move(function)) {}

  Index num_parameters() const override { return num_parameters_; }
  Index num_statistics() const override { return num_statistics_; }

  // One at a time gains nothing from a batch, and a slow function is interrupted sooner and shared
  // out more evenly without one.
  Index preferred_batch() const override { return 1; }

  void simulate(const Eigen::Ref<const Eigen::MatrixXd>& thetas, std::span<Stream> streams,
                Eigen::Ref<Eigen::MatrixXd> statistics,
                std::span<SimStatus> statuses) const override {
    simulate_in({}, thetas, streams, statistics, statuses);
  }

  void simulate_in(const BatchContext& context, const Eigen::Ref<const Eigen::MatrixXd>& thetas,
                   std::span<Stream> streams, Eigen::Ref<Eigen::MatrixXd> statistics,
                   std::span<SimStatus> statuses) const override {
    for (Index i = 0; i < thetas.cols(); ++i) {
      const auto column = static_cast<std::size_t>(i);
      const Eigen::VectorXd x = function_(thetas.col(i), streams[column]);
      if (x.size() != num_statistics_) {
        statuses[column] = SimStatus::failed;
        if (!context.kinds.empty()) context.kinds[column] = FaultKind::wrong_size;
        if (!context.messages.empty()) {
          context.messages[column] = "the function returned " + std::to_string(x.size()) +
                                     " values, expected " + std::to_string(num_statistics_);
        }
        continue;
      }
      statuses[column] = x.allFinite() ? SimStatus::ok : SimStatus::invalid;
      statistics.col(i) = x;
    }
  }

 private:
  Index num_parameters_, num_statistics_;
  Function function_;
};

}  // namespace

SimulatorPtr function_simulator(Index num_parameters, Index num_statistics, Function function) {
  if (num_parameters < 1) {
    throw Error(ErrorKind::usage, "function_simulator: num_parameters is " +
                                      std::to_string(num_parameters) + ", expected at least 1");
  }
  if (num_statistics < 1) {
    throw Error(ErrorKind::usage, "function_simulator: num_statistics is " +
                                      std::to_string(num_statistics) + ", expected at least 1");
  }
  if (!function) throw Error(ErrorKind::usage, "function_simulator: the function is empty");
  return std::make_shared<FunctionSimulator>(num_parameters, num_statistics, std::move(function));
}

}  // namespace epsfree
