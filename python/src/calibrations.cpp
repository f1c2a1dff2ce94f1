// Calibration and predictive checks from arrays, whatever program made them.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include "epsfree/calibration.hpp"
#include "epsfree/diagnose.hpp"
#include "epsfree/error.hpp"
#include "epsfree/version.hpp"
#include "io/check_file.hpp"
#include "python/src/arrays.hpp"
#include "python/src/bindings.hpp"
#include "python/src/interruptible.hpp"

namespace epsfree::python {
namespace {

/// Samples as a posterior, under a prior that does not matter.
SamplesPosterior as_posterior(const Eigen::MatrixXd& samples,
                              const std::vector<std::string>& names) {
  return SamplesPosterior(gaussian_prior(Gaussian::standard(samples.rows())), names,
                          WeightedSamples(samples));
}

/// check.json, then the ranks: of each parameter, of the density and of the distance to the
/// reference points. `samples` are those of all pairs below each other.
std::tuple<std::string, NumpyMatrix, NumpyVector, NumpyVector> calibrated(
    const Rows& thetas, const Rows& x, const Rows& samples, const std::vector<std::string>& names,
    const std::optional<Values>& observed, const std::optional<Rows>& observed_samples,
    std::uint64_t seed) {
  const auto truths = columns(thetas), statistics = columns(x), draws = columns(samples);
  if (truths.cols() == 0 || draws.cols() % truths.cols() != 0) {
    throw Error(ErrorKind::input, "calibrate: there are " + std::to_string(draws.cols()) +
                                      " samples for " + std::to_string(truths.cols()) + " pairs");
  }
  CheckRecord record;
  record.version = version();
  record.seed = seed;
  const Calibration calibration = interruptible([&] {
    const Index count = draws.cols() / truths.cols();
    std::vector<Eigen::MatrixXd> sets;
    for (Index i = 0; i < truths.cols(); ++i) sets.push_back(draws.middleCols(i * count, count));
    Calibration result = calibrate(truths, statistics, sets, names, seed);
    record.num_repetitions = static_cast<long>(result.records.size());
    record.diagnoses = diagnose(result);
    if (observed && observed_samples) {
      record.diagnoses.push_back(local_calibration(result,
                                                   as_posterior(columns(*observed_samples), names),
                                                   vector(*observed), {.seed = seed}));
    }
    judge_together(record.diagnoses);
    return result;
  });
  return {check_json(record), rows(calibration.ranks().cast<double>()),
          array(calibration.density_ranks().cast<double>()),
          array(calibration.distance_ranks().cast<double>())};
}

std::string predictive(const Values& observed, const Rows& thetas, const Rows& x,
                       const std::vector<std::string>& names) {
  return interruptible([&] {
    PredictiveSimulations simulations;
    simulations.thetas = columns(thetas);
    simulations.statistics = columns(x);
    simulations.num_made = static_cast<long>(simulations.statistics.cols());
    CheckRecord record;
    record.version = version();
    record.num_posterior = simulations.num_made;
    record.diagnoses = {predictive_check(vector(observed), simulations, names),
                        predictive_statistics(vector(observed), simulations, names),
                        misspecification(vector(observed), simulations, "posterior")};
    judge_together(record.diagnoses);
    return check_json(record);
  });
}

}  // namespace

void bind_calibrations(nb::module_& module) {
  module.def("calibrate", &calibrated, nb::arg("thetas"), nb::arg("x"), nb::arg("samples"),
             nb::arg("names"), nb::arg("observed").none(), nb::arg("observed_samples").none(),
             nb::arg("seed"));
  module.def("predictive_check", &predictive, nb::arg("observed"), nb::arg("thetas"), nb::arg("x"),
             nb::arg("names"));
}

}  // namespace epsfree::python
