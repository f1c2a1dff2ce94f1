#include "run/open_run.hpp"

#include <filesystem>

#include "base/file.hpp"
#include "epsfree/error.hpp"
#include "io/sha256.hpp"
#include "run/run_directory.hpp"

namespace epsfree {
namespace {

RunSummary read_summary(const std::string& run_directory) {
  const std::string path = run_file(run_directory, kSummaryFile);
  return parse_summary(read_file(path), path);
}

/// The text of posterior.json, which the summary knows by its digest.
std::string posterior_of(const std::string& run_directory, const RunSummary& summary) {
  const std::string path = run_file(run_directory, kPosteriorFile);
  std::string text = read_file(path);
  const std::string digest = sha256(text);
  if (digest != summary.digest) {
    throw Error(ErrorKind::input,
                path + ": its digest is " + digest + ", expected " + summary.digest + " as in " +
                    run_file(run_directory, kSummaryFile) + ": it was changed after the run");
  }
  return text;
}

}  // namespace

RunAnswer open_answer(const std::string& run_directory) {
  RunAnswer answer{read_summary(run_directory), nullptr};
  answer.posterior = open_posterior(run_directory, answer.summary);
  return answer;
}

PosteriorPtr open_posterior(const std::string& path) {
  const std::string file = run_file(path, kPosteriorFile);
  return is_directory(path) ? open_posterior(path, read_summary(path)) : load_posterior(file);
}

PosteriorPtr open_posterior(const std::string& run_directory, const RunSummary& summary) {
  return parse_posterior(posterior_of(run_directory, summary),
                         run_file(run_directory, kPosteriorFile));
}

RunSummary open_summary(const std::string& run_directory) {
  RunSummary summary = read_summary(run_directory);
  if (is_directory(run_directory)) posterior_of(run_directory, summary);
  return summary;
}

std::optional<CheckRecord> open_check(const std::string& run_directory, const std::string& digest) {
  const std::string path = in_directory(run_directory, kCheckFile);
  std::error_code ignored;
  if (!std::filesystem::is_regular_file(path, ignored)) return std::nullopt;
  CheckRecord check = parse_check(read_file(path), path);
  if (check.digest != digest) return std::nullopt;
  return check;
}

ProblemSpec parse_run_problem(const std::string& run_toml, const std::string& source) {
  ProblemOverrides overrides;
  overrides.may_name_observed_file = false;
  return parse_problem(run_toml, source, overrides);
}

}  // namespace epsfree
