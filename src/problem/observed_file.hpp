// Observations in files of their own.
#pragma once

#include <Eigen/Core>
#include <string>
#include <vector>

namespace epsfree {

/// Reads one observation: a JSON array of numbers, or CSV with one line (a header may name the
/// statistics) or one column. There must be one finite number per statistic. Throws ErrorKind::io
/// or ErrorKind::input with the file and what was expected.
Eigen::VectorXd read_observation(const std::string& path,
                                 const std::vector<std::string>& statistic_names);

/// Whether there is no observation at this path yet: no file, or one of nothing but white space.
bool is_missing_or_blank(const std::string& path);

/// The same from text.
Eigen::VectorXd parse_observation(const std::string& text, const std::string& source,
                                  const std::vector<std::string>& statistic_names);

}  // namespace epsfree
