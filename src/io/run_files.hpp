// The names of the files of a run directory.
#pragma once

#include <filesystem>
#include <string>

namespace epsfree {

inline constexpr const char* kRunFile = "run.toml";
inline constexpr const char* kPosteriorFile = "posterior.json";
inline constexpr const char* kEstimatorFile = "estimator.json";
inline constexpr const char* kSummaryFile = "summary.json";
inline constexpr const char* kLedgerFile = "ledger.sqlite";
inline constexpr const char* kStatusFile = "status.json";
inline constexpr const char* kCheckFile = "check.json";
inline constexpr const char* kCheckLedgerFile = "check.sqlite";
inline constexpr const char* kReportFile = "report.html";
inline constexpr const char* kOriginFile = "origin.json";

/// "DIR/FILE"
inline std::string in_directory(const std::string& path, const std::string& file) {
  return (std::filesystem::path(path) / file).string();
}

}  // namespace epsfree
