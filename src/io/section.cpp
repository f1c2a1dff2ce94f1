#include "io/section.hpp"

#include <algorithm>
#include <cmath>

#include "base/nearest.hpp"
#include "base/words.hpp"
#include "epsfree/error.hpp"
#include "io/number_text.hpp"

namespace epsfree {

void fail_at(const std::string& where, const std::string& full_key, const std::string& message) {
  throw Error(ErrorKind::input, where + ": key '" + full_key + "': " + message);
}

Section::Section(const Node& root) : Section(&root, "", root.where) {}

Section::Section(const Node* node, std::string path, std::string place)
    : node_(node),
      path_(std::move(path)),
      place_(std::move(place)),
      known_(std::make_shared<std::vector<std::string>>()) {}

bool Section::has(const std::string& key) const {
  return node_ != nullptr && node_->find(key) != nullptr;
}

std::vector<std::string> Section::keys() const {
  std::vector<std::string> names;
  if (node_ == nullptr) return names;
  for (const auto& [key, node] : node_->entries()) names.push_back(key);
  return names;
}

const Node* Section::ask(const std::string& key) {
  if (std::find(known_->begin(), known_->end(), key) == known_->end()) known_->push_back(key);
  return node_ == nullptr ? nullptr : node_->find(key);
}

std::string Section::where(const std::string& key) const {
  const Node* node = node_ == nullptr ? nullptr : node_->find(key);
  return node == nullptr ? place_ : node->where;
}

std::string Section::full_key(const std::string& key) const {
  return path_.empty() ? key : path_ + "." + key;
}

void Section::fail(const std::string& key, const std::string& message) const {
  fail_at(where(key), full_key(key), message);
}

void Section::fail(const std::string& message) const { fail_at(place_, path_, message); }

void Section::fail_missing(const std::string& key, const std::string& expected) const {
  fail(key, "missing; expected " + expected);
}

void Section::fail_type(const std::string& key, const Node& node,
                        const std::string& expected) const {
  fail_at(node.where, full_key(key), "expected " + expected + ", got " + describe(node));
}

std::optional<std::string> Section::text(const std::string& key) {
  const Node* node = ask(key);
  if (node == nullptr) return std::nullopt;
  if (const auto* value = std::get_if<std::string>(&node->value)) return *value;
  fail_type(key, *node, "a string");
}

std::optional<bool> Section::flag(const std::string& key) {
  const Node* node = ask(key);
  if (node == nullptr) return std::nullopt;
  if (const auto* value = std::get_if<bool>(&node->value)) return *value;
  fail_type(key, *node, "true or false");
}

std::optional<std::int64_t> Section::integer(const std::string& key, std::int64_t low,
                                             std::int64_t high) {
  const Node* node = ask(key);
  if (node == nullptr) return std::nullopt;
  const auto* value = std::get_if<std::int64_t>(&node->value);
  if (value == nullptr) fail_type(key, *node, "an integer");
  if (*value < low || *value > high) {
    fail_type(key, *node, "an integer from " + std::to_string(low) + " to " + std::to_string(high));
  }
  return *value;
}

double Section::element(const std::string& key, const Node& node) const {
  if (const auto* integer = std::get_if<std::int64_t>(&node.value)) {
    return static_cast<double>(*integer);
  }
  if (const auto* number = std::get_if<double>(&node.value)) return *number;
  fail_type(key, node, "a number");
}

std::optional<double> Section::number(const std::string& key, bool may_be_infinite) {
  const Node* node = ask(key);
  if (node == nullptr) return std::nullopt;
  const double value = element(key, *node);
  if (std::isnan(value) || (std::isinf(value) && !may_be_infinite)) {
    fail_type(key, *node, may_be_infinite ? "a number, not nan" : "a finite number");
  }
  return value;
}

std::optional<Eigen::VectorXd> Section::vector(const std::string& key) {
  const Node* node = ask(key);
  if (node == nullptr) return std::nullopt;
  if (!node->is_list()) fail_type(key, *node, "an array of numbers");
  const NodeList& items = node->items();
  Eigen::VectorXd values(static_cast<Eigen::Index>(items.size()));
  for (std::size_t i = 0; i < items.size(); ++i) {
    const double value = element(key, items[i]);
    if (!std::isfinite(value)) {
      fail_at(items[i].where, full_key(key),
              "entry " + std::to_string(i + 1) + " is " + number_text(value) +
                  ", expected a finite number");
    }
    values[static_cast<Eigen::Index>(i)] = value;
  }
  return values;
}

std::optional<Eigen::MatrixXd> Section::matrix(const std::string& key) {
  const Node* node = ask(key);
  if (node == nullptr) return std::nullopt;
  if (!node->is_list() || node->items().empty()) fail_type(key, *node, "an array of rows");
  const NodeList& rows = node->items();
  // All rows before memory is taken: short ones must not ask for a matrix of long ones.
  for (std::size_t r = 0; r < rows.size(); ++r) {
    if (!rows[r].is_list())
      fail_type(key, rows[r], "an array of numbers in row " + std::to_string(r + 1));
    const std::size_t count = rows[r].items().size(), expected = rows[0].items().size();
    if (count != expected) {
      fail_at(rows[r].where, full_key(key),
              "row " + std::to_string(r + 1) + " has " + std::to_string(count) +
                  " numbers, expected " + std::to_string(expected) + " as in row 1");
    }
  }
  Eigen::MatrixXd values(static_cast<Eigen::Index>(rows.size()),
                         static_cast<Eigen::Index>(rows[0].items().size()));
  for (std::size_t r = 0; r < rows.size(); ++r) {
    const NodeList& items = rows[r].items();
    for (std::size_t c = 0; c < items.size(); ++c) {
      const double value = element(key, items[c]);
      if (!std::isfinite(value)) fail_type(key, items[c], "a finite number");
      values(static_cast<Eigen::Index>(r), static_cast<Eigen::Index>(c)) = value;
    }
  }
  return values;
}

std::optional<std::vector<std::int64_t>> Section::integers(const std::string& key, std::int64_t low,
                                                           std::int64_t high) {
  const Node* node = ask(key);
  if (node == nullptr) return std::nullopt;
  if (!node->is_list()) fail_type(key, *node, "an array of integers");
  std::vector<std::int64_t> values;
  for (const Node& item : node->items()) {
    const auto* value = std::get_if<std::int64_t>(&item.value);
    if (value == nullptr || *value < low || *value > high) {
      fail_type(key, item, "integers from " + std::to_string(low) + " to " + std::to_string(high));
    }
    values.push_back(*value);
  }
  return values;
}

std::optional<std::vector<std::string>> Section::texts(const std::string& key) {
  const Node* node = ask(key);
  if (node == nullptr) return std::nullopt;
  if (!node->is_list()) fail_type(key, *node, "an array of strings");
  std::vector<std::string> values;
  for (const Node& item : node->items()) {
    const auto* value = std::get_if<std::string>(&item.value);
    if (value == nullptr) fail_type(key, item, "an array of strings");
    values.push_back(*value);
  }
  return values;
}

std::optional<std::size_t> Section::choice(const std::string& key,
                                           const std::vector<std::string>& choices) {
  const std::optional<std::string> value = text(key);
  if (!value) return std::nullopt;
  const auto found = std::find(choices.begin(), choices.end(), *value);
  if (found != choices.end()) return static_cast<std::size_t>(found - choices.begin());
  std::string list;
  for (const std::string& name : choices) list += (list.empty() ? "\"" : ", \"") + name + "\"";
  const std::string near = nearest(*value, choices);
  fail(key, "got " + toml_quote(*value) + ", expected one of " + list +
                (near.empty() ? "" : " (did you mean \"" + near + "\"?)"));
}

Section Section::section(const std::string& key) {
  const Node* node = ask(key);
  if (node != nullptr && !node->is_table()) fail_type(key, *node, "a table");
  return Section(node, full_key(key), node == nullptr ? place_ : node->where);
}

std::vector<Section> Section::sections(const std::string& key) {
  const Node* node = ask(key);
  std::vector<Section> list;
  if (node == nullptr) return list;
  if (!node->is_list()) fail_type(key, *node, "an array of tables ([[" + full_key(key) + "]])");
  for (const Node& item : node->items()) {
    if (!item.is_table()) fail_type(key, item, "a table");
    list.push_back(
        Section(&item, full_key(key) + "[" + std::to_string(list.size() + 1) + "]", item.where));
  }
  return list;
}

void Section::expect_only(const std::vector<std::string>& keys) {
  for (const std::string& key : keys) ask(key);
  finish();
}

std::vector<std::string> Section::unknown_keys() const {
  std::vector<std::string> unknown;
  if (node_ == nullptr) return unknown;
  for (const auto& [key, node] : node_->entries()) {
    if (std::find(known_->begin(), known_->end(), key) == known_->end()) unknown.push_back(key);
  }
  return unknown;
}

void Section::finish() const {
  for (const std::string& key : unknown_keys()) {
    const std::string near = nearest(key, *known_);
    const std::string hint =
        near.empty() ? " (known here: " + joined(*known_) + ")" : " (did you mean '" + near + "'?)";
    fail(key, "unknown key" + hint);
  }
}

}  // namespace epsfree
