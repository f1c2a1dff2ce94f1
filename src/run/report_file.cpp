#include "run/report_file.hpp"

#include "base/file.hpp"
#include "report/run_report.hpp"
#include "run/run_directory.hpp"
#include "run/run_reader.hpp"

namespace epsfree {

std::string write_report(const RunContents& run, const std::string& file) {
  const std::string path = file.empty() ? in_directory(run.path, kReportFile) : file;
  write_file_atomically(path, report_html(run));
  return path;
}

std::string write_report(const std::string& run_directory, const std::string& file) {
  return write_report(read_run(run_directory), file);
}

}  // namespace epsfree
