// epsfree_diagnostic_power [STUDIES [COMPARISONS [CASE]]]: how often each diagnostic at its default
// size fails procedures that are wrong in a known way, and procedures that are right. So many
// studies of those that are judged together in a check, and so many of those between samples and of
// local calibration, which train classifiers; of those cases only whose name has CASE in it. Long;
// not a test of ctest.
#include <Eigen/QR>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <string>
#include <vector>

#include "base/parallel.hpp"
#include "diagnose/toy_procedures.hpp"
#include "epsfree/diagnose.hpp"
#include "epsfree/two_sample.hpp"

namespace {

using namespace epsfree;

struct Case {
  std::string name;
  Problem problem;
  Procedure procedure;
  Procedure exact;
  Eigen::VectorXd offset;  ///< of the observation from what the simulator gave
};

std::vector<Case> cases() {
  const LinearGaussian linear = LinearGaussian::make(2, 3, 0.5);
  const MirroredGaussian mirrored;
  const Eigen::Vector3d none3 = Eigen::Vector3d::Zero();
  const Eigen::Vector2d none2 = Eigen::Vector2d::Zero();
  const Eigen::MatrixXd Q = Eigen::HouseholderQR<Eigen::MatrixXd>(linear.A).householderQ();
  std::vector<Case> all;
  for (const auto& [name, defect] :
       std::vector<std::pair<std::string, Defect>>{{"correct", Defect::none},
                                                   {"too narrow by 1.5", Defect::narrow},
                                                   {"too wide by 1.5", Defect::wide},
                                                   {"shifted by half a deviation", Defect::shifted},
                                                   {"two parameters swapped", Defect::swapped},
                                                   {"equal to the prior", Defect::prior}}) {
    all.push_back({name, linear.problem(), toy_procedure(linear, defect),
                   toy_procedure(linear, Defect::none), none3});
  }
  all.push_back({"correct, two modes", mirrored.problem(), mirrored.procedure(true),
                 mirrored.procedure(true), none2});
  all.push_back({"a mode missing", mirrored.problem(), mirrored.procedure(false),
                 mirrored.procedure(true), none2});
  all.push_back({"observation outside the model", linear.problem(),
                 toy_procedure(linear, Defect::none), toy_procedure(linear, Defect::none),
                 6 * linear.noise_std * Q.col(2)});
  return all;
}

constexpr std::uint64_t kFirstSeed = 61001;

Eigen::VectorXd observation(const Case& of, std::uint64_t seed) {
  ThreadRunner runner(1);
  return simulate_prior(of.problem, 1, seed + 1'000'000, runner).statistics.col(0) + of.offset;
}

Calibration calibration(const Case& of, std::uint64_t seed) {
  return calibrate(of.problem, of.procedure, of.name, {.seed = seed, .num_threads = 1});
}

/// Everything at its default size, with an observation of its own, judged together.
std::vector<Diagnosis> study(const Case& of, std::uint64_t seed) {
  Problem problem = of.problem;
  problem.observed = observation(of, seed);
  InferResult result;
  result.posterior = of.procedure(problem.observed, seed, nullptr);
  ThreadRunner runner(1);
  std::vector<Diagnosis> all = diagnose(problem, result, runner, {.seed = seed}).diagnoses;
  for (Diagnosis& each : diagnose(calibration(of, seed))) all.push_back(std::move(each));
  judge_together(all);
  return all;
}

/// Those that train classifiers, each judged on its own but for the comparison with the exact
/// posterior.
std::vector<Diagnosis> comparison(const Case& of, std::uint64_t seed) {
  const Eigen::VectorXd observed = observation(of, seed);
  const PosteriorPtr posterior = of.procedure(observed, seed, nullptr);
  Stream stream(seed);
  const Eigen::MatrixXd reference = of.exact(observed, seed, nullptr)->sample(1000, stream);
  const Eigen::MatrixXd samples = posterior->sample(1000, stream);
  std::vector<Diagnosis> all =
      compare_samples(reference, samples, {.c2st = {.seed = seed, .num_threads = 1}});
  all.push_back(local_calibration(calibration(of, seed), *posterior, observed,
                                  {.seed = seed, .num_threads = 1}));
  return all;
}

using Study = std::vector<Diagnosis> (*)(const Case&, std::uint64_t);

/// One row per case: the share of studies in which each diagnostic, and in which any, fails.
void print_table(int num_studies, const std::string& only, const std::vector<std::string>& columns,
                 Study of) {
  if (num_studies == 0) return;
  std::printf("| %d studies |", num_studies);
  for (const std::string& name : columns) std::printf(" %s |", name.c_str());
  std::printf(" any fails | any warns |\n|---|");
  for (std::size_t i = 0; i < columns.size() + 2; ++i) std::printf("---|");
  std::printf("\n");
  for (const Case& each : cases()) {
    if (each.name.find(only) == std::string::npos) continue;
    std::vector<std::vector<Diagnosis>> found(static_cast<std::size_t>(num_studies));
    parallel_for(0, found.size(), 1, [&](std::size_t begin, std::size_t end) {
      for (std::size_t i = begin; i < end; ++i) {
        found[i] = of(each, kFirstSeed + i);
        for (Diagnosis& one : found[i]) one.tables.clear();
      }
    });
    std::map<std::string, int> fails;
    int any_fails = 0, any_warns = 0;
    for (const std::vector<Diagnosis>& all : found) {
      for (const Diagnosis& one : all) fails[one.name] += one.verdict == Verdict::fail;
      any_fails += worst(all) == Verdict::fail;
      any_warns += worst(all) >= Verdict::warn;
    }
    const auto share = [&](int count) { return static_cast<double>(count) / num_studies; };
    std::printf("| %s |", each.name.c_str());
    for (const std::string& name : columns) std::printf(" %.3f |", share(fails[name]));
    std::printf(" %.3f | %.3f |\n", share(any_fails), share(any_warns));
    std::fflush(stdout);
  }
  std::printf("\n");
}

}  // namespace

int main(int argc, char** argv) {
  const std::string only = argc > 3 ? argv[3] : "";
  print_table(argc > 1 ? std::atoi(argv[1]) : 300, only,
              {"sbc-ranks", "expected-coverage", "tarp", "posterior-predictive",
               "predictive-statistics", "misspecification-posterior", "misspecification-prior"},
              study);
  print_table(argc > 2 ? std::atoi(argv[2]) : 30, only,
              {"c2st", "mmd", "sliced-wasserstein", "lc2st"}, comparison);
  return 0;
}
