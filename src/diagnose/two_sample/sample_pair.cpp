#include "diagnose/two_sample/sample_pair.hpp"

#include <cmath>
#include <string>

#include "base/require.hpp"

namespace epsfree {
namespace {

void check(const Eigen::Ref<const Eigen::MatrixXd>& samples, const std::string& which) {
  require(samples.rows() >= 1, "the dimension of the " + which + " samples", samples.rows(),
          "at least 1");
  require(samples.cols() >= 2, "the number of the " + which + " samples", samples.cols(),
          "at least 2");
  if (!samples.allFinite()) {
    throw Error(ErrorKind::input, "the " + which + " samples are not all finite");
  }
}

}  // namespace

SamplePair::SamplePair(const Eigen::Ref<const Eigen::MatrixXd>& first,
                       const Eigen::Ref<const Eigen::MatrixXd>& second, bool standardise)
    : num_first_(first.cols()) {
  check(first, "first");
  check(second, "second");
  require(second.rows() == first.rows(), "the dimension of the second samples", second.rows(),
          "that of the first, " + std::to_string(first.rows()));
  points_.resize(first.rows(), first.cols() + second.cols());
  points_ << first, second;
  if (!standardise) return;
  const Eigen::VectorXd mean = first.rowwise().mean();
  points_.colwise() -= mean;
  Eigen::VectorXd scale =
      (points_.leftCols(num_first_).rowwise().squaredNorm() / static_cast<double>(num_first_ - 1))
          .cwiseSqrt();
  for (double& each : scale) {
    if (each == 0) each = 1;
  }
  points_.array().colwise() /= scale.array();
}

Eigen::VectorXd SamplePair::labels() const {
  Eigen::VectorXd labels = Eigen::VectorXd::Zero(points_.cols());
  labels.tail(num_second()).setOnes();
  return labels;
}

}  // namespace epsfree
