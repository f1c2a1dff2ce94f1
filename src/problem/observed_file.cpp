#include "problem/observed_file.hpp"

#include <cmath>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "base/file.hpp"
#include "base/words.hpp"
#include "epsfree/error.hpp"
#include "io/csv.hpp"
#include "io/number_text.hpp"

namespace epsfree {
namespace {

[[noreturn]] void fail(const std::string& source, const std::string& message) {
  throw Error(ErrorKind::input, source + ": " + message);
}

Eigen::VectorXd parse_json_array(const std::string& text, const std::string& source) {
  nlohmann::json json;
  try {
    json = nlohmann::json::parse(text);
  } catch (const nlohmann::json::parse_error& error) {
    fail(source, "expected a JSON array of numbers, and it is not valid JSON at byte " +
                     std::to_string(error.byte));
  } catch (const nlohmann::json::out_of_range&) {
    fail(source, "a number is larger than any that a computer's double can hold");
  }
  if (!json.is_array()) {
    fail(source, "expected a JSON array of numbers, got " + std::string(json.type_name()));
  }
  Eigen::VectorXd values(static_cast<Eigen::Index>(json.size()));
  for (std::size_t i = 0; i < json.size(); ++i) {
    if (!json[i].is_number()) {
      fail(source, "entry " + std::to_string(i + 1) + " of the array is " +
                       std::string(json[i].type_name()) + ", expected a number");
    }
    values[static_cast<Eigen::Index>(i)] = json[i].get<double>();
  }
  return values;
}

Eigen::VectorXd parse_csv_observation(const std::string& text, const std::string& source,
                                      const std::vector<std::string>& names) {
  const CsvTable table = parse_csv(text, source);
  if (table.points.rows() == 1 && names.size() != 1) return table.points.row(0).transpose();
  if (table.points.cols() != 1) {
    fail(source, "got " + std::to_string(table.points.cols()) +
                     " lines of numbers, expected one observation: one line, or one column");
  }
  if (table.points.rows() != static_cast<Eigen::Index>(names.size())) return table.points.col(0);
  return match_columns(table, names, source, "statistics").col(0);
}

}  // namespace

Eigen::VectorXd parse_observation(const std::string& text, const std::string& source,
                                  const std::vector<std::string>& statistic_names) {
  const std::size_t start = text.find_first_not_of(" \t\r\n");
  const bool is_json = start != std::string::npos && (text[start] == '[' || text[start] == '{');
  const Eigen::VectorXd values = is_json ? parse_json_array(text, source)
                                         : parse_csv_observation(text, source, statistic_names);
  if (values.size() != static_cast<Eigen::Index>(statistic_names.size())) {
    fail(source, "got " + std::to_string(values.size()) + " numbers, expected " +
                     std::to_string(statistic_names.size()) + " statistics (" +
                     joined(statistic_names) + ")");
  }
  for (Eigen::Index i = 0; i < values.size(); ++i) {
    if (!std::isfinite(values[i])) {
      fail(source, "number " + std::to_string(i + 1) + " (" +
                       statistic_names[static_cast<std::size_t>(i)] + ") is " +
                       number_text(values[i]) + ", expected a finite number");
    }
  }
  return values;
}

bool is_missing_or_blank(const std::string& path) {
  std::error_code error;
  if (!std::filesystem::exists(path, error)) return !error;
  return std::filesystem::is_regular_file(path, error) &&
         read_file(path).find_first_not_of(" \t\r\n") == std::string::npos;
}

Eigen::VectorXd read_observation(const std::string& path,
                                 const std::vector<std::string>& statistic_names) {
  return parse_observation(read_file(path), path, statistic_names);
}

}  // namespace epsfree
