#include "run/report_file.hpp"

#include "base/file.hpp"
#include "report/run_report.hpp"
#include "run/run_directory.hpp"
#include "run/run_reader.hpp"

namespace epsfree {

std::string write_report(const std::string& run_directory, const std::string& file,
                         Ledger* ledger) {
  const std::string path = file.empty() ? in_directory(run_directory, kReportFile) : file;
  write_file_atomically(path, report_html(read_run(run_directory, OpenSimulator::never, ledger)));
  return path;
}

}  // namespace epsfree
