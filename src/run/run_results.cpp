#include "run/run_results.hpp"

#include <filesystem>

#include "base/file.hpp"
#include "epsfree/version.hpp"
#include "io/sha256.hpp"
#include "run/run_reader.hpp"

namespace epsfree {

RunReport write_results(const std::function<std::string(const char*)>& place, RunSummary summary,
                        const Posterior& posterior, const Estimator* estimator,
                        const std::string& run_toml) {
  RunReport report;
  if (!run_toml.empty()) {
    report.files.push_back(place(kRunFile));
    write_file_atomically(report.files.back(), run_toml);
  }
  report.files.push_back(place(kPosteriorFile));
  const std::string text = posterior_text(posterior);
  write_file_atomically(report.files.back(), text);
  summary.digest = sha256(text);
  summary.version = version();
  if (estimator != nullptr) {
    report.files.push_back(place(kEstimatorFile));
    save_estimator(*estimator, report.files.back());
  }
  report.files.push_back(place(kSummaryFile));
  write_file_atomically(report.files.back(), summary_json(summary));
  report.summary = std::move(summary);
  return report;
}

RunReport publish(RunDirectory& directory, RunSummary summary, const Posterior& posterior,
                  const Estimator* estimator, const std::string& run_toml) {
  RunReport report = write_results([&](const char* name) { return directory.staged(name); },
                                   std::move(summary), posterior, estimator, run_toml);
  directory.publish();
  for (std::string& file : report.files) {
    file =
        (std::filesystem::path(directory.path()) / std::filesystem::path(file).filename()).string();
  }
  return report;
}

RunContents contents_of(const std::string& run_directory, const RunSummary& summary,
                        const InferResult& result, const std::string& run_toml) {
  return {.path = shown_directory(run_directory),
          .state = "finished",
          .run_toml = run_toml,
          .summary = summary,
          .posterior = result.posterior,
          .estimator = result.estimator};
}

}  // namespace epsfree
