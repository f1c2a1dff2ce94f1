// Reading JSON result files with messages that say where a fault is.
#pragma once

#include <Eigen/Core>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "epsfree/error.hpp"
#include "epsfree/gaussian.hpp"

namespace epsfree {

/// A value in a JSON file, with the path that leads to it. Every access that does not fit throws
/// ErrorKind::input with file, path and what was expected.
class JsonReader {
 public:
  /// Parses a document and checks its "format" and "version" (1 .. newest_version).
  static nlohmann::json parse(const std::string& text, const std::string& file,
                              const std::string& format, int newest_version);

  JsonReader(const nlohmann::json& value, std::string file, std::string path = "")
      : value_(value), file_(std::move(file)), path_(std::move(path)) {}

  bool has(const std::string& key) const { return value_.is_object() && value_.contains(key); }
  bool is_null() const { return value_.is_null(); }
  JsonReader at(const std::string& key) const;
  JsonReader at(std::size_t index) const;
  std::size_t size() const;  ///< of an array

  std::string text() const;
  bool boolean() const;
  long integer(long low, long high) const;
  /// A number, or "inf", "-inf", "nan" as a string.
  double number() const;
  /// Fails unless it is an array with this number of entries.
  void expect_size(Index expected) const;
  Eigen::VectorXd vector() const;
  Eigen::VectorXd vector(Index size) const;
  /// An array of rows, all of `cols` numbers.
  Eigen::MatrixXd matrix(Index rows, Index cols) const;
  std::vector<std::string> texts() const;

  [[noreturn]] void fail(const std::string& message) const;

 private:
  const nlohmann::json& value_;
  std::string file_;
  std::string path_;
};

/// Calls read(); an error of its parts' constructors, which do not know the file, gets its name.
template <class Read>
auto with_file_name(const std::string& file, const Read& read) {
  try {
    return read();
  } catch (const Error& error) {
    if (std::string(error.what()).rfind(file, 0) == 0) throw;
    throw Error(ErrorKind::input, file + ": " + error.what());
  }
}

/// Finite numbers as numbers, which round-trip exactly; the others as strings, for which JSON has
/// no number.
nlohmann::json to_json(double value);
nlohmann::json to_json(const Eigen::Ref<const Eigen::VectorXd>& values);
/// Throws ErrorKind::input with the number of the first name that is not UTF-8, which JSON cannot
/// hold.
void check_names_are_utf8(const std::vector<std::string>& names);
/// An array of rows.
nlohmann::json matrix_to_json(const Eigen::Ref<const Eigen::MatrixXd>& matrix);

}  // namespace epsfree
