// Checks on sizes and on subsets of dimensions.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "epsfree/error.hpp"
#include "epsfree/gaussian.hpp"

namespace epsfree {

/// Throws ErrorKind::input unless `actual` equals `expected`.
inline void check_rows(Index actual, Index expected, const char* what) {
  if (actual != expected) {
    throw Error(ErrorKind::input, std::string(what) + " has " + std::to_string(actual) +
                                      " dimensions, expected " + std::to_string(expected));
  }
}

/// Throws ErrorKind::input unless 0 <= index < dim.
inline void check_dimension(Index index, Index dim) {
  if (index < 0 || index >= dim) {
    throw Error(ErrorKind::input, "dimension " + std::to_string(index) +
                                      " is out of range, must be from 0 to " +
                                      std::to_string(dim - 1));
  }
}

/// Throws ErrorKind::input unless 0 <= probability <= 1.
inline void check_probability(double probability) {
  if (!(probability >= 0 && probability <= 1)) {
    throw Error(ErrorKind::input,
                "probability = " + std::to_string(probability) + ", must be from 0 to 1");
  }
}

/// The dimensions that are not in `dims`, in ascending order. Throws ErrorKind::input if one of
/// `dims` is out of range or named twice.
inline std::vector<Index> other_dimensions(std::span<const Index> dims, Index dim) {
  std::vector<bool> named(static_cast<std::size_t>(dim), false);
  for (const Index index : dims) {
    check_dimension(index, dim);
    if (named[static_cast<std::size_t>(index)]) {
      throw Error(ErrorKind::input, "dimension " + std::to_string(index) + " is named twice");
    }
    named[static_cast<std::size_t>(index)] = true;
  }
  std::vector<Index> others;
  for (Index i = 0; i < dim; ++i) {
    if (!named[static_cast<std::size_t>(i)]) others.push_back(i);
  }
  return others;
}

/// Throws ErrorKind::input if there is none.
inline void check_some(std::span<const Index> dims, const char* what) {
  if (dims.empty()) {
    throw Error(ErrorKind::input, std::string(what) + ": expected at least one parameter");
  }
}

/// The dimensions that are left when those of `dims` are given values. Throws ErrorKind::input
/// unless there is one value for each, at least one, and something is left.
inline std::vector<Index> left_by_condition(std::span<const Index> dims, Index num_values,
                                            Index dim) {
  check_some(dims, "conditional");
  check_rows(num_values, static_cast<Index>(dims.size()), "conditional: the values");
  std::vector<Index> others = other_dimensions(dims, dim);
  if (others.empty()) {
    throw Error(ErrorKind::input, "conditional: every parameter is given, none is left");
  }
  return others;
}

}  // namespace epsfree
