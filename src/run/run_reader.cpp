#include "run/run_reader.hpp"

#include <filesystem>

#include "base/file.hpp"
#include "epsfree/error.hpp"
#include "io/sha256.hpp"
#include "run/ledger_report.hpp"
#include "run/open_run.hpp"
#include "run/run_directory.hpp"
#include "run/run_origin.hpp"
#include "run/run_status.hpp"

namespace epsfree {
namespace {

namespace fs = std::filesystem;

constexpr long kMostRows = 20000;

bool has_file(const std::string& path, const char* name) {
  std::error_code ignored;
  return fs::is_regular_file(fs::path(path) / name, ignored);
}

/// Calls read(); what it throws is a fault of this part, not of the others.
template <class Read>
void attempt(RunContents& contents, const Read& read) {
  try {
    read();
  } catch (const Error& error) {
    contents.faults.emplace_back(error.what());
  }
}

bool is_simulation(const LedgerRow& row) {
  return row.key.purpose == Purpose::simulation || row.key.purpose == Purpose::pilot_simulation;
}

}  // namespace

RecordedSimulations recorded_simulations(Ledger& ledger) {
  const long step = ledger.num_simulations() / kMostRows + 1;
  RecordedSimulations result;
  std::vector<double> thetas, seconds;
  Index dim = 0;
  ledger.visit([&](const LedgerRow& row) {
    if (!is_simulation(row)) return;
    ++result.counts[static_cast<std::size_t>(row.status)];
    if (result.num_recorded++ % step != 0) return;
    dim = static_cast<Index>(row.theta.size());
    thetas.insert(thetas.end(), row.theta.begin(), row.theta.end());
    seconds.push_back(row.seconds);
    result.statuses.push_back(row.status);
  });
  const auto count = static_cast<Index>(seconds.size());
  result.thetas = Eigen::Map<const Eigen::MatrixXd>(thetas.data(), dim, dim > 0 ? count : 0);
  result.seconds = Eigen::Map<const Eigen::VectorXd>(seconds.data(), count);
  return result;
}

std::string shown_directory(std::string path) {
  while (path.size() > 1 && path.back() == '/') path.pop_back();
  return path;
}

RunContents read_run(const std::string& given, OpenSimulator open) {
  const std::string path = shown_directory(given);
  if (!is_directory(path)) {
    run_file(path, kSummaryFile);  // says so if there is nothing at all
    throw Error(ErrorKind::input, "'" + path + "' is a file, expected a run directory");
  }
  RunContents contents;
  contents.path = path;
  const bool any = has_file(path, kRunFile) || has_file(path, kSummaryFile) ||
                   has_file(path, kPosteriorFile) || has_file(path, kLedgerFile);
  if (!any) {
    throw Error(ErrorKind::input, "'" + path +
                                      "' is not a run directory: it has none of run.toml, "
                                      "summary.json, posterior.json and ledger.sqlite");
  }
  if (has_file(path, kStatusFile))
    attempt(contents, [&] {
      const RunProgress progress = read_progress(path);
      contents.state = progress.died ? "died" : progress.state;
    });
  if (has_file(path, kRunFile)) {
    const std::string file = in_directory(path, kRunFile);
    std::optional<ProblemSpec> parsed;
    attempt(contents, [&] {
      contents.run_toml = read_file(file);
      parsed = parse_run_problem(contents.run_toml, file);
    });
    if (parsed && open != OpenSimulator::never) {
      require_own(path, contents.run_toml, open == OpenSimulator::any);
      attempt(contents, [&] { contents.problem = open_problem(*std::move(parsed)); });
    } else {
      contents.problem = std::move(parsed);
    }
  }
  if (has_file(path, kSummaryFile)) {
    attempt(contents, [&] {
      const std::string file = in_directory(path, kSummaryFile);
      contents.summary = parse_summary(read_file(file), file);
      contents.state = "finished";
    });
  }
  if (!has_file(path, kRunFile) && !(contents.summary && contents.summary->kind == "combination")) {
    contents.faults.push_back("'" + path + "' has no run.toml");
  }
  std::string digest;
  if (has_file(path, kPosteriorFile)) {
    attempt(contents, [&] {
      const std::string file = in_directory(path, kPosteriorFile);
      if (contents.summary) {  // which the posterior is checked against
        contents.posterior = open_posterior(path, *contents.summary);
        digest = contents.summary->digest;
      } else {
        const std::string text = read_file(file);
        contents.posterior = parse_posterior(text, file);
        digest = sha256(text);
      }
    });
  } else if (contents.summary) {
    contents.faults.push_back("'" + path + "' has no posterior.json");
  }
  if (has_file(path, kEstimatorFile)) {
    attempt(contents,
            [&] { contents.estimator = load_estimator(in_directory(path, kEstimatorFile)); });
  }
  if (contents.state != "running" && has_file(path, kLedgerFile)) {
    attempt(contents, [&] {
      Ledger own = open_ledger(path);
      contents.simulations = recorded_simulations(own);
    });
  }
  if (contents.posterior) {
    attempt(contents, [&] { contents.check = open_check(path, digest); });
  }
  return contents;
}

}  // namespace epsfree
