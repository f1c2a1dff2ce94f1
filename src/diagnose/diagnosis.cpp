#include "epsfree/diagnosis.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/require.hpp"

namespace epsfree {
namespace {

Verdict verdict_of(const Diagnosis& diagnosis) {
  const double value = diagnosis.value;
  const auto reaches = [&](double limit) {
    if (diagnosis.is_p_value) return value <= limit;
    return diagnosis.bad == Bad::low ? value < limit : value > limit;
  };
  if (std::isnan(value) || reaches(diagnosis.threshold)) return Verdict::fail;
  return reaches(diagnosis.warn_at) ? Verdict::warn : Verdict::pass;
}

}  // namespace

const char* to_string(Verdict verdict) {
  switch (verdict) {
    case Verdict::pass:
      return "pass";
    case Verdict::warn:
      return "warn";
    case Verdict::fail:
      break;
  }
  return "fail";
}

std::string Diagnosis::sentence() const {
  return verdict == Verdict::pass ? meaning : meaning + " " + advice;
}

const DiagnosisTable* Diagnosis::table(const std::string& wanted) const {
  for (const DiagnosisTable& each : tables) {
    if (each.name == wanted) return &each;
  }
  return nullptr;
}

void TestLevels::validate() const {
  require(fail > 0 && fail < 1, "levels.fail", fail, "between 0 and 1");
  require(warn >= fail && warn < 1, "levels.warn", warn, "at least levels.fail and below 1");
}

void judge_together(std::span<Diagnosis> diagnoses, const TestLevels& levels) {
  levels.validate();
  std::vector<Diagnosis*> tests;
  for (Diagnosis& each : diagnoses) {
    if (each.is_p_value) {
      tests.push_back(&each);
    } else {
      each.verdict = verdict_of(each);
    }
  }
  // NaN first: nothing is known of it, so it takes the strictest place.
  std::stable_sort(tests.begin(), tests.end(), [](const Diagnosis* a, const Diagnosis* b) {
    if (std::isnan(a->value) || std::isnan(b->value))
      return std::isnan(a->value) > std::isnan(b->value);
    return a->value < b->value;
  });
  Verdict at_worst = Verdict::fail;
  for (std::size_t i = 0; i < tests.size(); ++i) {
    Diagnosis& test = *tests[i];
    const double share = 1 / static_cast<double>(tests.size() - i);
    test.bad = Bad::low;
    test.threshold = levels.fail * share;
    test.warn_at = levels.warn * share;
    // Once one has passed, its limits stand for all that follow.
    if (at_worst < Verdict::fail) test.threshold = tests[i - 1]->threshold;
    if (at_worst < Verdict::warn) test.warn_at = tests[i - 1]->warn_at;
    test.num_tests = static_cast<int>(tests.size());
    // A larger p-value is never judged harder than a smaller one.
    test.verdict = std::min(verdict_of(test), at_worst);
    at_worst = test.verdict;
  }
}

Verdict worst(std::span<const Diagnosis> diagnoses) {
  Verdict result = Verdict::pass;
  for (const Diagnosis& each : diagnoses) result = std::max(result, each.verdict);
  return result;
}

}  // namespace epsfree
