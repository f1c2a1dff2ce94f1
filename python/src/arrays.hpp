// NumPy arrays and Eigen matrices. Python has points in rows, the library in columns: an N x D
// array in C order is a D x N matrix in Eigen's order, so neither is copied.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <Eigen/Core>
#include <utility>

namespace epsfree::python {

namespace nb = nanobind;

/// Points in rows, as epsfree/arrays.py prepares them: float64, in C order.
using Rows = nb::ndarray<const double, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
using Values = nb::ndarray<const double, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using NumpyMatrix = nb::ndarray<nb::numpy, double, nb::ndim<2>, nb::c_contig>;
using NumpyVector = nb::ndarray<nb::numpy, double, nb::ndim<1>, nb::c_contig>;

inline Eigen::Map<const Eigen::MatrixXd> columns(const Rows& rows) {
  return {rows.data(), static_cast<Eigen::Index>(rows.shape(1)),
          static_cast<Eigen::Index>(rows.shape(0))};
}
inline Eigen::Map<const Eigen::VectorXd> vector(const Values& values) {
  return {values.data(), static_cast<Eigen::Index>(values.shape(0))};
}

/// One row per column of the matrix, whose memory it takes over.
inline NumpyMatrix rows(Eigen::MatrixXd matrix) {
  auto* owned = new Eigen::MatrixXd(std::move(matrix));
  const nb::capsule owner(owned, [](void* p) noexcept { delete static_cast<Eigen::MatrixXd*>(p); });
  return NumpyMatrix(
      owned->data(),
      {static_cast<std::size_t>(owned->cols()), static_cast<std::size_t>(owned->rows())}, owner);
}
inline NumpyVector array(Eigen::VectorXd values) {
  auto* owned = new Eigen::VectorXd(std::move(values));
  const nb::capsule owner(owned, [](void* p) noexcept { delete static_cast<Eigen::VectorXd*>(p); });
  return NumpyVector(owned->data(), {static_cast<std::size_t>(owned->size())}, owner);
}

}  // namespace epsfree::python
