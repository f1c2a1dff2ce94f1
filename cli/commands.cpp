#include "cli/commands.hpp"

#include <charconv>

#include "epsfree/error.hpp"

namespace epsfree::cli {

std::int64_t parse_whole(const std::string& option, const std::string& text, std::int64_t low,
                         std::int64_t high) {
  std::int64_t value = 0;
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  if (error != std::errc() || stop != end || value < low || value > high) {
    throw Error(ErrorKind::usage, option + ": expected a whole number from " + std::to_string(low) +
                                      " to " + std::to_string(high) + ", got '" + text + "'");
  }
  return value;
}

void add_commands(CLI::App& app, Chosen& chosen) {
  add_init(app, chosen);
  add_run(app, chosen);
  add_show(app, chosen);
  add_sample(app, chosen);
  add_logprob(app, chosen);
  add_combine(app, chosen);
  add_models(app, chosen);
  add_bench(app, chosen);
}

}  // namespace epsfree::cli
