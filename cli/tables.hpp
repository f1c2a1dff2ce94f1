// Results as text for people.
#pragma once

#include <string>
#include <vector>

#include "io/check_file.hpp"
#include "io/run_summary.hpp"

namespace epsfree::cli {

/// Four significant digits, or as many as are needed to see integers.
std::string short_number(double value);

/// As printf writes it; `format` takes one double.
std::string formatted(const char* format, double value);

/// Columns of equal width, two blanks apart; the first is set left, the others right.
std::string aligned(const std::vector<std::vector<std::string>>& rows);

/// Parameter, mean, standard deviation, 95% interval and, where known, the true value.
std::string posterior_table(const PosteriorTable& table);

/// The verdict of each check, what those that do not pass say, and the verdict of all.
std::string check_text(const CheckRecord& record);

/// One sentence on how far a combination is from the exact product.
std::string combination_text(const CombinationSummary& combination);

/// What ran and what it cost, a few lines.
std::string summary_text(const RunSummary& summary);

}  // namespace epsfree::cli
