#include "run/open_run.hpp"

#include "base/file.hpp"
#include "epsfree/error.hpp"
#include "io/sha256.hpp"
#include "run/run_directory.hpp"

namespace epsfree {

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
