// The power of the diagnostics in short; docs/diagnostics.md has the whole table.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "diagnose/toy_procedures.hpp"

namespace epsfree {
namespace {

// What they run is run by the other tests too; thousands of repetitions show a sanitizer nothing
// new.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define SKIP_UNDER_SANITIZERS() GTEST_SKIP() << "statistics, not memory"
#else
#define SKIP_UNDER_SANITIZERS() static_cast<void>(0)
#endif

constexpr int kStudies = 12;
// Should hold for fewer than one build in a thousand: P(X < 7) = 0.0005 for X ~ B(12, 0.9), and
// P(X > 3) = 0.0003 for X ~ B(12, 0.03).
constexpr int kFewestCaught = 7, kMostFalse = 3;

/// How many of so many calibrations of the default size fail, by one diagnostic ("": by any).
int num_failed(const Problem& problem, const Procedure& procedure, const std::string& name) {
  int count = 0;
  for (int study = 0; study < kStudies; ++study) {
    const std::vector<Diagnosis> all = diagnose(
        calibrate(problem, procedure, "", {.seed = 61001 + static_cast<std::uint64_t>(study)}));
    count += std::any_of(all.begin(), all.end(), [&](const Diagnosis& each) {
      return each.verdict == Verdict::fail && (name.empty() || each.name == name);
    });
  }
  return count;
}

TEST(Power, DefectsAreCaughtAndCorrectProceduresAreNot) {
  SKIP_UNDER_SANITIZERS();
  const LinearGaussian model = LinearGaussian::make(2, 3, 0.5);
  const Problem problem = model.problem();
  EXPECT_LE(num_failed(problem, toy_procedure(model, Defect::none), ""), kMostFalse);
  EXPECT_GE(num_failed(problem, toy_procedure(model, Defect::wide), "expected-coverage"),
            kFewestCaught);
  EXPECT_GE(num_failed(problem, toy_procedure(model, Defect::shifted), "sbc-ranks"), kFewestCaught);
  EXPECT_GE(num_failed(problem, toy_procedure(model, Defect::prior), "tarp"), kFewestCaught);
}

TEST(Power, AMissingModeIsCaught) {
  SKIP_UNDER_SANITIZERS();
  const MirroredGaussian model;
  EXPECT_LE(num_failed(model.problem(), model.procedure(true), ""), kMostFalse);
  EXPECT_GE(num_failed(model.problem(), model.procedure(false), "sbc-ranks"), kFewestCaught);
}

}  // namespace
}  // namespace epsfree
