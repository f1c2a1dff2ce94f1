#include "run/ledger_import.hpp"

#include <algorithm>
#include <cmath>
#include <memory>
#include <vector>

#include "base/file.hpp"
#include "base/numbered_names.hpp"
#include "epsfree/error.hpp"
#include "io/number_text.hpp"
#include "problem/problem_file.hpp"
#include "run/resumable_run.hpp"
#include "run/reused_simulations.hpp"
#include "run/run_directory.hpp"

namespace epsfree {
namespace {

std::vector<std::string> split(std::string line) {
  if (!line.empty() && line.back() == '\r') line.pop_back();
  std::vector<std::string> cells(1);
  bool quoted = false;
  for (const char c : line) {
    if (c == '"') {
      quoted = !quoted;
    } else if (c == ',' && !quoted) {
      cells.emplace_back();
    } else {
      cells.back() += c;
    }
  }
  return cells;
}

/// Where each parameter and statistic stands in a line.
struct Columns {
  std::vector<std::size_t> theta, x;
  std::size_t status = std::string::npos;
  std::size_t drawn_from = std::string::npos;
  std::size_t count = 0;
};

std::size_t find_column(const std::vector<std::string>& header, const std::string& name) {
  const auto at = std::find(header.begin(), header.end(), name);
  return at == header.end() ? std::string::npos : static_cast<std::size_t>(at - header.begin());
}

std::vector<std::size_t> find_columns(const std::vector<std::string>& header,
                                      const std::string& prefix,
                                      const std::vector<std::string>& names,
                                      const std::string& source) {
  std::vector<std::size_t> places;
  for (const std::string& name : names) {
    const auto at = std::find(header.begin(), header.end(), prefix + name);
    if (at == header.end()) {
      throw Error(ErrorKind::input, source + ":1: no column '" + prefix + name + "'");
    }
    places.push_back(static_cast<std::size_t>(at - header.begin()));
  }
  return places;
}

SimStatus status_from(const std::string& text, const std::string& where) {
  for (int s = 0; s < kNumSimStatuses; ++s) {
    if (text == to_string(static_cast<SimStatus>(s))) return static_cast<SimStatus>(s);
  }
  throw Error(ErrorKind::input, where + ": got the status '" + text +
                                    "', expected ok, invalid, failed, timeout or lost");
}

std::vector<double> numbers(const std::vector<std::string>& cells,
                            const std::vector<std::size_t>& places, const std::string& where) {
  std::vector<double> values;
  for (const std::size_t place : places) {
    const auto value = parse_number(cells[place]);
    if (!value) throw Error(ErrorKind::input, where + ": '" + cells[place] + "' is no number");
    values.push_back(*value);
  }
  return values;
}

long read_into(Ledger& ledger, const ProblemSpec& spec, const std::string& file) {
  std::vector<std::string> names = spec.problem.names;
  if (names.empty()) names = numbered_names("theta", spec.problem.prior->dim());
  std::vector<std::string> statistics = spec.statistic_names;
  if (statistics.empty()) statistics = numbered_names("x", spec.problem.observed.size());
  std::uint32_t replicate = 0;
  ledger.visit([&](const LedgerRow& row) { replicate = std::max(replicate, row.key.replicate); });
  LedgerRow row;
  row.key = {.purpose = Purpose::simulation, .replicate = replicate + 1, .round = 1, .index = 0};
  row.drawn_from = DrawnFrom::prior;

  const std::string text = read_file(file);
  Columns columns;
  long line_number = 0;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    const std::vector<std::string> cells = split(text.substr(begin, end - begin));
    begin = end + 1;
    ++line_number;
    if (cells.size() == 1 && cells[0].empty()) continue;
    const std::string where = file + ":" + std::to_string(line_number);
    if (columns.count == 0) {
      columns.count = cells.size();
      columns.theta = find_columns(cells, "theta:", names, file);
      columns.x = find_columns(cells, "x:", statistics, file);
      columns.status = find_column(cells, "status");
      columns.drawn_from = find_column(cells, "drawn_from");
      continue;
    }
    if (cells.size() != columns.count) {
      throw Error(ErrorKind::input, where + ": got " + std::to_string(cells.size()) +
                                        " columns, expected " + std::to_string(columns.count));
    }
    if (columns.drawn_from != std::string::npos &&
        cells[columns.drawn_from] != to_string(DrawnFrom::prior)) {
      throw Error(ErrorKind::input, where + ": its drawn_from is '" + cells[columns.drawn_from] +
                                        "', expected 'prior'; leave out the lines that are not "
                                        "draws from the prior");
    }
    const std::vector<double> theta = numbers(cells, columns.theta, where);
    const Eigen::VectorXd point =
        Eigen::Map<const Eigen::VectorXd>(theta.data(), static_cast<Index>(theta.size()));
    if (!std::isfinite(spec.problem.prior->log_prob(point))) {
      throw Error(ErrorKind::input,
                  where + ": theta lies outside the prior, so it was not drawn from it");
    }
    row.status = columns.status == std::string::npos ? SimStatus::ok
                                                     : status_from(cells[columns.status], where);
    std::vector<double> x;
    if (row.status == SimStatus::ok) x = numbers(cells, columns.x, where);
    if (!std::all_of(x.begin(), x.end(), [](double value) { return std::isfinite(value); })) {
      row.status = SimStatus::invalid;
      x.clear();
    }
    row.theta = theta;
    row.x = x;
    ledger.record(row);
    ++row.key.index;
  }
  if (row.key.index == 0) throw Error(ErrorKind::input, file + ": no simulations in it");
  return static_cast<long>(row.key.index);
}

}  // namespace

long import_simulations(const ImportSettings& settings) {
  if (!settings.problem.empty()) {
    ProblemSpec spec = load_problem(settings.problem);
    open_reused(spec);
    if (inspect_run(settings.run, false, spec) != RunState::fresh) {
      throw Error(ErrorKind::usage,
                  "'" + settings.run + "' exists already; leave out --problem to add to it");
    }
    ResumableRun run(settings.run, RunState::fresh, spec);
    const long count = read_into(run.ledger(), spec, settings.file);
    run.ledger().commit();
    return count;
  }
  Ledger ledger(run_file(settings.run, kLedgerFile));
  const auto problem = ledger.note("problem");
  if (!problem) {
    throw Error(ErrorKind::input, "'" + settings.run + "' does not say what problem it is about");
  }
  const ProblemSpec spec = parse_problem(*problem, settings.run + "/" + kRunFile);
  // All or nothing: what is wrong in the last line shows before anything is written.
  ledger.set_commit_interval(1e9);
  try {
    const long count = read_into(ledger, spec, settings.file);
    ledger.commit();
    return count;
  } catch (...) {
    ledger.roll_back();
    throw;
  }
}

}  // namespace epsfree
