// What a check found: a number, a verdict, and what to do about it.
#pragma once

#include <Eigen/Core>
#include <span>
#include <string>
#include <vector>

namespace epsfree {

enum class Verdict { pass, warn, fail };
/// "pass", "warn", "fail".
const char* to_string(Verdict verdict);

/// Numbers behind a diagnosis, as a plot or a file needs them: columns with names.
struct DiagnosisTable {
  std::string name;  ///< "ecdf of theta1", ...
  std::vector<std::string> columns;
  Eigen::MatrixXd values;                ///< one row per line of the table
  std::vector<std::string> labels = {};  ///< of the rows, where each is a thing with a name
};

/// Which values are bad.
enum class Bad { low, high };

/// One check and its outcome.
struct Diagnosis {
  std::string name = {};      ///< "posterior-predictive", "sbc-ranks", ...
  std::string quantity = {};  ///< what the value is: "p-value", "R-hat", ...
  double value = 0;
  Bad bad = Bad::low;
  double warn_at = 0;    ///< a warning beyond this, in the bad direction; of a p-value at it, too
  double threshold = 0;  ///< a failure beyond this
  /// Whether the value is a p-value: its limits are levels that are shared with the other tests
  /// made beside it.
  bool is_p_value = false;
  int num_tests = 1;  ///< p-values that shared one level when the verdict was given
  Verdict verdict = Verdict::pass;
  std::string meaning = {};   ///< one sentence: what the value says
  std::string advice = {};    ///< one sentence: what to do where it does not pass
  std::string citation = {};  ///< where the check is described
  std::vector<DiagnosisTable> tables = {};

  /// `meaning`, with `advice` where it did not pass.
  std::string sentence() const;
  /// By its name, or null.
  const DiagnosisTable* table(const std::string& name) const;
};

/// Levels of a set of tests: the probability that a correct answer fails, or is warned of,
/// anywhere.
struct TestLevels {
  double fail = 0.01;
  double warn = 0.05;
  /// Throws ErrorKind::input unless 0 < fail <= warn < 1.
  void validate() const;
};

/// Gives all verdicts anew, the p-values sharing one level by Holm's (1979) method: the smallest is
/// held against level / m, the next against level / (m - 1), ..., and none below which one has
/// passed fails. Other values keep their own limits. A value that is NaN fails.
void judge_together(std::span<Diagnosis> diagnoses, const TestLevels& levels = {});
/// The worst of them; pass for none.
Verdict worst(std::span<const Diagnosis> diagnoses);

}  // namespace epsfree
