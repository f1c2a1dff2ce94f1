// The subcommands: each adds itself to the program and says what to do when it is chosen.
#pragma once

#include <CLI/CLI.hpp>
#include <functional>
#include <limits>

namespace epsfree::cli {

/// An integer in a range, without CLI11's long description of it in the help text.
inline CLI::Validator between(long low, long high) {
  CLI::Validator validator = CLI::Range(low, high);
  return validator.description("");
}
inline constexpr long kLargestSeed = std::numeric_limits<long>::max();

/// Set by the subcommand that was chosen.
using Chosen = std::function<void()>;

void add_init(CLI::App& app, Chosen& chosen);
void add_models(CLI::App& app, Chosen& chosen);
void add_run(CLI::App& app, Chosen& chosen);
void add_sample(CLI::App& app, Chosen& chosen);
void add_logprob(CLI::App& app, Chosen& chosen);
void add_show(CLI::App& app, Chosen& chosen);
void add_combine(CLI::App& app, Chosen& chosen);

/// All of them.
void add_commands(CLI::App& app, Chosen& chosen);

}  // namespace epsfree::cli
