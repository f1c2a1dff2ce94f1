#include "problem/reuse_file.hpp"

#include <filesystem>

#include "base/words.hpp"

namespace epsfree {

Reuse read_reuse(Section& section, const std::string& folder) {
  section.expect_only({"runs", "digest"});
  const auto runs = section.texts("runs");
  if (!runs || runs->empty()) section.fail_missing("runs", "an array of run directories");
  Reuse reuse;
  reuse.runs_place = section.where("runs");
  const bool from_file = reuse.runs_place.rfind("--", 0) != 0;
  for (const std::string& run : *runs) {
    std::filesystem::path path = run;
    if (path.is_relative() && from_file) path = std::filesystem::path(folder) / path;
    reuse.runs.push_back(std::filesystem::absolute(path).lexically_normal().string());
  }
  if (const auto digest = section.text("digest")) {
    reuse.digest = *digest;
    reuse.digest_place = section.where("digest");
  }
  return reuse;
}

std::string reuse_toml(const Reuse& reuse) {
  if (reuse.runs.empty()) return "";
  return "\n[reuse]\nruns = [" + joined(reuse.runs, ", ", toml_quote) +
         "]\ndigest = " + toml_quote(reuse.digest) + "\n";
}

}  // namespace epsfree
