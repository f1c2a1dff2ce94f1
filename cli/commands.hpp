// The subcommands: each adds itself to the program and says what to do when it is chosen.
#pragma once

#include <CLI/CLI.hpp>
#include <concepts>
#include <cstdint>
#include <functional>
#include <limits>
#include <string>

#include "epsfree/diagnosis.hpp"

namespace epsfree::cli {

/// The same range as that of a TOML integer, so that a seed can always be written to run.toml.
inline constexpr std::int64_t kLargestSeed = std::numeric_limits<std::int64_t>::max();

/// A decimal whole number in a range. Throws ErrorKind::usage with the option, the range and the
/// text: CLI11's own conversion reads "010" as eight and clamps what is too large.
std::int64_t parse_whole(const std::string& option, const std::string& text, std::int64_t low,
                         std::int64_t high);
/// The name of a method after --method; throws ErrorKind::usage, with all names, for another.
std::string parse_method(const std::string& text);

/// An option that takes one.
template <class Field>
CLI::Option* add_whole(CLI::App* command, const std::string& option, Field& field, std::int64_t low,
                       std::int64_t high, const std::string& help) {
  return command
      ->add_option_function<std::string>(
          option,
          [&field, option, low, high](const std::string& text) {
            const std::int64_t value = parse_whole(option, text, low, high);
            if constexpr (std::integral<Field>) {
              field = static_cast<Field>(value);
            } else {
              field = static_cast<typename Field::value_type>(value);
            }
          },
          help)
      ->type_name("N");
}

/// Throws ErrorKind::io if a file to be written at the end of long work cannot be; an empty path is
/// none.
void check_output_file(const std::string& path);

/// Set by the subcommand that was chosen.
using Chosen = std::function<void()>;

/// Thrown by a command that has said all there is to say and whose verdict is the exit code.
struct Exit {
  int code = 0;
};
/// Ends with the exit code of a verdict; returns where it is a pass.
void end_as(Verdict verdict);

void add_init(CLI::App& app, Chosen& chosen);
void add_models(CLI::App& app, Chosen& chosen);
void add_methods(CLI::App& app, Chosen& chosen);
void add_run(CLI::App& app, Chosen& chosen);
void add_simulate(CLI::App& app, Chosen& chosen);
void add_check_simulator(CLI::App& app, Chosen& chosen);
void add_check(CLI::App& app, Chosen& chosen);
void add_report(CLI::App& app, Chosen& chosen);
void add_watch(CLI::App& app, Chosen& chosen);
void add_sample(CLI::App& app, Chosen& chosen);
void add_logprob(CLI::App& app, Chosen& chosen);
void add_show(CLI::App& app, Chosen& chosen);
void add_combine(CLI::App& app, Chosen& chosen);
void add_ledger(CLI::App& app, Chosen& chosen);
void add_export(CLI::App& app, Chosen& chosen);
void add_import(CLI::App& app, Chosen& chosen);
void add_paper(CLI::App& app, Chosen& chosen);
void add_bench(CLI::App& app, Chosen& chosen);
void add_bench_speed(CLI::App& bench, Chosen& chosen);  ///< within `bench`

/// All of them.
void add_commands(CLI::App& app, Chosen& chosen);

}  // namespace epsfree::cli
