#include "problem/starter_files.hpp"

#include <algorithm>
#include <utility>

#include "base/nearest.hpp"
#include "base/words.hpp"
#include "epsfree/error.hpp"
#include "problem/starter_texts.hpp"

namespace epsfree {
namespace {

struct Starter {
  const char* kind;
  const char* name;    // of the example
  const char* suffix;  // of its simulator
  const char* problem;
  const char* simulator;
  const char* header_name;  // that the simulator includes, or null
  const char* header;
};

constexpr Starter kStarters[] = {
    {"python", "sir", ".py", kSirToml, kSirPy, nullptr, nullptr},
    {"command", "ricker", ".sh", kRickerToml, kRickerSh, nullptr, nullptr},
    {"worker", "drift", ".c", kDriftToml, kDriftC, "epsfree_worker.h", kWorkerHeader},
    {"plugin", "birth_death", ".c", kBirthDeathToml, kBirthDeathC, "epsfree_plugin.h",
     kPluginHeader},
    {"fortran", "ar1", ".f90", kAr1Toml, kAr1F90, nullptr, nullptr},
};

bool is_word(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

// Whole words only, so that "sir" leaves "desire" alone.
std::string with_word(const std::string& text, const std::string& from, const std::string& to) {
  std::string result;
  for (std::size_t at = 0; at < text.size();) {
    const bool here = text.compare(at, from.size(), from) == 0 &&
                      (at == 0 || !is_word(text[at - 1])) &&
                      (at + from.size() == text.size() || !is_word(text[at + from.size()]));
    if (here) {
      result += to;
      at += from.size();
    } else {
      result += text[at++];
    }
  }
  return result;
}

void check_name(const std::string& name) {
  const bool is_letter = !name.empty() && is_word(name[0]) && !(name[0] >= '0' && name[0] <= '9');
  if (is_letter && std::all_of(name.begin(), name.end(), is_word)) return;
  throw Error(ErrorKind::usage,
              "'" + name +
                  "' cannot name a simulator: expected letters, digits and underscores, a letter "
                  "first, since it names a module or a program as well");
}

}  // namespace

const std::vector<std::string>& starter_kinds() {
  static const std::vector<std::string> kinds = [] {
    std::vector<std::string> names;
    for (const Starter& starter : kStarters) names.emplace_back(starter.kind);
    return names;
  }();
  return kinds;
}

std::vector<StarterFile> starter_files(const std::string& kind, const std::string& name) {
  const auto* const starter = std::find_if(std::begin(kStarters), std::end(kStarters),
                                           [&](const Starter& each) { return each.kind == kind; });
  if (starter == std::end(kStarters)) {
    const std::string near = nearest(kind, starter_kinds());
    throw Error(ErrorKind::usage, "--kind: expected one of " + joined(starter_kinds()) + ", got '" +
                                      kind + "'" +
                                      (near.empty() ? "" : ", did you mean '" + near + "'?"));
  }
  check_name(name);
  std::string problem = with_word(starter->problem, starter->name, name);
  std::vector<StarterFile> files;
  if (starter->header != nullptr) {
    // The header comes along, so that it is found wherever epsfree is installed.
    problem = with_word(problem, "-I../../include", "-I.");
  }
  const bool is_script = std::string(starter->suffix) == ".sh";
  files.push_back({name + ".toml", problem});
  files.push_back(
      {name + starter->suffix, with_word(starter->simulator, starter->name, name), is_script});
  if (starter->header != nullptr) files.push_back({starter->header_name, starter->header});
  return files;
}

}  // namespace epsfree
