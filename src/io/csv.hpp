// Tables of numbers as comma-separated text.
#pragma once

#include <Eigen/Core>
#include <string>
#include <string_view>
#include <vector>

namespace epsfree {

struct CsvTable {
  std::vector<std::string> header;  ///< empty if the file has none
  Eigen::MatrixXd points;           ///< one column per line of the file
  std::vector<long> lines = {};     ///< the line's number in the file, one per column
};

/// A first line with anything that is not a number is the header; blank lines and lines that begin
/// with '#' are skipped. Throws ErrorKind::input with source and line.
CsvTable parse_csv(std::string_view text, const std::string& source);

/// The points in the order of `names`: a header must hold exactly these (in any order), and without
/// one there must be as many columns. `source` and `what` ("parameters") are for messages.
Eigen::MatrixXd match_columns(const CsvTable& table, const std::vector<std::string>& names,
                              const std::string& source, const std::string& what);

/// One line, quoted where needed.
std::string csv_header(const std::vector<std::string>& names);
/// One line per column of `points`; every number reads back exactly.
std::string csv_lines(const Eigen::Ref<const Eigen::MatrixXd>& points);

}  // namespace epsfree
