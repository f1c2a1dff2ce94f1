// `make accuracy`: the paper's experiments with the authors' settings on many seeds, scored against
// exact or reference posteriors, with the bounds that must hold.
//
//   epsfree_accuracy [--seeds A..B] [--only WORD] [--set key=value]... [--verbose]
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <limits>
#include <mutex>
#include <string>
#include <vector>

#include "base/file.hpp"
#include "base/parallel.hpp"
#include "epsfree/epsfree.hpp"
#include "io/csv.hpp"
#include "problem/problem_file.hpp"
#include "support/reference.hpp"

namespace epsfree {
namespace {

/// What must hold of a score over the seeds.
enum class Bound { median, every };

struct Experiment {
  const char* file;       ///< in examples/paper, without .toml
  const char* reference;  ///< samples to score against; nullptr: the model's exact posterior
  Bound bound;
  double limit;
  std::size_t max_seeds;  ///< the costly one runs fewer
};

const Experiment kExperiments[] = {
    {"mixture-mdn-with-proposal", nullptr, Bound::median, 0.4, 1000},
    {"linear-regression-mdn-with-proposal", nullptr, Bound::median, 0.25, 1000},
    {"lotka-volterra-mdn-with-proposal", "paper/lotka_volterra_posterior.csv", Bound::median, -5.5,
     1000},
    {"mg1-queue-mdn-with-proposal", "paper/mg1_queue_posterior.csv", Bound::every, -0.7, 1000},
    {"linear-regression-mdn-with-prior", nullptr, Bound::every, 0.15, 3},
};

struct Outcome {
  double score = std::numeric_limits<double>::quiet_NaN();
  double seconds = 0;
  long simulations = 0;
  std::string correction;
  std::string error;
};

struct Settings {
  std::uint64_t first_seed = 1, last_seed = 10;
  std::string only;
  std::vector<std::string> assignments;
  bool verbose = false;
};

[[noreturn]] void fail(const std::string& message) {
  std::fprintf(stderr, "epsfree_accuracy: %s\n", message.c_str());
  std::exit(64);
}

Settings parse(int argc, char** argv) {
  Settings settings;
  for (int i = 1; i < argc; ++i) {
    const std::string option = argv[i];
    if (option == "--verbose") {
      settings.verbose = true;
      continue;
    }
    if (i + 1 >= argc) fail(option + " needs a value, or is unknown");
    const std::string value = argv[++i];
    if (option == "--seeds") {
      const std::size_t dots = value.find("..");
      if (dots == std::string::npos) fail("--seeds takes A..B");
      settings.first_seed = std::stoull(value.substr(0, dots));
      settings.last_seed = std::stoull(value.substr(dots + 2));
    } else if (option == "--only") {
      settings.only = value;
    } else if (option == "--set") {
      settings.assignments.push_back(value);
    } else {
      fail("unknown option " + option);
    }
  }
  return settings;
}

Outcome run_seed(const Experiment& experiment, const Settings& settings, std::uint64_t seed) {
  Outcome outcome;
  const auto start = std::chrono::steady_clock::now();
  try {
    ProblemOverrides overrides;
    overrides.assignments = settings.assignments;
    overrides.seed = static_cast<std::int64_t>(seed);
    const ProblemSpec spec = load_problem(
        std::string(EPSFREE_SOURCE_DIR) + "/examples/paper/" + experiment.file + ".toml",
        overrides);
    ThreadRunner runner(1);  // the seeds already run side by side
    const InferResult result = infer(spec.problem, spec.options, runner);
    outcome.seconds =
        std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    outcome.simulations = result.summary.simulations.total();
    outcome.correction = result.summary.correction;
    if (experiment.reference != nullptr) {
      const std::string path = reference_path(experiment.reference);
      outcome.score =
          cross_entropy(parse_csv(read_file(path), path).points, *result.posterior).value;
    } else {
      const PosteriorPtr exact = model(spec.model)->exact_posterior(spec.problem.observed);
      Stream stream(1, {.purpose = Purpose::divergence});
      outcome.score = kl_divergence(*exact, *result.posterior, 50000, stream).value;
    }
  } catch (const std::exception& error) {
    outcome.error = error.what();
    outcome.score = std::numeric_limits<double>::infinity();
  }
  return outcome;
}

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  const std::size_t n = values.size();
  return n % 2 == 1 ? values[n / 2] : 0.5 * (values[n / 2 - 1] + values[n / 2]);
}

void show_progress(const char* name, std::size_t done, std::size_t total) {
  if (isatty(STDERR_FILENO) == 0) return;
  std::fprintf(stderr, "\r%-40s [", name);
  for (std::size_t i = 0; i < 20; ++i) std::fputc(i * total < done * 20 ? '#' : ' ', stderr);
  std::fprintf(stderr, "] %zu/%zu seeds%s", done, total, done == total ? "\r\033[K" : "");
  std::fflush(stderr);
}

/// One row of the table; whether the bound holds.
bool report(const Experiment& experiment, const std::vector<Outcome>& outcomes) {
  std::vector<double> scores;
  double seconds = 0;
  long failures = 0;
  for (const Outcome& outcome : outcomes) {
    scores.push_back(outcome.score);
    seconds += outcome.seconds / static_cast<double>(outcomes.size());
    if (!outcome.error.empty()) ++failures;
  }
  const double worst = *std::max_element(scores.begin(), scores.end());
  const double judged = experiment.bound == Bound::median ? median(scores) : worst;
  const bool holds = judged <= experiment.limit && failures == 0;
  std::printf("%-38s %5zu %9.3f %9.3f %9.3f %7ld %8.1f   %s <= %g: %s\n", experiment.file,
              outcomes.size(), *std::min_element(scores.begin(), scores.end()), median(scores),
              worst, failures, seconds, experiment.bound == Bound::median ? "median" : "every",
              experiment.limit, holds ? "holds" : "MISSED");
  std::fflush(stdout);
  return holds;
}

int run(const Settings& settings) {
  std::printf("%-38s %5s %9s %9s %9s %7s %8s   %s\n", "experiment", "seeds", "best", "median",
              "worst", "failed", "seconds", "bound");
  bool all_hold = true;
  for (const Experiment& experiment : kExperiments) {
    if (std::string(experiment.file).find(settings.only) == std::string::npos) continue;
    if (experiment.reference != nullptr &&
        !std::filesystem::exists(reference_path(experiment.reference))) {
      std::printf("%-38s skipped: no reference data %s; set EPSFREE_REFERENCE\n", experiment.file,
                  reference_path(experiment.reference).c_str());
      all_hold = all_hold && !continuous_integration();
      continue;
    }
    const std::size_t num_seeds =
        std::min<std::size_t>(settings.last_seed - settings.first_seed + 1, experiment.max_seeds);
    std::vector<Outcome> outcomes(num_seeds);
    std::size_t done = 0;
    std::mutex mutex;
    parallel_for(0, num_seeds, 1, [&](std::size_t begin, std::size_t end) {
      for (std::size_t i = begin; i < end; ++i) {
        outcomes[i] = run_seed(experiment, settings, settings.first_seed + i);
        const std::lock_guard lock(mutex);
        show_progress(experiment.file, ++done, num_seeds);
      }
    });
    for (std::size_t i = 0; settings.verbose && i < num_seeds; ++i) {
      std::printf("  seed %-6zu %9.4f %8.2f s %7ld simulations  correction: %s %s\n",
                  settings.first_seed + i, outcomes[i].score, outcomes[i].seconds,
                  outcomes[i].simulations, outcomes[i].correction.c_str(),
                  outcomes[i].error.c_str());
    }
    all_hold = report(experiment, outcomes) && all_hold;
  }
  return all_hold ? 0 : 1;
}

}  // namespace
}  // namespace epsfree

int main(int argc, char** argv) { return epsfree::run(epsfree::parse(argc, argv)); }
