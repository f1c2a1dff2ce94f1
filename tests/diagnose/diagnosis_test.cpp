#include "epsfree/diagnosis.hpp"

#include <gtest/gtest.h>

#include <limits>

#include "epsfree/error.hpp"

namespace epsfree {
namespace {

Diagnosis p_value(double value) { return {.value = value, .is_p_value = true}; }

// Holm: 0.01 is shared by three, then two, then one.
TEST(Diagnosis, PValuesShareOneLevel) {
  std::vector<Diagnosis> all = {p_value(0.006), p_value(0.003), p_value(0.5)};
  judge_together(all);
  EXPECT_DOUBLE_EQ(all[1].threshold, 0.01 / 3);
  EXPECT_EQ(all[1].verdict, Verdict::fail);
  EXPECT_DOUBLE_EQ(all[0].threshold, 0.01 / 2);
  EXPECT_EQ(all[0].verdict, Verdict::warn);      // alone it would fail
  EXPECT_DOUBLE_EQ(all[2].threshold, 0.01 / 2);  // that of the one which did not fail
  EXPECT_EQ(all[2].verdict, Verdict::pass);
  EXPECT_EQ(all[2].num_tests, 3);
  EXPECT_EQ(worst(all), Verdict::fail);

  // The larger one would be below its own level, but the smaller has passed.
  std::vector<Diagnosis> held = {p_value(0.007), p_value(0.0069)};
  judge_together(held);
  EXPECT_EQ(held[0].verdict, Verdict::warn);
  EXPECT_EQ(held[1].verdict, Verdict::warn);
}

TEST(Diagnosis, OtherValuesKeepTheirLimits) {
  std::vector<Diagnosis> all = {
      {.value = 1.05, .bad = Bad::high, .warn_at = 1.01, .threshold = 1.1},
      {.value = 30, .bad = Bad::low, .warn_at = 100, .threshold = 20},
      {.value = 10, .bad = Bad::low, .warn_at = 100, .threshold = 20},
      {.value = std::numeric_limits<double>::quiet_NaN()},
      p_value(0.009)};
  judge_together(all);
  EXPECT_EQ(all[0].verdict, Verdict::warn);
  EXPECT_EQ(all[1].verdict, Verdict::warn);
  EXPECT_EQ(all[2].verdict, Verdict::fail);
  EXPECT_EQ(all[3].verdict, Verdict::fail);
  EXPECT_EQ(all[4].verdict, Verdict::fail);  // the only test, so the whole level is its own
}

TEST(Diagnosis, SaysWhatToDoOnlyWhereItDoesNotPass) {
  Diagnosis diagnosis = {.meaning = "It is.", .advice = "Mend it."};
  EXPECT_EQ(diagnosis.sentence(), "It is.");
  diagnosis.verdict = Verdict::warn;
  EXPECT_EQ(diagnosis.sentence(), "It is. Mend it.");
  EXPECT_EQ(worst({}), Verdict::pass);
  EXPECT_THROW(judge_together({}, {.fail = 0.1, .warn = 0.05}), Error);
}

TEST(JudgeTogether, LimitsAndVerdictsGoTogether) {
  std::vector<Diagnosis> all(4);
  const double values[] = {0.013, 0.0131, 0.02, 0.9};
  for (std::size_t i = 0; i < all.size(); ++i) {
    all[i].is_p_value = true;
    all[i].value = values[i];
  }
  judge_together(all);
  for (const Diagnosis& each : all) {
    EXPECT_EQ(each.verdict, Verdict::pass);
    EXPECT_GE(each.value, each.warn_at);
  }
}

}  // namespace
}  // namespace epsfree
