#include "app/services.hpp"

#include <algorithm>
#include <map>

#include "app/run_directory.hpp"
#include "app/sha256.hpp"
#include "app/stopwatch.hpp"
#include "base/file.hpp"
#include "epsfree/error.hpp"
#include "epsfree/version.hpp"

namespace epsfree {
namespace {

// Writes what there is of a run, the posterior's digest into the summary, and makes it final.
RunReport publish(RunDirectory& directory, RunSummary summary, const Posterior& posterior,
                  const Estimator* estimator, const std::string& run_toml) {
  RunReport report;
  const auto written = [&](const char* file) {
    report.files.push_back(
        (directory.path().back() == '/' ? directory.path() : directory.path() + "/") + file);
  };
  if (!run_toml.empty()) {
    write_file_atomically(directory.staged(kRunFile), run_toml);
    written(kRunFile);
  }
  save_posterior(posterior, directory.staged(kPosteriorFile));
  written(kPosteriorFile);
  if (estimator != nullptr) {
    save_estimator(*estimator, directory.staged(kEstimatorFile));
    written(kEstimatorFile);
  }
  summary.digest = sha256(read_file(directory.staged(kPosteriorFile)));
  summary.version = version();
  write_file_atomically(directory.staged(kSummaryFile), summary_json(summary));
  written(kSummaryFile);
  directory.publish();
  report.summary = std::move(summary);
  return report;
}

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

std::string default_run_directory(const ProblemSpec& spec) { return "runs/" + spec.name; }

RunReport run_problem(const ProblemSpec& spec, const RunSettings& settings, Observer* observer) {
  RunDirectory directory(settings.out, settings.force);
  ThreadRunner runner(settings.num_threads);
  const InferResult result = infer(spec.problem, spec.options, runner, observer);
  RunSummary summary;
  summary.problem = spec.name;
  summary.model = spec.model;
  summary.inference = result.summary;
  summary.num_threads = runner.num_threads();
  summary.posterior = tabulate(*result.posterior, spec.problem.truth);
  return publish(directory, std::move(summary), *result.posterior, result.estimator.get(),
                 resolved_toml(spec));
}

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
  const ProblemSpec spec = load_problem(run_file(run_directory, kRunFile), overrides);
  RunDirectory directory(settings.out, settings.force);
  const PosteriorPtr posterior = trained->posterior(spec.problem.observed);
  Estimator::Parts parts = trained->parts();
  parts.observed = spec.problem.observed;
  const Estimator estimator(std::move(parts));
  RunSummary summary;
  summary.kind = "new observation";
  summary.problem = spec.name;
  summary.model = spec.model;
  summary.sources = {before.digest};
  summary.inference.method = before.inference.method;
  summary.inference.seed = before.inference.seed;
  summary.inference.finished = true;
  summary.inference.total_seconds = stopwatch.seconds();
  summary.posterior = tabulate(*posterior, spec.problem.truth);
  return publish(directory, std::move(summary), *posterior, &estimator, resolved_toml(spec));
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
  PosteriorPtr posterior;
  std::optional<Eigen::VectorXd> truth;
  std::map<std::string, std::string> seen;  // digests, and in which argument
  for (const std::string& path : run_directories) {
    const RunSummary part = open_summary(path);
    const PosteriorPtr next = open_posterior(path);
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
    if (!posterior) {
      posterior = next;
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
    if (next->names() != posterior->names()) {
      throw Error(ErrorKind::input, "'" + path + "' and '" + run_directories.front() +
                                        "' have parameters of different names");
    }
    try {
      posterior = combine(*posterior, *next);
    } catch (const Error& error) {
      throw Error(error.kind(),
                  "'" + run_directories.front() + "' and '" + path + "': " + error.what());
    }
  }
  RunDirectory directory(settings.out, settings.force);
  summary.inference.method = "combine";
  summary.inference.finished = true;
  summary.inference.total_seconds = stopwatch.seconds();
  summary.posterior = tabulate(*posterior, truth);
  return publish(directory, std::move(summary), *posterior, nullptr, "");
}

PosteriorPtr open_posterior(const std::string& path) {
  const std::string file = run_file(path, kPosteriorFile);
  if (is_directory(path)) open_summary(path);  // for its check of the digest
  return load_posterior(file);
}

RunSummary open_summary(const std::string& run_directory) {
  const std::string path = run_file(run_directory, kSummaryFile);
  RunSummary summary = parse_summary(read_file(path), path);
  if (!is_directory(run_directory)) return summary;
  const std::string posterior = run_file(run_directory, kPosteriorFile);
  const std::string digest = sha256(read_file(posterior));
  if (digest != summary.digest) {
    throw Error(ErrorKind::input, posterior + ": its digest is " + digest + ", expected " +
                                      summary.digest + " as in " + path +
                                      ": it was changed after the run");
  }
  return summary;
}

}  // namespace epsfree
