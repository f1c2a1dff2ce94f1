#include "io/reference_file.hpp"

#include <algorithm>
#include <filesystem>

#include "base/file.hpp"
#include "epsfree/error.hpp"
#include "io/csv.hpp"

namespace epsfree {

std::string reference_name(const std::string& model_name) {
  std::string name = model_name;
  std::replace(name.begin(), name.end(), '-', '_');
  return name + "_posterior.csv";
}

std::string reference_file(const std::string& path, const std::string& model_name) {
  std::error_code ignored;
  if (!std::filesystem::is_directory(path, ignored)) return path;
  const std::filesystem::path file = std::filesystem::path(path) / reference_name(model_name);
  return std::filesystem::exists(file, ignored) ? file.string() : "";
}

Eigen::MatrixXd read_reference(const std::string& file, const std::vector<std::string>& names,
                               const std::string& model_name) {
  Eigen::MatrixXd points =
      match_columns(parse_csv(read_file(file), file), names, file, "parameters");
  if (points.cols() < 2 || !points.allFinite()) {
    throw Error(ErrorKind::input, file +
                                      ": expected at least two lines of finite numbers, samples of "
                                      "the posterior of " +
                                      model_name);
  }
  return points;
}

}  // namespace epsfree
