// Whether to trust an answer: checks of runs, their report, and distances between samples.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>

#include "epsfree/two_sample.hpp"
#include "epsfree/version.hpp"
#include "python/src/arrays.hpp"
#include "python/src/bindings.hpp"
#include "python/src/check_listener.hpp"
#include "python/src/interruptible.hpp"
#include "python/src/watched.hpp"
#include "run/report_file.hpp"

namespace epsfree::python {
namespace {

std::string check_directory(const std::string& path, int num_repetitions,
                            std::optional<long> num_simulations, std::uint64_t seed,
                            std::optional<int> num_threads, bool trust,
                            const nb::object& callback) {
  const CheckSettings settings{.num_simulations = num_simulations,
                               .num_repetitions = num_repetitions,
                               .seed = seed,
                               .num_threads = num_threads,
                               .trust = trust};
  return watched(callback, std::make_shared<Fault>(), [&](PythonObserver& observer) {
    PythonCheckListener listener(observer);
    const RunContents run = check_run(path, settings, &listener);
    write_report(run);
    return check_json(*run.check);
  });
}

/// check.json of what a run's summary alone says.
std::string check_of_summary(const std::string& text) {
  CheckRecord record;
  record.version = version();
  const RunSummary summary = parse_summary(text, "summary");
  record.digest = summary.digest;
  record.seed = summary.inference.seed;
  record.diagnoses = diagnose(summary.inference);
  judge_together(record.diagnoses);
  return check_json(record);
}

std::string compared(const Rows& first, const Rows& second, std::uint64_t seed) {
  ComparisonOptions options;
  options.c2st.seed = seed;
  const Eigen::Map<const Eigen::MatrixXd> a = columns(first), b = columns(second);
  return interruptible([&] {
    CheckRecord record;
    record.seed = seed;
    record.diagnoses = compare_samples(a, b, options);
    return check_json(record);
  });
}

}  // namespace

void bind_checks(nb::module_& module) {
  module.def("check_run", &check_directory, nb::arg("path"), nb::arg("num_repetitions"),
             nb::arg("num_simulations").none(), nb::arg("seed"), nb::arg("num_threads").none(),
             nb::arg("trust"), nb::arg("callback").none());
  module.def(
      "write_report",
      [](const std::string& path, const std::string& file) {
        return interruptible([&] { return write_report(path, file); });
      },
      nb::arg("path"), nb::arg("file"));
  module.def("check_of_summary", &check_of_summary, nb::arg("summary"));
  module.def("compare_samples", &compared, nb::arg("first"), nb::arg("second"), nb::arg("seed"));
  module.def(
      "c2st",
      [](const Rows& first, const Rows& second, int num_folds, std::uint64_t seed) {
        const Eigen::Map<const Eigen::MatrixXd> a = columns(first), b = columns(second);
        return interruptible([&] { return c2st(a, b, {.num_folds = num_folds, .seed = seed}); });
      },
      nb::arg("first"), nb::arg("second"), nb::arg("num_folds"), nb::arg("seed"));
  module.def(
      "mmd",
      [](const Rows& first, const Rows& second, int num_permutations, std::uint64_t seed) {
        const Eigen::Map<const Eigen::MatrixXd> a = columns(first), b = columns(second);
        const MmdResult result = interruptible([&] {
          Stream stream(seed, {.purpose = Purpose::two_sample});
          return mmd(a, b, num_permutations, stream);
        });
        return std::pair(result.squared, result.p_value);
      },
      nb::arg("first"), nb::arg("second"), nb::arg("num_permutations"), nb::arg("seed"));
  module.def(
      "sliced_wasserstein",
      [](const Rows& first, const Rows& second, int num_projections, std::uint64_t seed) {
        const Eigen::Map<const Eigen::MatrixXd> a = columns(first), b = columns(second);
        return interruptible([&] {
          Stream stream(seed, {.purpose = Purpose::two_sample, .round = 1});
          return sliced_wasserstein(a, b, num_projections, stream);
        });
      },
      nb::arg("first"), nb::arg("second"), nb::arg("num_projections"), nb::arg("seed"));
}

}  // namespace epsfree::python
