#include "cli/commands.hpp"

#include <algorithm>
#include <charconv>
#include <filesystem>

#include "base/words.hpp"
#include "cli/exit_code.hpp"
#include "epsfree/error.hpp"
#include "epsfree/method.hpp"

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

std::string parse_method(const std::string& text) {
  const std::vector<std::string> names = method_names();
  if (std::find(names.begin(), names.end(), text) != names.end()) return text;
  throw Error(ErrorKind::usage,
              "--method: expected one of " + joined(names) + ", got '" + text + "'");
}

void check_output_file(const std::string& path) {
  if (path.empty()) return;
  const std::filesystem::path folder = std::filesystem::path(path).parent_path();
  std::error_code ignored;
  if (!folder.empty() && !std::filesystem::is_directory(folder, ignored)) {
    throw Error(ErrorKind::io,
                "cannot write '" + path + "': '" + folder.string() + "' is not a directory");
  }
  if (std::filesystem::is_directory(path, ignored)) {
    throw Error(ErrorKind::io, "cannot write '" + path + "': it is a directory");
  }
}

void end_as(Verdict verdict) {
  if (verdict == Verdict::warn) throw Exit{kCheckWarning};
  if (verdict == Verdict::fail) throw Exit{kCheckFailure};
}

void add_commands(CLI::App& app, Chosen& chosen) {
  add_init(app, chosen);
  add_check_simulator(app, chosen);
  add_simulate(app, chosen);
  add_run(app, chosen);
  add_watch(app, chosen);
  add_show(app, chosen);
  add_check(app, chosen);
  add_report(app, chosen);
  add_sample(app, chosen);
  add_logprob(app, chosen);
  add_combine(app, chosen);
  add_ledger(app, chosen);
  add_export(app, chosen);
  add_import(app, chosen);
  add_models(app, chosen);
  add_methods(app, chosen);
  add_paper(app, chosen);
  add_bench(app, chosen);
}

}  // namespace epsfree::cli
