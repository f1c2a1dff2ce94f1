// Procedures that can be calibrated: a whole inference, and a network that holds for any
// observation.
#include <string>

#include "base/archive.hpp"
#include "base/fingerprint.hpp"
#include "epsfree/calibration.hpp"
#include "epsfree/error.hpp"
#include "infer/methods.hpp"

namespace epsfree {
namespace {

/// All options as text, in the order in which they are listed.
class OptionTexts final : public OptionVisitor {
 public:
  void group(const std::string& path, const std::string&) override { text_ += path + "\n"; }
  void option(const Option& option) override {
    text_ += option.name + " = " + option_text(option.place) + "\n";
  }
  const std::string& text() const { return text_; }

 private:
  std::string text_;
};

std::string identity_of(const InferOptions& options) {
  InferOptions copy = options;  // a visitor may write
  OptionTexts visit;
  visit_options(copy, visit);
  return method_name(options.method) + "\n" + visit.text();
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
