#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "epsfree/error.hpp"
#include "epsfree/process_simulators.hpp"
#include "simulate/process/command_arguments.hpp"
#include "simulate/process/command_run.hpp"
#include "simulate/process/program.hpp"
#include "simulate/process/scratch.hpp"
#include "simulate/process/statistics_text.hpp"

namespace epsfree {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::size_t kShownCommand = 400;

struct Outcome {
  SimStatus status = SimStatus::ok;
  std::string message = {};
  FaultKind kind = FaultKind::any;
};

std::string scratch_base(const CommandOptions& options) {
  // Beside what is kept, so that keeping is renaming.
  if (!options.keep_failed.empty()) {
    return absolute_path(options.keep_failed, options.process.directory);
  }
  if (!options.scratch_directory.empty()) {
    return absolute_path(options.scratch_directory, options.process.directory);
  }
  return std::filesystem::temp_directory_path().string();
}

void write_text(const std::string& path, const std::string& text) {
  std::ofstream file(path, std::ios::binary);
  file << text;
  file.close();
  if (!file) throw Error(ErrorKind::io, "cannot write '" + path + "'");
}

class CommandSimulator final : public Simulator {
 public:
  explicit CommandSimulator(const CommandOptions& options)
      : options_(options),
        arguments_(options, "simulator."),
        program_(find_program(options.process)),
        nursery_(Nursery::shared()),
        scratch_(scratch_base(options), nursery_),
        limit_(options.process),
        // Four times what numbers need, and room for a few words.
        max_output_(65536 + 128 * static_cast<std::size_t>(options.process.num_statistics)) {}

  Index num_parameters() const override { return options_.process.num_parameters; }
  Index num_statistics() const override { return options_.process.num_statistics; }
  bool faults_may_pass() const override { return true; }
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
      Outcome outcome{SimStatus::lost, "stopped before it began"};
      if (!context.stop.stop_requested()) {
        outcome = run(thetas.col(i), streams[column].bits64(), statistics.col(i), context.stop);
      }
      statuses[column] = outcome.status;
      if (!context.kinds.empty()) context.kinds[column] = outcome.kind;
      if (!context.messages.empty()) context.messages[column] = std::move(outcome.message);
    }
  }

 private:
  Outcome run(const Eigen::Ref<const Eigen::VectorXd>& theta, std::uint64_t seed,
              Eigen::Ref<Eigen::VectorXd> x, const std::stop_token& stop) const {
    const std::string directory = scratch_.make();
    try {
      const Outcome outcome = run_in(directory, theta, seed, x, stop);
      if (options_.input == CommandInput::file) {
        ::unlink((directory + "/" + arguments_.input_name()).c_str());
      }
      scratch_.remove(directory, outcome.status == SimStatus::ok);
      return outcome;
    } catch (...) {
      scratch_.remove(directory);
      throw;
    }
  }

  Outcome run_in(const std::string& directory, const Eigen::Ref<const Eigen::VectorXd>& theta,
                 std::uint64_t seed, Eigen::Ref<Eigen::VectorXd> x,
                 const std::stop_token& stop) const {
    SpawnRequest request{.program = program_,
                         .argv = arguments_.fill(theta, seed, directory),
                         .environment = options_.process.environment,
                         .directory = directory,
                         .with_input = options_.input == CommandInput::standard_input,
                         .grace_seconds = options_.process.grace_seconds,
                         .memory_limit = options_.process.memory_limit};
    std::string input;
    if (options_.input != CommandInput::arguments) input = arguments_.input(theta, seed);
    if (options_.input == CommandInput::file) {
      write_text(directory + "/" + arguments_.input_name(), input);
    }
    const bool from_file = options_.output == CommandOutput::file;
    const double seconds = limit_.limit();
    const auto start = Clock::now();
    CommandRun run =
        run_command(*Nursery::shared(), request, input,
                    {.seconds = seconds, .output_size = from_file ? 0 : max_output_}, stop);
    Outcome outcome = judge(run, seconds, stop);
    if (outcome.status == SimStatus::ok) {
      outcome = from_file ? read_file(directory + "/" + arguments_.output_name(), x)
                          : read_text(run.output, x);
    }
    if (outcome.status == SimStatus::ok) {
      limit_.add(std::chrono::duration<double>(Clock::now() - start).count());
      return outcome;
    }
    if (run.end == RunEnd::stopped || run.child->lost()) return outcome;
    const std::string said = run.child->tail.text();
    std::string shown = shell_text(request.argv);
    if (shown.size() > kShownCommand) shown = shown.substr(0, kShownCommand) + "...";
    outcome.message = "`" + shown + "` " + outcome.message + quoted_error(said);
    if (outcome.status == SimStatus::failed || outcome.status == SimStatus::timeout) {
      keep(directory, seed, request, run, input, outcome);
    }
    return outcome;
  }

  Outcome judge(const CommandRun& run, double seconds, const std::stop_token& stop) const {
    switch (run.end) {
      case RunEnd::timeout:
        return {SimStatus::timeout, "took longer than " + duration_text(seconds)};
      case RunEnd::stopped:
        return {SimStatus::lost, "stopped on request"};
      case RunEnd::too_much:
        return {SimStatus::failed,
                "wrote more than " + std::to_string(max_output_) + " bytes on standard output"};
      case RunEnd::by_itself:
        break;
    }
    if (run.child->lost())
      return {SimStatus::lost, "the process that starts simulators was killed"};
    if (run.child->succeeded()) return {};
    // Schedulers signal everything at once; that is not the simulator's fault.
    if (stop.stop_requested()) return {SimStatus::lost, "stopped on request"};
    if (run.child->ended_by_others()) return {SimStatus::lost, run.child->ending()};
    return {SimStatus::failed, run.child->ending() + memory_note(options_.process.memory_limit,
                                                                 run.child->tail.text())};
  }

  static Outcome read_text(const std::string& text, Eigen::Ref<Eigen::VectorXd> x) {
    StatisticsText read = read_statistics(text, x);
    return {read.status, std::move(read.message), read.kind};
  }

  Outcome read_file(const std::string& path, Eigen::Ref<Eigen::VectorXd> x) const {
    std::error_code error;
    const auto size = std::filesystem::file_size(path, error);
    const std::string& name = arguments_.output_name();
    if (error) return {SimStatus::failed, "exited with code 0, but wrote no file '" + name + "'"};
    if (size > max_output_) {
      return {SimStatus::failed, "wrote " + std::to_string(size) + " bytes to '" + name +
                                     "', expected at most " + std::to_string(max_output_)};
    }
    std::ifstream file(path, std::ios::binary);
    std::ostringstream text;
    text << file.rdbuf();
    if (!file) return {SimStatus::failed, "wrote a file '" + name + "' that cannot be read"};
    return read_text(text.str(), x);
  }

  static std::string duration_text(double seconds) {
    std::ostringstream text;
    text.precision(3);
    text << seconds << " s";
    return text.str();
  }

  /// What cannot be kept is no reason to fail.
  void keep(const std::string& directory, std::uint64_t seed, const SpawnRequest& request,
            const CommandRun& run, const std::string& input, const Outcome& outcome) const {
    if (options_.keep_failed.empty()) return;
    const std::string target = scratch_base(options_) + "/seed-" + std::to_string(seed);
    std::error_code error;
    const bool again = std::filesystem::exists(target, error);
    if (!again && num_kept_.fetch_add(1) >= options_.max_kept) return;
    if (again) std::filesystem::remove_all(target, error);
    try {
      write_text(directory + "/epsfree-command.txt", shell_text(request.argv) + "\n");
      write_text(directory + "/epsfree-message.txt", outcome.message + "\n");
      if (request.with_input) write_text(directory + "/epsfree-stdin.txt", input);
      write_text(directory + "/epsfree-stdout.txt", run.output);
    } catch (const Error&) {
    }
    std::filesystem::rename(directory, target, error);
  }

  CommandOptions options_;
  CommandArguments arguments_;
  std::string program_;
  std::shared_ptr<Nursery> nursery_;
  mutable Scratch scratch_;
  mutable TimeLimit limit_;
  std::size_t max_output_;
  mutable std::atomic<int> num_kept_{0};
};

}  // namespace

SimulatorPtr command_simulator(const CommandOptions& options) {
  options.validate();
  return std::make_shared<CommandSimulator>(options);
}

}  // namespace epsfree
