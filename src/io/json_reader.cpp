#include "io/json_reader.hpp"

#include <cmath>
#include <limits>

#include "epsfree/error.hpp"

namespace epsfree {
namespace {

/// A file from elsewhere must not send commands to the terminal that its texts are shown on:
/// control characters become question marks, those in one byte and the C1 ones, which UTF-8 has in
/// two.
std::string printable(std::string text) {
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto byte = static_cast<unsigned char>(text[i]);
    const bool is_c1 =
        i > 0 && static_cast<unsigned char>(text[i - 1]) == 0xC2 && byte >= 0x80 && byte < 0xA0;
    if (is_c1) text[i - 1] = '?';
    if (is_c1 || byte == 0x7F || (byte < 0x20 && byte != '\n' && byte != '\t')) text[i] = '?';
  }
  return text;
}

}  // namespace

using nlohmann::json;

json JsonReader::parse(const std::string& text, const std::string& file, const std::string& format,
                       int newest_version) {
  json document;
  try {
    document = json::parse(text);
  } catch (const json::parse_error& error) {
    throw Error(ErrorKind::input, file + ": not a JSON document, or one that is damaged (at byte " +
                                      std::to_string(error.byte) + ")");
  } catch (const json::exception&) {  // nothing but a number out of range
    throw Error(ErrorKind::input, file + ": holds a number that no double can hold");
  }
  const JsonReader reader(document, file);
  const std::string found = reader.at("format").text();
  if (found != format) {
    reader.at("format").fail("is '" + found + "'; expected '" + format + "'");
  }
  const long version = reader.at("version").integer(1, std::numeric_limits<int>::max());
  if (version > newest_version) {
    throw Error(ErrorKind::input, file + ": was written by a newer epsfree (format version " +
                                      std::to_string(version) + "; this one reads up to " +
                                      std::to_string(newest_version) + ")");
  }
  return document;
}

void JsonReader::fail(const std::string& message) const {
  throw Error(ErrorKind::input,
              file_ + ": " + (path_.empty() ? "the document" : "'" + path_ + "'") + " " + message);
}

JsonReader JsonReader::at(const std::string& key) const {
  if (!value_.is_object()) fail(std::string("is ") + value_.type_name() + "; expected an object");
  const auto found = value_.find(key);
  if (found == value_.end()) fail("has no field '" + key + "'");
  return {*found, file_, path_.empty() ? key : path_ + "." + key};
}

std::size_t JsonReader::size() const {
  if (!value_.is_array()) fail(std::string("is ") + value_.type_name() + "; expected an array");
  return value_.size();
}

JsonReader JsonReader::at(std::size_t index) const {
  if (index >= size()) fail("has only " + std::to_string(size()) + " entries");
  return {value_[index], file_, path_ + "[" + std::to_string(index) + "]"};
}

std::string JsonReader::text() const {
  if (!value_.is_string()) fail(std::string("is ") + value_.type_name() + "; expected a string");
  return printable(value_.get<std::string>());
}

bool JsonReader::boolean() const {
  if (!value_.is_boolean()) {
    fail(std::string("is ") + value_.type_name() + "; expected true or false");
  }
  return value_.get<bool>();
}

long JsonReader::integer(long low, long high) const {
  const std::string expected =
      "expected a whole number from " + std::to_string(low) + " to " + std::to_string(high);
  if (!value_.is_number_integer()) fail(std::string("is ") + value_.type_name() + "; " + expected);
  if (value_.is_number_unsigned() &&
      value_.get<std::uint64_t>() > static_cast<std::uint64_t>(std::numeric_limits<long>::max())) {
    fail("is too large; " + expected);
  }
  const long number = value_.get<long>();
  if (number < low || number > high) fail("is " + std::to_string(number) + "; " + expected);
  return number;
}

double JsonReader::number() const {
  if (value_.is_number()) return value_.get<double>();
  if (value_.is_string()) {
    const std::string word = value_.get<std::string>();
    if (word == "inf") return std::numeric_limits<double>::infinity();
    if (word == "-inf") return -std::numeric_limits<double>::infinity();
    if (word == "nan") return std::numeric_limits<double>::quiet_NaN();
  }
  fail(std::string("is ") + value_.type_name() + "; expected a number, \"inf\" or \"-inf\"");
}

Eigen::VectorXd JsonReader::vector() const {
  Eigen::VectorXd values(static_cast<Index>(size()));
  for (std::size_t i = 0; i < size(); ++i) values[static_cast<Index>(i)] = at(i).number();
  return values;
}

void JsonReader::expect_size(Index expected) const {
  if (static_cast<Index>(size()) != expected) {
    fail("has " + std::to_string(size()) + " entries; expected " + std::to_string(expected));
  }
}

Eigen::VectorXd JsonReader::vector(Index expected) const {
  expect_size(expected);
  return vector();
}

Eigen::MatrixXd JsonReader::matrix(Index rows, Index cols) const {
  if (static_cast<Index>(size()) != rows) {
    fail("has " + std::to_string(size()) + " rows; expected " + std::to_string(rows));
  }
  // All of them before memory is taken: a file of short rows must not ask for a matrix of long
  // ones.
  for (Index i = 0; i < rows; ++i) at(static_cast<std::size_t>(i)).expect_size(cols);
  Eigen::MatrixXd values(rows, cols);
  for (Index i = 0; i < rows; ++i) {
    values.row(i) = at(static_cast<std::size_t>(i)).vector(cols).transpose();
  }
  return values;
}

std::vector<std::string> JsonReader::texts() const {
  std::vector<std::string> values;
  for (std::size_t i = 0; i < size(); ++i) values.push_back(at(i).text());
  return values;
}

json to_json(double value) {
  if (std::isfinite(value)) return value;
  if (std::isnan(value)) return "nan";
  return value > 0 ? "inf" : "-inf";
}

json to_json(const Eigen::Ref<const Eigen::VectorXd>& values) {
  json array = json::array();
  for (double value : values) array.push_back(to_json(value));
  return array;
}

json matrix_to_json(const Eigen::Ref<const Eigen::MatrixXd>& matrix) {
  json rows = json::array();
  for (Index i = 0; i < matrix.rows(); ++i) {
    rows.push_back(to_json(Eigen::VectorXd(matrix.row(i).transpose())));
  }
  return rows;
}

void check_names_are_utf8(const std::vector<std::string>& names) {
  for (std::size_t i = 0; i < names.size(); ++i) {
    try {
      static_cast<void>(json(names[i]).dump());
    } catch (const json::exception&) {
      throw Error(ErrorKind::input,
                  "names: number " + std::to_string(i + 1) + " is not valid UTF-8");
    }
  }
}

}  // namespace epsfree
