// Samples of true posteriors, to measure answers against.
#pragma once

#include <Eigen/Core>
#include <string>
#include <vector>

namespace epsfree {

/// "lotka_volterra_posterior.csv".
std::string reference_name(const std::string& model_name);
/// The file that holds a model's samples: `path` itself, or the one within a directory; empty if
/// the directory has none.
std::string reference_file(const std::string& path, const std::string& model_name);
/// One column per sample, in the order of the names. Throws ErrorKind::input unless there are at
/// least two, all finite.
Eigen::MatrixXd read_reference(const std::string& file, const std::vector<std::string>& names,
                               const std::string& model_name);

}  // namespace epsfree
