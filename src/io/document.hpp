// A problem file as a tree of values that know where they came from.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace epsfree {

struct Node;
struct NodeEntry;
// Vectors may hold an incomplete type; a std::pair of one may not.
using NodeList = std::vector<Node>;
using NodeTable = std::vector<NodeEntry>;

/// A TOML value this program has no use for: a date or a time.
struct OtherValue {};

/// A value and its place: "problem.toml:12", or "--set method.num_simulations=0".
struct Node {
  std::string where;
  std::variant<OtherValue, bool, std::int64_t, double, std::string, NodeList, NodeTable> value;

  bool is_table() const { return value.index() == 6; }
  bool is_list() const { return value.index() == 5; }
  const NodeTable& entries() const { return std::get<6>(value); }
  NodeTable& entries() { return std::get<6>(value); }
  const NodeList& items() const { return std::get<5>(value); }
  /// The entry of a table, or null.
  const Node* find(std::string_view key) const;
};

struct NodeEntry {
  std::string key;
  Node node;
};

/// "the integer 3", "the string \"many\"", "a table": for messages.
std::string describe(const Node& node);

/// Reads TOML. `source` names it in messages; `with_lines` adds line numbers. Throws
/// ErrorKind::input with source and line where the text is not valid TOML.
Node parse_toml(std::string_view text, const std::string& source, bool with_lines = true);

/// Replaces what `overrides` holds in `base`: tables are merged, everything else is replaced.
void merge(Node& base, Node overrides);

/// Turns the argument of `--set`, "method.num_simulations=500", into a tree to merge. The value is
/// TOML; what is not is taken as a string if it could be one written without quotes. Throws
/// ErrorKind::usage.
Node parse_assignment(const std::string& assignment);

/// A table as TOML under the name `path` ("prior"), sub-tables included, that reads back the same.
std::string table_toml(const Node& table, const std::string& path);

/// Whether there is a line break, an escape or the like: names must not have them.
bool has_control_character(std::string_view text);

/// A string as TOML writes it, quotes included.
std::string toml_quote(std::string_view text);

}  // namespace epsfree
