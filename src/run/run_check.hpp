// Checking the answer of a run: `epsfree check`, and what every run does at its end.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "epsfree/calibration.hpp"
#include "epsfree/diagnose.hpp"
#include "epsfree/ledger.hpp"
#include "run/run_reader.hpp"

namespace epsfree {

struct CheckSettings {
  /// Simulations from the posterior, and as many from the prior; none: a tenth of the run's, from
  /// 50 to 1000.
  std::optional<long> num_simulations = {};
  /// Complete inferences for a calibration (`--sbc`); 0: none.
  int num_repetitions = 0;
  std::uint64_t seed = 1;
  std::optional<int> num_threads = {};  ///< over run.toml's
  bool trust = false;  ///< run the simulator of a directory that this user did not make
  void validate() const;
};

/// Hears of a check's progress; the base does nothing.
class CheckListener : public CalibrationListener {
 public:
  /// Hears of its simulations.
  virtual Observer* observer() { return nullptr; }
};

/// Checks a finished run and writes check.json into its directory. Simulations that take long, and
/// finished repetitions, are kept in check.sqlite beside it: the same call goes on where one was
/// interrupted. Returns all that there is of the run, `check` included, so that its page can be
/// made without reading it again. Throws ErrorKind::input where the run cannot be checked,
/// ErrorKind::usage where this user did not make it and does not trust it.
RunContents check_run(const std::string& run_directory, const CheckSettings& settings = {},
                      CheckListener* listener = nullptr);

/// The same at the end of a run, with what that has at hand: its ledger, which is open, and what
/// runs its simulations. `digest` is that of posterior.json.
CheckRecord check_result(const ProblemSpec& spec, const InferResult& result,
                         const std::string& run_directory, const std::string& digest,
                         const CheckSettings& settings, Runner& runner, Ledger* ledger,
                         CheckListener* listener = nullptr);

/// The checks alone, of an answer that need not be on disk: nothing is written, and the record has
/// no digest. `ledger` may hold simulations of the run, `journal` repetitions of a calibration that
/// was interrupted.
CheckRecord check_answer(const ProblemSpec& spec, const InferResult& result,
                         const CheckSettings& settings, Runner& runner, Ledger* ledger = nullptr,
                         CheckListener* listener = nullptr, Journal* journal = nullptr);

}  // namespace epsfree
