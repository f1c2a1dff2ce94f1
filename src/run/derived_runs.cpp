#include "run/derived_runs.hpp"

#include <map>

#include "base/file.hpp"
#include "base/stopwatch.hpp"
#include "epsfree/error.hpp"
#include "epsfree/posterior_algebra.hpp"
#include "run/open_run.hpp"
#include "run/report_file.hpp"
#include "run/run_check.hpp"
#include "run/run_directory.hpp"
#include "run/run_origin.hpp"

namespace epsfree {
namespace {

// `--force` replaces an earlier run, but never one that is being read.
void check_not_input(const std::string& out, const std::string& input) {
  if (!same_directory(out, input)) return;
  throw Error(ErrorKind::usage, "--out '" + out + "' is the run '" + input +
                                    "' that is read here; give --out another directory");
}

// The runs whose data a posterior is given, by digest: those of a combination, or the run itself.
std::vector<std::string> data_of(const RunSummary& run) {
  return run.kind == "combination" ? run.sources : std::vector<std::string>{run.digest};
}

}  // namespace

RunReport run_at_observation(const std::string& run_directory, const ProblemOverrides& overrides,
                             const RunSettings& settings) {
  const Stopwatch stopwatch;
  check_not_input(settings.out, run_directory);
  const std::string estimator_path = run_file(run_directory, kEstimatorFile);
  const RunSummary before = open_summary(run_directory);
  const std::shared_ptr<const Estimator> trained = load_estimator(estimator_path);
  if (!trained->amortised()) {
    throw Error(ErrorKind::usage,
                "'" + run_directory + "' was learnt with method \"" + trained->parts().method +
                    "\", which simulates where its own observation points and holds for no other; "
                    "run the problem again with --observed, or learn it once with method "
                    "\"mdn-with-prior\"");
  }
  const std::string run_path = run_file(run_directory, kRunFile);
  const std::string run_toml = read_file(run_path);
  // The simulator is needed to check the answer only.
  const std::string foreign = settings.trust ? "" : why_foreign(run_directory, run_toml);
  const ProblemSpec spec = foreign.empty() ? open_problem(run_toml, run_path, overrides)
                                           : parse_problem(run_toml, run_path, overrides);
  RunDirectory directory(settings.out, settings.force);
  Estimator::Parts parts = trained->parts();
  parts.observed = spec.problem.observed;
  InferResult result;
  result.posterior = trained->posterior(spec.problem.observed);
  result.estimator = std::make_shared<const Estimator>(std::move(parts));
  RunSummary summary;
  summary.kind = "new observation";
  summary.problem = spec.name;
  summary.model = spec.model;
  summary.sources = {before.digest};
  summary.inference.method = before.inference.method;
  summary.inference.seed = before.inference.seed;
  summary.inference.finished = true;
  summary.inference.total_seconds = stopwatch.seconds();
  summary.posterior = tabulate(*result.posterior, spec.problem.truth);
  result.summary = summary.inference;
  const std::string resolved = resolved_toml(spec);
  RunReport report =
      publish(directory, std::move(summary), *result.posterior, result.estimator.get(), resolved);
  if (!foreign.empty()) {
    report.warning = "the answer was not checked: the simulator of '" + run_directory +
                     "' is a program, and the directory may come from someone else (" + foreign +
                     "); if you trust it, add --trust";
    return report;
  }
  sign_run(settings.out, spec);
  if (!spec.run.report) return report;
  // The answer is there already: what goes wrong now does not take it back.
  try {
    ThreadRunner runner(spec.run.runner());
    report.check =
        check_result(spec, result, settings.out, report.summary.digest, {}, runner, nullptr);
    report.files.push_back(in_directory(settings.out, kCheckFile));
    RunContents contents = contents_of(settings.out, report.summary, result, resolved);
    contents.problem = spec;
    contents.check = report.check;
    report.files.push_back(write_report(contents));
  } catch (const Error& error) {
    report.warning = "the answer could not be checked: " + std::string(error.what());
  }
  return report;
}

RunReport combine_runs(const std::vector<std::string>& run_directories,
                       const RunSettings& settings) {
  const Stopwatch stopwatch;
  if (run_directories.size() < 2) {
    throw Error(ErrorKind::usage, "combine: expected at least two run directories, got " +
                                      std::to_string(run_directories.size()));
  }
  for (const std::string& path : run_directories) check_not_input(settings.out, path);
  RunSummary summary;
  summary.kind = "combination";
  std::vector<PosteriorPtr> posteriors;
  std::optional<Eigen::VectorXd> truth;
  std::map<std::string, std::string> seen;  // digests, and in which argument
  for (const std::string& path : run_directories) {
    const auto [part, next] = open_answer(path);
    for (const std::string& digest : data_of(part)) {
      const auto [at, is_new] = seen.emplace(digest, path);
      if (!is_new) {
        throw Error(ErrorKind::input, "'" + at->second + "' and '" + path +
                                          "' hold the same run (posterior " + digest.substr(0, 12) +
                                          "...): its data would count twice; expected runs of "
                                          "independent data");
      }
      summary.sources.push_back(digest);
    }
    posteriors.push_back(next);
    if (posteriors.size() == 1) {
      truth = part.posterior.truth;
      summary.problem = part.problem;
      summary.model = part.model;
      continue;
    }
    if (truth && part.posterior.truth != truth) truth.reset();
    if (summary.model != part.model) {
      throw Error(ErrorKind::input, "'" + path + "' is of the model '" + part.model + "', '" +
                                        run_directories.front() + "' of '" + summary.model +
                                        "': expected runs of one model");
    }
    if (next->names() != posteriors.front()->names()) {
      throw Error(ErrorKind::input, "'" + path + "' and '" + run_directories.front() +
                                        "' have parameters of different names");
    }
    try {
      require_combinable(*posteriors.front(), *next);
    } catch (const Error& error) {
      throw Error(error.kind(),
                  "'" + run_directories.front() + "' and '" + path + "': " + error.what());
    }
  }
  const CombinedPosterior combined = combine_all(posteriors);
  summary.combination = {combined.is_exact, combined.total_variation, combined.divergence};
  if (!combined.warning().empty()) summary.inference.warnings.push_back(combined.warning());
  RunDirectory directory(settings.out, settings.force);
  summary.inference.method = "combine";
  summary.inference.finished = true;
  summary.inference.total_seconds = stopwatch.seconds();
  summary.posterior = tabulate(*combined.posterior, truth);
  RunReport report = publish(directory, std::move(summary), *combined.posterior, nullptr, "");
  try {
    const InferResult result{combined.posterior, nullptr, report.summary.inference};
    report.files.push_back(write_report(contents_of(settings.out, report.summary, result, "")));
  } catch (const Error& error) {
    report.warning = "the report could not be made: " + std::string(error.what());
  }
  return report;
}

}  // namespace epsfree
