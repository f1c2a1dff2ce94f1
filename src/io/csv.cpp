#include "io/csv.hpp"

#include <algorithm>
#include <optional>

#include "base/words.hpp"
#include "epsfree/error.hpp"
#include "io/number_text.hpp"

namespace epsfree {
namespace {

[[noreturn]] void fail(const std::string& source, long line, const std::string& message) {
  throw Error(ErrorKind::input, source + ":" + std::to_string(line) + ": " + message);
}

std::string trimmed(std::string_view text) {
  const auto blank = [](char c) { return c == ' ' || c == '\t' || c == '\r'; };
  while (!text.empty() && blank(text.front())) text.remove_prefix(1);
  while (!text.empty() && blank(text.back())) text.remove_suffix(1);
  return std::string(text);
}

// Fields in double quotes may hold commas; a doubled quote stands for one.
std::vector<std::string> split(std::string_view line, const std::string& source, long number) {
  std::vector<std::string> fields;
  std::string field;
  bool quoted = false, was_quoted = false;
  const auto end_field = [&] {
    fields.push_back(was_quoted ? field : trimmed(field));
    field.clear();
    was_quoted = false;
  };
  for (std::size_t i = 0; i < line.size(); ++i) {
    const char c = line[i];
    if (quoted && c == '"' && i + 1 < line.size() && line[i + 1] == '"') {
      field += '"';
      ++i;
    } else if (quoted && c == '"') {
      quoted = false;
    } else if (quoted) {
      field += c;
    } else if (c == '"' && trimmed(field).empty() && !was_quoted) {
      quoted = was_quoted = true;
      field.clear();
    } else if (c == ',') {
      end_field();
    } else if (!(was_quoted && (c == ' ' || c == '\t' || c == '\r'))) {
      field += c;
    }
  }
  if (quoted) fail(source, number, "a quote is not closed");
  end_field();
  return fields;
}

}  // namespace

CsvTable parse_csv(std::string_view text, const std::string& source) {
  CsvTable table;
  std::vector<double> values;
  std::size_t width = 0;
  Eigen::Index count = 0;
  long number = 0, header_line = 0;
  if (text.substr(0, 3) == "\xef\xbb\xbf") text.remove_prefix(3);  // as spreadsheets write it
  while (!text.empty()) {
    ++number;
    const std::size_t end = text.find('\n');
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    const std::string content = trimmed(line);
    if (content.empty() || content.front() == '#') continue;
    const std::vector<std::string> fields = split(content, source, number);
    if (width == 0) {
      width = fields.size();
      const bool is_header = std::any_of(fields.begin(), fields.end(),
                                         [](const auto& field) { return !parse_number(field); });
      if (is_header) {
        table.header = fields;
        header_line = number;
        continue;
      }
    }
    if (fields.size() != width) {
      fail(source, number,
           "got " + std::to_string(fields.size()) + " columns, expected " + std::to_string(width) +
               " as in the lines before");
    }
    for (const std::string& field : fields) {
      const std::optional<double> value = parse_number(field);
      if (!value) fail(source, number, "expected a number, got '" + field.substr(0, 60) + "'");
      values.push_back(*value);
    }
    table.lines.push_back(number);
    ++count;
  }
  if (count == 0 && !table.header.empty()) {
    fail(source, header_line,
         "expected numbers below the header '" + joined(table.header).substr(0, 60) +
             "', which is taken for one because it is not all numbers");
  }
  if (count == 0) {
    throw Error(ErrorKind::input, source + ": expected at least one line of numbers, got none");
  }
  table.points =
      Eigen::Map<const Eigen::MatrixXd>(values.data(), static_cast<Eigen::Index>(width), count);
  return table;
}

Eigen::MatrixXd match_columns(const CsvTable& table, const std::vector<std::string>& names,
                              const std::string& source, const std::string& what) {
  const auto expected = std::to_string(names.size()) + " " + what + " (" + joined(names) + ")";
  if (table.points.rows() != static_cast<Eigen::Index>(names.size())) {
    throw Error(ErrorKind::input, source + ": got " + std::to_string(table.points.rows()) +
                                      " columns, expected " + expected);
  }
  if (table.header.empty()) return table.points;
  Eigen::MatrixXd points(table.points.rows(), table.points.cols());
  for (std::size_t i = 0; i < names.size(); ++i) {
    const auto found = std::find(table.header.begin(), table.header.end(), names[i]);
    if (found == table.header.end()) {
      throw Error(ErrorKind::input, source + ": no column '" + names[i] + "' among " +
                                        joined(table.header) + "; expected " + expected);
    }
    points.row(static_cast<Eigen::Index>(i)) = table.points.row(found - table.header.begin());
  }
  return points;
}

std::string csv_header(const std::vector<std::string>& names) {
  std::string line;
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (i > 0) line += ',';
    if (names[i].find_first_of(",\" \t#") == std::string::npos) {
      line += names[i];
      continue;
    }
    line += '"';
    for (const char c : names[i]) line += c == '"' ? "\"\"" : std::string(1, c);
    line += '"';
  }
  return line + "\n";
}

std::string csv_lines(const Eigen::Ref<const Eigen::MatrixXd>& points) {
  std::string lines;
  for (Eigen::Index i = 0; i < points.cols(); ++i) {
    for (Eigen::Index d = 0; d < points.rows(); ++d) {
      if (d > 0) lines += ',';
      lines += number_text(points(d, i));
    }
    lines += '\n';
  }
  return lines;
}

}  // namespace epsfree
