#include "run/run_results.hpp"

#include <filesystem>

#include "base/file.hpp"
#include "epsfree/version.hpp"
#include "io/sha256.hpp"

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
  save_posterior(posterior, report.files.back());
  summary.digest = sha256(read_file(report.files.back()));
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

}  // namespace epsfree
