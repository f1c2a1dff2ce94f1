// The epsfree program: a thin client of src/run. Results go to standard output, messages to
// standard error.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <csignal>
#include <exception>
#include <new>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

#include "base/nearest.hpp"
#include "cli/commands.hpp"
#include "cli/exit_code.hpp"
#include "cli/interrupt.hpp"
#include "cli/output.hpp"
#include "cli/terminal.hpp"
#include "epsfree/error.hpp"
#include "epsfree/mpi.hpp"
#include "epsfree/version.hpp"

namespace epsfree::cli {
namespace {

constexpr const char* kFooter = R"(First steps:
  epsfree init lotka-volterra         write lotka-volterra.toml, a problem file to start from
  epsfree run lotka-volterra.toml     infer the posterior; results go to runs/lotka-volterra
  epsfree show runs/lotka-volterra    what was found, and what it cost
  epsfree check runs/lotka-volterra   whether it can be trusted; report.html has the figures
  epsfree sample runs/lotka-volterra -n 1000 > samples.csv

With a simulator of your own:
  epsfree init sir --kind python      write sir.toml and sir.py to start from
  epsfree check-simulator sir.toml    see whether it can be relied on, and how long a run will take

`epsfree COMMAND --help` says more about a command.
Exit codes: 0 done, 3 and 4 a check's warning and failure, 64 wrong usage, 65 bad problem file or
data, 70 out of memory or a defect of epsfree, 74 a file could not be read or written, 75 the run
stopped (too many failures, a time limit, SIGTERM), 130 interrupted; after these two the same
command goes on.)";

int fail(ErrorKind kind, const std::string& message) {
  print_error(message);
  return exit_code(kind);
}

// A message about the first option that the command does not know, with a suggestion. Empty if the
// command knows all options. CLI11 may report another error first, for example about the argument
// that it took for the value of the wrong option.
std::string unknown_option(const CLI::App& command) {
  for (const std::string& word : command.remaining()) {
    if (word.size() < 2 || word.front() != '-') continue;
    std::vector<std::string> names;
    for (const CLI::Option* option : command.get_options()) {
      for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
      for (const std::string& name : option->get_snames()) names.push_back("-" + name);
    }
    const std::string given = word.substr(0, word.find('='));
    const std::string near = nearest(given, names);
    return "unknown option '" + given + "'" +
           (near.empty() ? std::string() : ", did you mean '" + near + "'?");
  }
  return "";
}

// Help and version are results; everything else that CLI11 throws is a fault of usage.
int finish_parse(const CLI::App& app, const CLI::ParseError& error) {
  if (error.get_exit_code() == 0) {
    std::ostringstream out, err;
    app.exit(error, out, err);
    write_out(out.str());
    flush_out();
    return kSuccess;
  }
  std::string command;
  const CLI::App* at = &app;
  while (!at->get_subcommands().empty()) {
    at = at->get_subcommands().front();
    command += " " + at->get_name();
  }
  const std::string unknown = unknown_option(*at);
  return fail(ErrorKind::usage, (unknown.empty() ? std::string(error.what()) : unknown) +
                                    " (see `epsfree" + command + " --help`)");
}

// CLI11 only says that a subcommand is required. `path` is what led to `app`: "" or "bench ".
void check_command(const CLI::App& app, const std::string& path, int argc, char** argv) {
  if (argc < 2) return;
  const std::string word = argv[1];
  const bool is_option = word.rfind('-', 0) == 0;
  std::vector<std::string> names = {"--help", "-h"};
  if (path.empty()) names.emplace_back("--version");
  if (!is_option) {
    names.clear();
    for (const CLI::App* command : app.get_subcommands(nullptr)) {
      names.push_back(command->get_name());
    }
  }
  if (std::find(names.begin(), names.end(), word) != names.end()) {
    if (is_option) return;
    const CLI::App* command = app.get_subcommand(word);
    if (command->get_require_subcommand_min() == 0) return;
    check_command(*command, path + word + " ", argc - 1, argv + 1);
    return;
  }
  const std::string near = nearest(word, names);
  std::string hint = ", did you mean '" + near + "'?";
  if (near.empty()) {
    hint = is_option ? ": the options of a command come after it" : "";
  }
  throw Error(ErrorKind::usage, (is_option ? "unknown option '" : "unknown command '") + path +
                                    word + "'" + hint + " (see `epsfree " + path + "--help`)");
}

int run(int argc, char** argv) {
  CLI::App app("Finds the parameters of a simulator from data, by learning the posterior itself.",
               "epsfree");
  app.footer(kFooter);
  app.set_version_flag(
      "--version",
      std::string("epsfree ") + version() + (mpi_is_built_in() ? " with MPI" : " without MPI"),
      "print the version");
  app.set_help_flag("-h,--help", "print this help");
  app.require_subcommand(1);
  app.get_formatter()->column_width(28);
  Chosen chosen;
  add_commands(app, chosen);
  check_command(app, "", argc, argv);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return finish_parse(app, error);
  }
  chosen();
  flush_out();
  return kSuccess;
}

}  // namespace
}  // namespace epsfree::cli

int main(int argc, char** argv) {
  using namespace epsfree;
  // `epsfree sample ... | head` ends quietly, whatever the parent process ignores.
  std::signal(SIGPIPE, SIG_DFL);
  // A limit on the size of files is a write that fails, after which there is something to clean up.
  std::signal(SIGXFSZ, SIG_IGN);
  try {
    return cli::run(argc, argv);
  } catch (const cli::Exit& exit) {
    return exit.code;
  } catch (const Error& error) {
    const bool terminated = error.kind() == ErrorKind::interrupted && cli::terminated();
    return cli::fail(terminated ? ErrorKind::stopped : error.kind(), error.what());
  } catch (const std::bad_alloc&) {
    return cli::fail(ErrorKind::internal, "out of memory");
  } catch (const std::length_error&) {  // a container of more than there can be
    return cli::fail(ErrorKind::internal, "out of memory");
  } catch (const std::exception& error) {
    return cli::fail(ErrorKind::internal,
                     std::string("this is a defect of epsfree, please report it: ") + error.what());
  }
}
