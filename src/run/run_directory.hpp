// Run directories: what a run leaves behind.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "io/run_files.hpp"

namespace epsfree {

/// A run directory to be, for results that need no simulations. Files are written under a temporary
/// name beside it, and the whole directory is renamed when it is complete: nothing half-written
/// ever stands under its name.
class RunDirectory {
 public:
  /// Checks, before anything is computed, that the directory can be made. Throws ErrorKind::usage
  /// if something stands there already: a run directory unless `force`, anything else always (an
  /// empty directory is no obstacle); ErrorKind::io if it cannot be written to. Leaves no trace.
  RunDirectory(const std::string& path, bool force);
  RunDirectory(const RunDirectory&) = delete;
  RunDirectory& operator=(const RunDirectory&) = delete;
  /// Removes what was not published.
  ~RunDirectory();

  /// The final path as it was given.
  const std::string& path() const { return path_; }
  /// The path under which to write a file now; makes the temporary directory on first use.
  std::string staged(const std::string& file);
  /// Puts everything in its final place.
  void publish();

 private:
  std::string path_;     // as given, for messages
  std::string target_;   // absolute, links resolved
  std::string staging_;  // empty until needed
  bool force_;
};

/// Whether something of a run stands at `path`. Throws ErrorKind::usage if it is a file, or a
/// directory with files that are not of a run.
bool check_run_directory(const std::string& path);
/// Makes it with all above it, and checks that it can be written to. Throws ErrorKind::io.
void make_run_directory(const std::string& path);
/// Removes the files of a run, and the directory.
void clear_run_directory(const std::string& path);
/// Removes what a killed process left of files it was writing.
void remove_temporaries(const std::string& path);

/// "DIR/FILE", or `path` itself if it is a file. Throws ErrorKind::io if there is nothing at `path`
/// and ErrorKind::input if it is a directory without that file.
std::string run_file(const std::string& path, const std::string& file);

bool is_directory(const std::string& path);
/// Whether both are there and are one and the same, links followed.
bool same_directory(const std::string& a, const std::string& b);

}  // namespace epsfree
