// `epsfree init` and `epsfree models`: where a newcomer begins.
#include <filesystem>
#include <memory>
#include <string>

#include "app/method_file.hpp"
#include "app/problem_file.hpp"
#include "base/file.hpp"
#include "cli/commands.hpp"
#include "cli/output.hpp"
#include "cli/tables.hpp"
#include "cli/terminal.hpp"
#include "epsfree/error.hpp"
#include "epsfree/models.hpp"

namespace epsfree::cli {
namespace {

struct InitArguments {
  std::string model = "lotka-volterra";
  std::string out;
  std::string method = "auto";
};

void init(const InitArguments& arguments) {
  const std::string text = starter_toml(arguments.model, method_from_name(arguments.method));
  const std::string path = arguments.out.empty() ? arguments.model + ".toml" : arguments.out;
  std::error_code ignored;
  if (std::filesystem::exists(std::filesystem::symlink_status(path, ignored))) {
    throw Error(ErrorKind::usage,
                "'" + path + "' exists already and is not overwritten; give another with --out");
  }
  write_file_atomically(path, text);
  write_out(path + "\n");
  write_err("Wrote a problem file to start from. Next:\n  epsfree run " + path + "\n");
}

}  // namespace

void add_init(CLI::App& app, Chosen& chosen) {
  auto arguments = std::make_shared<InitArguments>();
  CLI::App* command = app.add_subcommand("init", "write a commented problem file to start from");
  command->add_option("MODEL", arguments->model, "a built-in model; `epsfree models` lists them")
      ->type_name("")
      ->capture_default_str();
  command->add_option("--out", arguments->out, "the file to write [MODEL.toml]")->type_name("FILE");
  command
      ->add_option("--method", arguments->method,
                   "auto, mdn-with-prior, proposal-prior or mdn-with-proposal")
      ->type_name("NAME")
      ->capture_default_str();
  command->footer(R"(Examples:
  epsfree init                          lotka-volterra.toml
  epsfree init mg1-queue --out my.toml  another model, another name)");
  command->callback([arguments, &chosen] { chosen = [arguments] { init(*arguments); }; });
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
