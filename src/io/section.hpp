// Reading one table of a problem file: every key is asked for by name and type, and what nobody
// asked for is an error.
#pragma once

#include <Eigen/Core>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "io/document.hpp"

namespace epsfree {

/// A view of a table; an absent table reads as an empty one. The document outlives it. Every
/// message has the form "problem.toml:12: key 'method.network.hidden_units': expected ..., got
/// ...", with ErrorKind::input.
class Section {
 public:
  /// The top of a document.
  explicit Section(const Node& root);

  /// Whether the table itself is there.
  bool present() const { return node_ != nullptr; }
  bool has(const std::string& key) const;
  /// All that are there, for tables whose keys are the user's own.
  std::vector<std::string> keys() const;

  std::optional<std::string> text(const std::string& key);
  std::optional<bool> flag(const std::string& key);
  std::optional<std::int64_t> integer(const std::string& key, std::int64_t low, std::int64_t high);
  /// Never NaN; infinite only if asked for.
  std::optional<double> number(const std::string& key, bool may_be_infinite = false);
  std::optional<Eigen::VectorXd> vector(const std::string& key);
  /// An array of rows of one length.
  std::optional<Eigen::MatrixXd> matrix(const std::string& key);
  std::optional<std::vector<std::int64_t>> integers(const std::string& key, std::int64_t low,
                                                    std::int64_t high);
  std::optional<std::vector<std::string>> texts(const std::string& key);
  /// The position of the string among `choices`; another is refused with the nearest.
  std::optional<std::size_t> choice(const std::string& key,
                                    const std::vector<std::string>& choices);
  Section section(const std::string& key);
  /// An array of tables.
  std::vector<Section> sections(const std::string& key);

  /// Throws for the first key that is not one of these, nor was asked for. To be called before a
  /// key is missed: a key that is misspelt is also one that is missing, and the first is the news.
  void expect_only(const std::vector<std::string>& keys);
  /// Those that were never asked for.
  std::vector<std::string> unknown_keys() const;
  /// Throws for the first key that was never asked for.
  void finish() const;

  /// "problem.toml:12" of a key, or of the table if the key is absent.
  std::string where(const std::string& key) const;
  /// "method.training.batch_size"
  std::string full_key(const std::string& key) const;
  /// Throws "WHERE: key 'KEY': message".
  [[noreturn]] void fail(const std::string& key, const std::string& message) const;
  /// About the table itself.
  [[noreturn]] void fail(const std::string& message) const;
  [[noreturn]] void fail_missing(const std::string& key, const std::string& expected) const;

 private:
  Section(const Node* node, std::string path, std::string place);
  const Node* ask(const std::string& key);
  [[noreturn]] void fail_type(const std::string& key, const Node& node,
                              const std::string& expected) const;
  double element(const std::string& key, const Node& node) const;

  const Node* node_;
  std::string path_;   // dotted
  std::string place_;  // where the table, or the one that should hold it, stands
  std::shared_ptr<std::vector<std::string>> known_;
};

/// Rethrows an Error of the library with the place and the key of the file that caused it.
[[noreturn]] void fail_at(const std::string& where, const std::string& full_key,
                          const std::string& message);

}  // namespace epsfree
