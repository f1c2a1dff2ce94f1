// The kinds of a class that have a form in files.
#pragma once

#include <functional>
#include <initializer_list>
#include <string>
#include <typeindex>
#include <utility>
#include <vector>

#include "io/json_reader.hpp"

namespace epsfree {

/// One row per kind, with its `type` and its name `kind`. Writing finds the row by the object's
/// class: a user's class that has taken the name of another kind is not mistaken for it. Reading
/// finds it by the name in the file.
template <class Row>
class KindTable {
 public:
  KindTable(std::initializer_list<Row> rows) : rows_(rows) {}

  /// Null for a class that has no form in files.
  template <class Object>
  const Row* row_of(const Object& object) const {
    for (const Row& row : rows_) {
      if (row.type == std::type_index(typeid(object))) return &row;
    }
    return nullptr;
  }

  /// The row that a file's "kind" names; fails with the names that there are.
  const Row& row_named(const JsonReader& kind) const {
    const std::string name = kind.text();
    for (const Row& row : rows_) {
      if (name == row.kind) return row;
    }
    std::string known;
    for (std::size_t i = 0; i < rows_.size(); ++i) {
      known += (i == 0 ? "'" : i + 1 < rows_.size() ? ", '" : " or '") + (rows_[i].kind + "'");
    }
    kind.fail("is '" + name + "'; expected " + known);
  }

 private:
  std::vector<Row> rows_;
};

/// A function of one class as a function of its base, for the row of that class.
template <class Base, class Kind, class Result>
std::function<Result(const Base&)> of_base(Result (*function)(const Kind&)) {
  return [function](const Base& object) { return function(static_cast<const Kind&>(object)); };
}

}  // namespace epsfree
