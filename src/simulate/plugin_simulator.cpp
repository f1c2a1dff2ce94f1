#include <algorithm>
#include <cstring>
#include <limits>
#include <mutex>
#include <utility>
#include <vector>

#include "epsfree/error.hpp"
#include "epsfree/plugin.hpp"
#include "simulate/plugin_library.hpp"

namespace epsfree {
namespace {

constexpr std::size_t kMessageSize = 1024;
constexpr Index kMostInBatch = 64;

SimStatus status_of(int outcome) {
  if (outcome == EPSFREE_OK) return SimStatus::ok;
  return outcome == EPSFREE_INVALID ? SimStatus::invalid : SimStatus::failed;
}

// Fortran pads with blanks, and forgets the 0 at the end.
std::string message_of(const char* buffer) {
  std::string text(buffer, ::strnlen(buffer, kMessageSize));
  text.erase(
      std::find_if(text.rbegin(), text.rend(), [](unsigned char c) { return c > ' ' && c != 0x7f; })
          .base(),
      text.end());
  return text;
}

std::string describe_failure(int outcome, const char* buffer) {
  const std::string said = message_of(buffer);
  if (!said.empty() || outcome == EPSFREE_INVALID) return said;
  return "the plugin returned " + std::to_string(outcome);
}

class PluginSimulator final : public Simulator {
 public:
  PluginSimulator(const PluginLibrary& library, Index num_parameters, Index num_statistics,
                  bool thread_safe)
      : library_(library),
        num_parameters_(num_parameters),
        num_statistics_(num_statistics),
        thread_safe_(thread_safe) {}

  Index num_parameters() const override { return num_parameters_; }
  Index num_statistics() const override { return num_statistics_; }
  // One at a time gains nothing from a batch.
  Index preferred_batch() const override { return library_.info().has_batch ? kMostInBatch : 1; }

  void simulate(const Eigen::Ref<const Eigen::MatrixXd>& thetas, std::span<Stream> streams,
                Eigen::Ref<Eigen::MatrixXd> statistics,
                std::span<SimStatus> statuses) const override {
    std::vector<std::string> messages(streams.size());
    simulate_in({messages, {}}, thetas, streams, statistics, statuses);
  }

  void simulate_in(const BatchContext& context, const Eigen::Ref<const Eigen::MatrixXd>& thetas,
                   std::span<Stream> streams, Eigen::Ref<Eigen::MatrixXd> statistics,
                   std::span<SimStatus> statuses) const override {
    if (library_.info().has_batch) {
      call_batch(context, thetas, streams, statistics, statuses);
    } else {
      call_each(context, thetas, streams, statistics, statuses);
    }
  }

 private:
  // Only where it is asked for does it cost anything.
  std::unique_lock<std::mutex> my_turn() const {
    return thread_safe_ ? std::unique_lock<std::mutex>() : std::unique_lock(mutex_);
  }

  void call_each(const BatchContext& context, const Eigen::Ref<const Eigen::MatrixXd>& thetas,
                 std::span<Stream> streams, Eigen::Ref<Eigen::MatrixXd> statistics,
                 std::span<SimStatus> statuses) const {
    char message[kMessageSize];
    Eigen::VectorXd theta, x(num_statistics_);
    for (Index i = 0; i < thetas.cols(); ++i) {
      const auto column = static_cast<std::size_t>(i);
      if (context.stop.stop_requested()) {
        statuses[column] = SimStatus::lost;
        continue;
      }
      std::memset(message, 0, kMessageSize);
      // The caller's column may be one of the user's own matrix, and stays as it is.
      theta = thetas.col(i);
      // What it does not write is not a number, and so invalid.
      x.setConstant(std::numeric_limits<double>::quiet_NaN());
      const std::uint64_t seed = streams[column].bits64();
      int outcome = EPSFREE_OK;
      {
        const auto turn = my_turn();
        outcome = library_.simulate(theta.data(), static_cast<std::int32_t>(num_parameters_), seed,
                                    x.data(), static_cast<std::int32_t>(num_statistics_), message,
                                    static_cast<std::int32_t>(kMessageSize));
      }
      statistics.col(i) = x;
      settle(context, column, outcome, message, statuses);
    }
  }

  void call_batch(const BatchContext& context, const Eigen::Ref<const Eigen::MatrixXd>& thetas,
                  std::span<Stream> streams, Eigen::Ref<Eigen::MatrixXd> statistics,
                  std::span<SimStatus> statuses) const {
    if (context.stop.stop_requested()) {
      std::fill(statuses.begin(), statuses.end(), SimStatus::lost);
      return;
    }
    const auto count = static_cast<std::size_t>(thetas.cols());
    const Eigen::MatrixXd inputs = thetas;
    Eigen::MatrixXd outputs = Eigen::MatrixXd::Constant(num_statistics_, thetas.cols(),
                                                        std::numeric_limits<double>::quiet_NaN());
    std::vector<std::uint64_t> seeds(count);
    std::vector<std::int32_t> outcomes(count, EPSFREE_OK);
    std::vector<char> messages(count * kMessageSize, '\0');
    for (std::size_t i = 0; i < count; ++i) seeds[i] = streams[i].bits64();
    int whole = EPSFREE_OK;
    {
      const auto turn = my_turn();
      whole = library_.simulate_batch(static_cast<std::int32_t>(count), inputs.data(),
                                      static_cast<std::int32_t>(num_parameters_), seeds.data(),
                                      outputs.data(), static_cast<std::int32_t>(num_statistics_),
                                      outcomes.data(), messages.data(),
                                      static_cast<std::int32_t>(kMessageSize));
    }
    statistics = outputs;
    for (std::size_t i = 0; i < count; ++i) {
      // The whole batch failed: that it is known for one of them to be invalid is not to be
      // trusted either.
      settle(context, i, whole == EPSFREE_OK ? outcomes[i] : std::max(whole, EPSFREE_FAILED),
             messages.data() + i * kMessageSize, statuses);
    }
  }

  static void settle(const BatchContext& context, std::size_t column, int outcome,
                     const char* message, std::span<SimStatus> statuses) {
    statuses[column] = status_of(outcome);
    if (outcome != EPSFREE_OK && column < context.messages.size()) {
      context.messages[column] = describe_failure(outcome, message);
    }
  }

  PluginLibrary library_;
  Index num_parameters_, num_statistics_;
  bool thread_safe_;
  mutable std::mutex mutex_;
};

Index agreed(const std::string& path, const char* what, Index wanted, Index said) {
  if (wanted == 0 && said == 0) {
    throw Error(ErrorKind::input, "plugin '" + path + "' takes any number of " + what +
                                      "; the problem must say how many there are");
  }
  if (wanted != 0 && said != 0 && wanted != said) {
    throw Error(ErrorKind::input, "plugin '" + path + "' has " + std::to_string(said) + " " + what +
                                      ", but the problem has " + std::to_string(wanted));
  }
  return wanted != 0 ? wanted : said;
}

}  // namespace

void PluginOptions::validate() const {
  if (path.empty()) throw Error(ErrorKind::usage, "PluginOptions: path is empty");
  if (num_parameters < 0 || num_statistics < 0) {
    throw Error(ErrorKind::usage, "PluginOptions: num_parameters and num_statistics are " +
                                      std::to_string(num_parameters) + " and " +
                                      std::to_string(num_statistics) + ", expected 0 or more");
  }
}

SimulatorPtr plugin_simulator(const PluginOptions& options) {
  options.validate();
  const PluginLibrary library(options.path);
  const PluginInfo& info = library.info();
  const Index num_parameters =
      agreed(options.path, "parameters", options.num_parameters, info.num_parameters);
  const Index num_statistics =
      agreed(options.path, "statistics", options.num_statistics, info.num_statistics);
  return std::make_shared<PluginSimulator>(library, num_parameters, num_statistics,
                                           options.thread_safe.value_or(info.thread_safe));
}

}  // namespace epsfree
