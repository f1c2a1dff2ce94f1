// `epsfree simulate` and `epsfree check-simulator`: a simulator by itself.
#include <charconv>
#include <limits>
#include <memory>
#include <random>
#include <string>

#include "base/file.hpp"
#include "base/words.hpp"
#include "cli/commands.hpp"
#include "cli/exit_code.hpp"
#include "cli/interrupt.hpp"
#include "cli/output.hpp"
#include "cli/progress.hpp"
#include "cli/tables.hpp"
#include "cli/terminal.hpp"
#include "epsfree/error.hpp"
#include "io/csv.hpp"
#include "io/number_text.hpp"
#include "problem/simulator_check.hpp"
#include "problem/single_simulation.hpp"

namespace epsfree::cli {
namespace {

struct SimulateArguments {
  std::string problem;
  std::string theta;
  std::string seed;
  ProblemOverrides overrides{.needs_observed = false};
};

std::uint64_t parse_seed(const std::string& text) {
  // All 64 bits, as messages of a run name them.
  std::uint64_t value = 0;
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  if (error != std::errc() || stop != end) {
    throw Error(ErrorKind::usage, "--seed: expected a whole number from 0 to " +
                                      std::to_string(std::numeric_limits<std::uint64_t>::max()) +
                                      ", got '" + text + "'");
  }
  return value;
}

void simulate(const SimulateArguments& arguments) {
  const ProblemSpec spec = load_problem(arguments.problem, arguments.overrides);
  // A seed that nobody gave is made up, and said.
  std::random_device device;
  const std::uint64_t seed = arguments.seed.empty() ? (std::uint64_t{device()} << 32) | device()
                                                    : parse_seed(arguments.seed);
  Stream stream(seed, {.purpose = Purpose::simulator_check});
  const Eigen::VectorXd theta = arguments.theta.empty()
                                    ? Eigen::VectorXd(spec.problem.prior->sample(stream))
                                    : parse_theta(arguments.theta, spec.problem);
  catch_interrupts();
  const SingleSimulation one = simulate_once(
      spec.problem, theta, seed, [] { return interrupted() ? Action::stop : Action::proceed; });
  if (interrupted()) throw Error(ErrorKind::interrupted, "interrupted while simulating");
  Listing values;
  for (Index d = 0; d < theta.size(); ++d) {
    values.add(spec.problem.names[static_cast<std::size_t>(d)] + " = " + number_text(theta[d]));
  }
  std::string text = "simulator   " + spec.model + "\ntheta       " + values.text();
  text += "\nseed        " + std::to_string(seed) + "\noutcome     " + to_string(one.status) +
          "\ntime        " + duration_text(one.seconds) + "\n";
  if (!one.message.empty()) text += "it says     " + one.message + "\n";
  if (arguments.theta.empty() || arguments.seed.empty()) {
    text += "again with  " +
            simulate_command(arguments.problem, arguments.overrides.assignments, theta, seed) +
            "\n";
  }
  write_err(text);
  if (one.status == SimStatus::invalid) throw Exit{kCheckWarning};
  if (one.status != SimStatus::ok) throw Exit{kCheckFailure};
  write_out(csv_header(spec.statistic_names) + csv_lines(one.statistics));
}

struct SimulatorCheckArguments {
  std::string problem;
  std::string json;
  SimulatorCheckOptions options;
  ProblemOverrides overrides{.needs_observed = false};
};

// Advice below what it is about; each of its lines below the other.
std::string indented(const std::string& text, std::size_t width) {
  std::string result;
  for (const char c : text) {
    result += c;
    if (c == '\n') result += std::string(width, ' ');
  }
  return result;
}

std::string check_text(const SimulatorCheck& check) {
  std::size_t width = 0;
  for (const Finding& finding : check.findings) width = std::max(width, finding.name.size());
  const std::size_t margin = 9 + width + 2;
  std::string text = check.simulator + ": " + std::to_string(check.num_parameters) +
                     (check.num_parameters == 1 ? " parameter, " : " parameters, ") +
                     std::to_string(check.num_statistics) +
                     (check.num_statistics == 1 ? " statistic\n" : " statistics\n");
  for (const Finding& finding : check.findings) {
    text += padded(to_string(finding.verdict), 9) + padded(finding.name, width) + "  " +
            indented(finding.text, margin) + "\n";
    if (!finding.advice.empty()) {
      text += std::string(margin, ' ') + "-> " + indented(finding.advice, margin + 3) + "\n";
    }
  }
  return text;
}

void check_simulator(SimulatorCheckArguments arguments) {
  check_output_file(arguments.json);
  const ProblemSpec spec = load_problem(arguments.problem, arguments.overrides);
  arguments.options.assignments = arguments.overrides.assignments;
  catch_interrupts();
  SimulatorCheck result;
  {
    Progress progress(stderr_is_terminal() ? ProgressStyle::bar : ProgressStyle::none);
    result = check_simulator(spec, arguments.options, &progress);
  }
  if (!arguments.json.empty()) write_file_atomically(arguments.json, check_json(result));
  write_out(check_text(result));
  flush_out();
  if (result.verdict() == SimulatorVerdict::warning) throw Exit{kCheckWarning};
  if (result.verdict() == SimulatorVerdict::failure) throw Exit{kCheckFailure};
}

template <class Arguments>
void add_common(CLI::App* command, Arguments& arguments) {
  command->add_option("PROBLEM", arguments.problem, "a problem file; it needs no observation")
      ->required()
      ->type_name("FILE");
  command
      ->add_option("--set", arguments.overrides.assignments,
                   "change a key of the problem file; may be given several times")
      ->type_name("KEY=VALUE")
      ->expected(1)
      ->take_all();
}

}  // namespace

void add_simulate(CLI::App& app, Chosen& chosen) {
  auto arguments = std::make_shared<SimulateArguments>();
  CLI::App* command = app.add_subcommand("simulate", "run one simulation and show how it ended");
  add_common(command, *arguments);
  command
      ->add_option("--theta", arguments->theta,
                   "the parameters; without them they are drawn from the prior")
      ->type_name("A,B,...");
  command
      ->add_option("--seed", arguments->seed,
                   "of the simulation, 64 bits, as messages of a run name it; by default a new one")
      ->type_name("N");
  command->footer(R"(Examples:
  epsfree simulate sir.toml                               with parameters from the prior
  epsfree simulate sir.toml --theta=0.5,0.1 --seed=7
  epsfree simulate sir.toml --theta=0.5,0.1 > data.csv    an observation to try a run on

Its statistics go to standard output as CSV, everything else to standard error. Exit codes: 0 ok, 3 invalid,
4 failed, timeout or lost.)");
  command->callback([arguments, &chosen] { chosen = [arguments] { simulate(*arguments); }; });
}

void add_check_simulator(CLI::App& app, Chosen& chosen) {
  auto arguments = std::make_shared<SimulatorCheckArguments>();
  CLI::App* command = app.add_subcommand(
      "check-simulator", "run a simulator a few times and say whether it can be relied on");
  add_common(command, *arguments);
  add_whole(command, "-n", arguments->options.num_simulations, 1, 100000,
            "simulations with parameters from the prior, and some more for each check [20]");
  add_whole(command, "--threads", arguments->options.num_threads, 0, 4096,
            "that the run will have; 0: what the problem file says");
  add_whole(command, "--seed", arguments->options.seed, 0, kLargestSeed,
            "of the parameters and simulations [1]");
  command->add_option("--json", arguments->json, "write the findings to a file")->type_name("FILE");
  command->footer(R"(Example:
  epsfree check-simulator sir.toml

Looks whether the same seed repeats, other seeds differ, failures are seen as such, statistics vary, several
can run side by side, and how long a call and the whole budget take. Simulations from the prior end after a
minute. Exit codes: 0 all is well, 3 a warning, 4 a failure.)");
  command->callback(
      [arguments, &chosen] { chosen = [arguments] { check_simulator(*arguments); }; });
}

}  // namespace epsfree::cli
