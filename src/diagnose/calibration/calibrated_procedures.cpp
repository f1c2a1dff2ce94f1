// Procedures that can be calibrated: a whole inference, and a network that holds for any
// observation.
#include <string>

#include "base/archive.hpp"
#include "base/fingerprint.hpp"
#include "epsfree/calibration.hpp"
#include "epsfree/error.hpp"
#include "infer/option_fields.hpp"

namespace epsfree {
namespace {

/// The bytes of all options, in the order in which they are listed.
class OptionBytes {
 public:
  template <class T>
  void operator()(const char*, const T& value, const char*) {
    bytes_(value);
  }
  const std::string& bytes() const { return bytes_.bytes(); }

 private:
  ByteWriter bytes_;
};

std::string identity_of(const InferOptions& o) {
  OptionBytes visit;
  visit("name", o.method, "");
  visit_infer_fields(o, visit);
  visit_auto_fields(o.automatic, visit);
  visit_abc_fields(o.abc, visit);
  visit_rejection_fields(o.rejection, visit);
  visit_mcmc_fields(o.mcmc, visit);
  visit_smc_fields(o.smc, visit);
  visit_synthetic_fields(o.synthetic, visit);
  visit_network_fields(o.network, visit);
  visit_training_fields(o.training, visit);
  visit_rounds_fields(o.rounds, visit);
  visit_training_fields(o.rounds.training, visit);
  visit_pilot_fields(o.pilot, visit);
  return visit.bytes();
}

}  // namespace

Calibration calibrate(const Problem& problem, const InferOptions& infer_options,
                      const CalibrationOptions& options, CalibrationListener* listener,
                      Journal* journal) {
  infer_options.validate();
  const Procedure procedure = [&](const Eigen::VectorXd& observed, std::uint64_t seed,
                                  Observer* observer) {
    Problem repeated = problem;
    repeated.observed = observed;
    repeated.truth.reset();
    InferOptions with_seed = infer_options;
    with_seed.seed = seed;
    ThreadRunner runner(1);  // the repetitions already run side by side
    return infer(repeated, with_seed, runner, observer).posterior;
  };
  return calibrate(problem, procedure, identity_of(infer_options), options, listener, journal);
}

Calibration calibrate(const Problem& problem, const std::shared_ptr<const Estimator>& estimator,
                      const CalibrationOptions& options, CalibrationListener* listener,
                      Journal* journal) {
  if (!estimator || !estimator->amortised()) {
    throw Error(ErrorKind::usage,
                "calibration: the network was trained on a proposal, so it holds for one "
                "observation only; calibrate the whole inference instead");
  }
  const Procedure procedure = [&](const Eigen::VectorXd& observed, std::uint64_t, Observer*) {
    return estimator->posterior(observed);
  };
  const auto parameters = estimator->parts().conditional->parameters();
  Fingerprint network;
  network.add(std::span<const float>(parameters.data(), parameters.size()));
  return calibrate(problem, procedure, "network " + std::to_string(network.value()), options,
                   listener, journal);
}

}  // namespace epsfree
