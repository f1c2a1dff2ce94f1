// The reproduction of the paper: every inference, figure and claim, from one call.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "paper/paper_claims.hpp"
#include "paper/paper_results.hpp"

namespace epsfree {

struct PaperSettings {
  std::vector<std::string> models;  ///< built in; empty: all four
  PaperScale scale = {};
  std::string out;             ///< directory; made if it is not there
  std::string reference = {};  ///< directory of MODEL_posterior.csv; empty: references are made
  int num_threads = 0;         ///< 0: all cores
};

/// Watches a study. `on_part` is called for one part at a time, in the order in which they end,
/// `on_stage` from the thread that called; `stop` from any thread.
class PaperListener {
 public:
  virtual ~PaperListener() = default;
  /// A piece of work has begun that is no part: "making the reference of mg1-queue", "drawing".
  virtual void on_stage(const std::string& /*what*/) {}
  /// `share` of the work is done, by its expected cost.
  virtual void on_part(std::size_t /*done*/, std::size_t /*total*/, double /*share*/,
                       const PaperPart&, const PaperRecord&) {}
  virtual bool stop() { return false; }
};

struct PaperReport {
  PaperResults results;
  std::vector<PaperClaim> claims;
  std::vector<std::string> files;  ///< paths, figures.html first
  std::string without_pdf;         ///< why there are no PDF files; empty: there are
  std::size_t num_remembered = 0;  ///< parts of an earlier call that were not computed again
};

/// Makes the inferences that an earlier call into the same directory has not, each on one thread,
/// then all figures, claims.json and figures.html. Without a program that makes PDF files there are
/// none, and the report says so. Throws ErrorKind::usage for an unknown model,
/// ErrorKind::interrupted when the listener said stop: what was finished by then is kept.
PaperReport run_paper(const PaperSettings& settings, PaperListener* listener = nullptr);

}  // namespace epsfree
