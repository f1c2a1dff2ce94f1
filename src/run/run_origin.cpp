#include "run/run_origin.hpp"

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>

#include "base/file.hpp"
#include "epsfree/error.hpp"
#include "io/document.hpp"
#include "io/sha256.hpp"
#include "run/run_directory.hpp"
#include "run/user_key.hpp"

namespace epsfree {
namespace {

constexpr const char* kFormat = "epsfree-origin";
constexpr int kVersion = 1;

/// What is run, and with what: the table [simulator], in one way of writing. Nothing where that
/// runs no code of others.
std::optional<std::string> code_of(const std::string& run_toml, const std::string& source) {
  const Node root = parse_toml(run_toml, source);
  const Node* const simulator = root.find("simulator");
  if (simulator == nullptr || !simulator->is_table()) return std::nullopt;
  const bool runs_code = std::any_of(simulator->entries().begin(), simulator->entries().end(),
                                     [](const NodeEntry& entry) {
                                       return entry.key == "plugin" || entry.key == "command" ||
                                              entry.key == "worker" || entry.key == "python";
                                     });
  if (!runs_code) return std::nullopt;
  return table_toml(*simulator, "simulator");
}

std::string code_hash(const std::string& key, const std::string& code) {
  return hmac_sha256(key, "epsfree run directory, simulator\n" + code);
}

/// Whichever digits differ, it takes the same time.
bool same(const std::string& a, const std::string& b) {
  if (a.size() != b.size()) return false;
  unsigned difference = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    difference |= static_cast<unsigned char>(a[i]) ^ static_cast<unsigned char>(b[i]);
  }
  return difference == 0;
}

std::optional<std::string> recorded_hash(const std::string& directory) {
  try {
    const auto json = nlohmann::json::parse(read_file(in_directory(directory, kOriginFile)));
    if (json.at("format") != kFormat) return std::nullopt;
    return json.at("hmac_sha256").get<std::string>();
  } catch (const nlohmann::json::exception&) {
    return std::nullopt;
  } catch (const Error&) {
    return std::nullopt;
  }
}

}  // namespace

void sign_run(const std::string& directory, const ProblemSpec& spec) {
  const std::string path = in_directory(directory, kRunFile);
  std::optional<std::string> code;
  try {
    code = code_of(read_file(path), path);
    if (!code || code != code_of(resolved_toml(spec), path)) return;
  } catch (const Error&) {
    return;
  }
  const UserKey key = user_key(true);
  if (!key.bytes) return;
  const std::string hash = code_hash(*key.bytes, *code);
  if (recorded_hash(directory) == hash) return;
  const nlohmann::ordered_json json = {
      {"format", kFormat}, {"version", kVersion}, {"hmac_sha256", hash}};
  try {
    write_file_atomically(in_directory(directory, kOriginFile), json.dump(2) + "\n");
  } catch (const Error&) {
    // A directory that cannot be written to stays unsigned: its checks will ask for --trust.
  }
}

std::string why_foreign(const std::string& directory, const std::string& run_toml) {
  const auto code = code_of(run_toml, in_directory(directory, kRunFile));
  if (!code) return "";
  const auto hash = recorded_hash(directory);
  if (!hash) return "it has no origin.json, which would show who made it";
  const UserKey key = user_key(false);
  if (!key.bytes) return "epsfree has no key to find out who made it: " + key.why_not;
  if (same(*hash, code_hash(*key.bytes, *code))) return "";
  return "someone else made it, or its run.toml was changed to name another simulator";
}

void require_own(const std::string& directory, const std::string& run_toml, bool trust) {
  if (trust) return;
  const std::string why = why_foreign(directory, run_toml);
  if (why.empty()) return;
  throw Error(
      ErrorKind::usage,
      "the simulator of '" + directory +
          "' was not run, because it is a program and the directory may come from someone else: " +
          why +
          ". Read [simulator] in its run.toml; if you trust it, add --trust. To make the directory "
          "yours, run its problem file again with --out " +
          directory);
}

}  // namespace epsfree
