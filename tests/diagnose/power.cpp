// epsfree_diagnostic_power [STUDIES [REPETITIONS]]: how often each diagnostic at its default size
// fails procedures that are wrong in a known way, and procedures that are right. Long; not a test
// of ctest.
#include <Eigen/QR>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <string>
#include <vector>

#include "base/parallel.hpp"
#include "diagnose/toy_procedures.hpp"
#include "epsfree/diagnose.hpp"

namespace {

using namespace epsfree;

struct Case {
  std::string name;
  Problem problem;
  Procedure procedure;
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
    all.push_back({name, linear.problem(), toy_procedure(linear, defect), none3});
  }
  all.push_back({"correct, two modes", mirrored.problem(), mirrored.procedure(true), none2});
  all.push_back({"a mode missing", mirrored.problem(), mirrored.procedure(false), none2});
  all.push_back({"observation outside the model", linear.problem(),
                 toy_procedure(linear, Defect::none), 6 * linear.noise_std * Q.col(2)});
  return all;
}

/// Everything at its default size, with an observation of its own, judged together.
std::vector<Diagnosis> study(const Case& of, int num_repetitions, std::uint64_t seed) {
  Problem problem = of.problem;
  ThreadRunner runner(1);
  const PredictiveSimulations own = simulate_prior(problem, 1, seed + 1'000'000, runner);
  problem.observed = own.statistics.col(0) + of.offset;
  InferResult result;
  result.posterior = of.procedure(problem.observed, seed, nullptr);
  std::vector<Diagnosis> all = diagnose(problem, result, runner, {.seed = seed});
  CalibrationOptions options = {.seed = seed, .num_threads = 1};
  if (num_repetitions > 0) options.num_repetitions = num_repetitions;
  for (Diagnosis& each : diagnose(calibrate(problem, of.procedure, of.name, options))) {
    all.push_back(std::move(each));
  }
  judge_together(all);
  return all;
}

}  // namespace

int main(int argc, char** argv) {
  const int num_studies = argc > 1 ? std::atoi(argv[1]) : 300;
  const int num_repetitions = argc > 2 ? std::atoi(argv[2]) : 0;
  const std::vector<std::string> columns = {"sbc-ranks",
                                            "expected-coverage",
                                            "tarp",
                                            "posterior-predictive",
                                            "misspecification-posterior",
                                            "misspecification-prior"};
  std::printf("| %d studies |", num_studies);
  for (const std::string& name : columns) std::printf(" %s |", name.c_str());
  std::printf(" any fails | any warns |\n|---|");
  for (std::size_t i = 0; i < columns.size() + 2; ++i) std::printf("---|");
  std::printf("\n");
  for (const Case& each : cases()) {
    std::vector<std::vector<Diagnosis>> found(static_cast<std::size_t>(num_studies));
    parallel_for(0, found.size(), 1, [&](std::size_t begin, std::size_t end) {
      for (std::size_t i = begin; i < end; ++i) {
        found[i] = study(each, num_repetitions, 1 + i);
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
  return 0;
}
