// Whether a procedure deserves trust: simulation-based calibration (Cook, Gelman & Rubin 2006;
// Talts et al. 2018). Parameters are drawn from the prior, an observation is simulated from each,
// and the posterior that the procedure makes of it is held against the parameters it came from.
#pragma once

#include <Eigen/Core>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "epsfree/diagnosis.hpp"
#include "epsfree/infer.hpp"

namespace epsfree {

/// Makes the posterior of an observation. Called from several threads at once; what it draws comes
/// from the seed alone. Where it takes long, it asks the observer whether to go on.
using Procedure = std::function<PosteriorPtr(const Eigen::VectorXd& observed, std::uint64_t seed,
                                             Observer* observer)>;

struct CalibrationOptions {
  int num_repetitions = 200;
  Index num_samples = 999;  ///< of each posterior: truths are ranked among them
  std::uint64_t seed = 1;
  int num_threads = 0;  ///< repetitions side by side, each on one; 0: as many as the machine has
  /// Simulations from the prior from which the reference points of TARP are learnt, besides those
  /// of the repetitions.
  Index num_reference_simulations = 500;
  void validate() const;
};

/// One repetition.
struct CalibrationRecord {
  Eigen::VectorXd truth, observed;
  Eigen::VectorXi ranks;  ///< samples below the truth, in each dimension
  int density_rank = 0;   ///< samples of higher posterior density than the truth
  int distance_rank = 0;  ///< samples nearer to the reference point than the truth
  Eigen::VectorXd mean, standard_deviation;  ///< of the posterior's samples
  Eigen::VectorXd sample;                    ///< the first of them
  std::string error = {};  ///< why there is no posterior; the rest but truth and observed is empty
};

struct Calibration {
  std::vector<std::string> names;  ///< of the parameters
  Index num_samples = 0;           ///< that truths were ranked among
  std::vector<CalibrationRecord> records;
  long num_redrawn = 0;  ///< simulated observations that were not valid, and drawn again

  Index dim() const { return static_cast<Index>(names.size()); }
  /// One column per repetition that has a posterior.
  Eigen::MatrixXi ranks() const;
  Eigen::VectorXi density_ranks() const;
  Eigen::VectorXi distance_ranks() const;
  long num_failed() const;
};

/// Watches a calibration. `on_repetition` is called for one at a time, in the order in which they
/// end; `stop` from any thread.
class CalibrationListener {
 public:
  virtual ~CalibrationListener() = default;
  virtual void on_repetition(long /*done*/, long /*total*/, const CalibrationRecord&) {}
  virtual bool stop() { return false; }
};

/// Repeats the whole inference for observations from the prior predictive; the problem's own does
/// not matter. Bit-identical for any number of threads. With a journal finished repetitions are
/// taken from it. Throws ErrorKind::interrupted when the listener said stop.
Calibration calibrate(const Problem& problem, const InferOptions& infer_options,
                      const CalibrationOptions& options = {},
                      CalibrationListener* listener = nullptr, Journal* journal = nullptr);
/// The same for a network that holds for any observation: it is not trained again. Throws
/// ErrorKind::usage unless it is amortised.
Calibration calibrate(const Problem& problem, const std::shared_ptr<const Estimator>& estimator,
                      const CalibrationOptions& options = {},
                      CalibrationListener* listener = nullptr, Journal* journal = nullptr);
/// The same for any procedure. `identity` says which it is: what a journal holds of another is not
/// used.
Calibration calibrate(const Problem& problem, const Procedure& procedure,
                      const std::string& identity, const CalibrationOptions& options = {},
                      CalibrationListener* listener = nullptr, Journal* journal = nullptr);

/// The same from pairs that were simulated elsewhere, one a column, and samples of the posterior at
/// each observation, of whatever made them: as many at each. The parameters must be draws of the
/// prior that the posteriors assume. Throws ErrorKind::input where sizes do not agree.
Calibration calibrate(const Eigen::Ref<const Eigen::MatrixXd>& truths,
                      const Eigen::Ref<const Eigen::MatrixXd>& observed,
                      std::span<const Eigen::MatrixXd> samples, std::vector<std::string> names = {},
                      std::uint64_t seed = 1);

/// Ranks (with histograms and simultaneous bands), expected coverage, TARP and inferences that
/// failed, judged together.
std::vector<Diagnosis> diagnose(const Calibration& calibration, const TestLevels& levels = {});

struct LocalCalibrationOptions {
  int num_null = 100;       ///< classifiers of the null distribution, besides the one of the test
  Index num_samples = 500;  ///< of the posterior at the observation
  std::uint64_t seed = 1;
  int num_threads = 0;
  void validate() const;
};
/// Whether the posterior is right where it is needed, at the observation: local classifier
/// two-sample test (Linhart et al. 2023) from the pairs of a calibration. Throws ErrorKind::input
/// for fewer than 50 repetitions.
Diagnosis local_calibration(const Calibration& calibration, const Posterior& posterior,
                            const Eigen::Ref<const Eigen::VectorXd>& observed,
                            const LocalCalibrationOptions& options = {});

}  // namespace epsfree
