// `epsfree init`, `epsfree models` and `epsfree methods`: where a newcomer begins.
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "base/file.hpp"
#include "base/words.hpp"
#include "cli/commands.hpp"
#include "cli/output.hpp"
#include "cli/tables.hpp"
#include "cli/terminal.hpp"
#include "epsfree/error.hpp"
#include "epsfree/method.hpp"
#include "epsfree/models.hpp"
#include "infer/methods.hpp"
#include "problem/method_file.hpp"
#include "problem/method_reference.hpp"
#include "problem/problem_file.hpp"
#include "problem/starter_files.hpp"

namespace epsfree::cli {
namespace {

struct InitArguments {
  std::string name;
  std::string out;
  std::string method;
  std::string kind;
};

void check_is_new(const std::string& path, const std::string& remedy) {
  std::error_code ignored;
  if (!std::filesystem::exists(std::filesystem::symlink_status(path, ignored))) return;
  throw Error(ErrorKind::usage, "'" + path + "' exists already and is not overwritten; " + remedy);
}

// The lines of a problem file's comments that are commands, to the first that is none.
std::string commands_of(const std::string& problem) {
  std::string commands;
  for (std::size_t at = 0; at < problem.size();) {
    const std::size_t end = problem.find('\n', at);
    const std::string line = problem.substr(at, end - at);
    if (line.rfind("#   ", 0) == 0) commands += "  " + line.substr(4) + "\n";
    if (line.empty() || line[0] != '#') break;
    at = end + 1;
  }
  return commands;
}

void init_own(const InitArguments& arguments) {
  if (!arguments.out.empty() || !arguments.method.empty()) {
    throw Error(ErrorKind::usage, std::string(arguments.out.empty() ? "--method" : "--out") +
                                      " is for built-in models; with --kind files are named after "
                                      "NAME");
  }
  const std::string name = arguments.name.empty() ? "simulator" : arguments.name;
  const std::vector<StarterFile> files = starter_files(arguments.kind, name);
  for (const StarterFile& file : files) {
    if (file.name.ends_with(".h") && std::filesystem::exists(file.name) &&
        read_file(file.name) == file.text) {
      continue;  // of another simulator in this folder
    }
    check_is_new(file.name, "give another name, or work in another folder");
  }
  for (const StarterFile& file : files) {
    write_file_atomically(file.name, file.text);
    if (file.executable) {
      std::filesystem::permissions(file.name,
                                   std::filesystem::perms::owner_exec |
                                       std::filesystem::perms::group_exec |
                                       std::filesystem::perms::others_exec,
                                   std::filesystem::perm_options::add);
    }
    write_out(file.name + "\n");
  }
  write_err("Wrote a problem file and a simulator to start from. Next:\n" +
            commands_of(files.front().text));
}

void init(const InitArguments& arguments) {
  if (!arguments.kind.empty()) return init_own(arguments);
  const std::string name = arguments.name.empty() ? "lotka-volterra" : arguments.name;
  const std::string text =
      starter_toml(name, parse_method(arguments.method.empty() ? "auto" : arguments.method));
  const std::string path = arguments.out.empty() ? name + ".toml" : arguments.out;
  check_is_new(path, "give another with --out");
  write_file_atomically(path, text);
  write_out(path + "\n");
  write_err("Wrote a problem file to start from. Next:\n  epsfree run " + path + "\n");
}

}  // namespace

void add_init(CLI::App& app, Chosen& chosen) {
  auto arguments = std::make_shared<InitArguments>();
  CLI::App* command = app.add_subcommand("init", "write a commented problem file to start from");
  command
      ->add_option("NAME", arguments->name,
                   "a built-in model [lotka-volterra], which `epsfree models` lists; or, with "
                   "--kind, a name for your own simulator")
      ->type_name("");
  command
      ->add_option("--kind", arguments->kind,
                   "start with a simulator of your own: python, command, worker, plugin (C) or "
                   "fortran")
      ->type_name("KIND");
  command->add_option("--out", arguments->out, "the file to write [NAME.toml]")->type_name("FILE");
  command
      ->add_option("--method", arguments->method,
                   joined_before_last(method_names(), ", ", " or ") + " [auto]")
      ->type_name("METHOD");
  command->footer(R"(Examples:
  epsfree init                          lotka-volterra.toml
  epsfree init mg1-queue --out my.toml  another model, another name
  epsfree init sir --kind python        sir.toml and sir.py, which it runs)");
  command->callback([arguments, &chosen] { chosen = [arguments] { init(*arguments); }; });
}

void add_methods(CLI::App& app, Chosen& chosen) {
  CLI::App* command = app.add_subcommand("methods", "list the methods, or the options of one");
  auto name = std::make_shared<std::string>();
  auto markdown = std::make_shared<bool>(false);
  command->add_option("NAME", *name, "a method, whose options are shown")->type_name("");
  command->add_flag("--markdown", *markdown, "the reference of all methods, as documents have it");
  command->footer(R"(Examples:
  epsfree methods
  epsfree methods smc-abc   every option with its default, as a problem file has it)");
  command->callback([&chosen, name, markdown] {
    chosen = [name, markdown] {
      if (*markdown) {
        write_out(methods_markdown() + "\n" + options_markdown());
      } else if (!name->empty()) {
        write_out(method_toml({.method = method_by_name(parse_method(*name))}, true));
      } else {
        std::string text;
        for (const MethodEntry& entry : methods())
          text += entry.name + "\n    " + entry.help + "\n";
        write_out(text);
      }
    };
  });
}

void add_models(CLI::App& app, Chosen& chosen) {
  CLI::App* command = app.add_subcommand("models", "list the built-in models");
  command->footer(R"(Example:
  epsfree models)");
  command->callback([&chosen] {
    chosen = [] {
      std::string text;
      for (const auto& model : models()) {
        text += model->name() + "\n    " + model->description() + "\n    " +
                std::to_string(model->parameter_names().size()) + " parameters, " +
                std::to_string(model->statistic_names().size()) + " statistics\n";
      }
      write_out(text);
    };
  });
}

}  // namespace epsfree::cli
