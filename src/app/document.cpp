#include "app/document.hpp"

#define TOML_ENABLE_FORMATTERS 0
#define TOML_ENABLE_WINDOWS_COMPAT 0
#include <toml++/toml.h>

#include <algorithm>
#include <cctype>

#include "app/number_text.hpp"
#include "epsfree/error.hpp"

namespace epsfree {
namespace {

class Converter {
 public:
  Converter(const std::string& source, bool with_lines)
      : source_(source), with_lines_(with_lines) {}

  std::string where(const toml::source_region& region) const {
    if (!with_lines_ || region.begin.line == 0) return source_;
    return source_ + ":" + std::to_string(region.begin.line);
  }

  Node convert(const toml::node& from, std::string place) const {
    Node node{std::move(place), OtherValue{}};
    if (const auto* table = from.as_table()) {
      NodeTable entries;
      // Keys are where a reader looks; toml++ iterates in alphabetical order.
      for (const auto& [key, value] : *table) {
        entries.push_back({std::string(key.str()), convert(value, where(key.source()))});
      }
      node.value = std::move(entries);
    } else if (const auto* array = from.as_array()) {
      NodeList items;
      for (const auto& item : *array) items.push_back(convert(item, where(item.source())));
      node.value = std::move(items);
    } else if (const auto* flag = from.as_boolean()) {
      node.value = flag->get();
    } else if (const auto* integer = from.as_integer()) {
      node.value = integer->get();
    } else if (const auto* number = from.as_floating_point()) {
      node.value = number->get();
    } else if (const auto* text = from.as_string()) {
      node.value = text->get();
    }
    return node;
  }

 private:
  const std::string& source_;
  bool with_lines_;
};

// toml++ bounds nested values but not dotted keys, and frees tables recursively: a key of a million
// parts would exhaust the stack. No problem file needs more than a few.
void check_depth(std::string_view text, const std::string& source) {
  constexpr int kMostDots = 100;
  int dots = 0;
  long line = 1;
  char quote = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '\n') {
      ++line;
      dots = 0;
      quote = 0;
    } else if (quote != 0) {
      if (c == '\\' && quote == '"') ++i;
      if (c == quote) quote = 0;
    } else if (c == '"' || c == '\'') {
      quote = c;
    } else if (c == ',' || c == '=' || c == '#') {
      dots = 0;
    } else if (c == '.' && ++dots > kMostDots) {
      throw Error(ErrorKind::input, source + ":" + std::to_string(line) +
                                        ": not valid TOML: a key has more than " +
                                        std::to_string(kMostDots) + " parts");
    }
  }
}

bool is_dotted_key(std::string_view key) {
  if (key.empty() || key.front() == '.' || key.back() == '.') return false;
  if (key.find("..") != std::string_view::npos) return false;
  return std::all_of(key.begin(), key.end(), [](unsigned char c) {
    return std::isalnum(c) || c == '_' || c == '-' || c == '.';
  });
}

bool is_list_of_tables(const Node& node) {
  return node.is_list() && !node.items().empty() &&
         std::all_of(node.items().begin(), node.items().end(),
                     [](const Node& item) { return item.is_table(); });
}

std::string value_toml(const Node& node) {
  struct Write {
    std::string operator()(OtherValue) const {
      throw Error(ErrorKind::internal, "a date cannot be written");
    }
    std::string operator()(bool flag) const { return flag ? "true" : "false"; }
    std::string operator()(std::int64_t value) const { return std::to_string(value); }
    std::string operator()(double value) const { return toml_number(value); }
    std::string operator()(const std::string& text) const { return toml_quote(text); }
    std::string operator()(const NodeList& items) const {
      std::string list;
      for (const Node& item : items) list += (list.empty() ? "" : ", ") + value_toml(item);
      return "[" + list + "]";
    }
    std::string operator()(const NodeTable& entries) const {
      std::string list;
      for (const auto& [key, node] : entries) {
        list += (list.empty() ? "" : ", ") + toml_quote(key) + " = " + value_toml(node);
      }
      return "{" + list + "}";
    }
  };
  return std::visit(Write{}, node.value);
}

// A key that needs no quotes gets none.
std::string key_toml(const std::string& key) {
  return is_dotted_key(key) && key.find('.') == std::string::npos ? key : toml_quote(key);
}

void write_table(const Node& table, const std::string& path, std::string& text) {
  for (const auto& [key, node] : table.entries()) {
    if (node.is_table() || is_list_of_tables(node)) continue;
    text += key_toml(key) + " = " + value_toml(node) + "\n";
  }
  for (const auto& [key, node] : table.entries()) {
    const std::string inner = path + "." + key_toml(key);
    if (node.is_table()) {
      text += "\n[" + inner + "]\n";
      write_table(node, inner, text);
    } else if (is_list_of_tables(node)) {
      for (const Node& item : node.items()) {
        text += "\n[[" + inner + "]]\n";
        write_table(item, inner, text);
      }
    }
  }
}

}  // namespace

std::string table_toml(const Node& table, const std::string& path) {
  std::string text = "[" + path + "]\n";
  write_table(table, path, text);
  return text;
}

const Node* Node::find(std::string_view key) const {
  for (const auto& [name, node] : entries()) {
    if (name == key) return &node;
  }
  return nullptr;
}

std::string describe(const Node& node) {
  struct Describe {
    std::string operator()(OtherValue) const { return "a date or time"; }
    std::string operator()(bool flag) const { return flag ? "true" : "false"; }
    std::string operator()(std::int64_t value) const {
      return "the integer " + std::to_string(value);
    }
    std::string operator()(double value) const { return "the number " + number_text(value); }
    std::string operator()(const std::string& text) const {
      return "the string " + toml_quote(text.size() > 60 ? text.substr(0, 57) + "..." : text);
    }
    std::string operator()(const NodeList& items) const {
      return "an array of " + std::to_string(items.size());
    }
    std::string operator()(const NodeTable&) const { return "a table"; }
  };
  return std::visit(Describe{}, node.value);
}

Node parse_toml(std::string_view text, const std::string& source, bool with_lines) {
  const Converter converter(source, with_lines);
  check_depth(text, source);
  try {
    const toml::table table = toml::parse(text);
    return converter.convert(table, source);
  } catch (const toml::parse_error& error) {
    throw Error(ErrorKind::input, converter.where(error.source()) +
                                      ": not valid TOML: " + std::string(error.description()));
  }
}

void merge(Node& base, Node overrides) {
  if (!base.is_table() || !overrides.is_table()) {
    base = std::move(overrides);
    return;
  }
  for (NodeEntry& override_entry : overrides.entries()) {
    NodeTable& entries = base.entries();
    const auto found = std::find_if(entries.begin(), entries.end(), [&](const NodeEntry& entry) {
      return entry.key == override_entry.key;
    });
    if (found == entries.end()) {
      entries.push_back(std::move(override_entry));
    } else {
      merge(found->node, std::move(override_entry.node));
    }
  }
}

Node parse_assignment(const std::string& assignment) {
  const std::string source = "--set " + assignment;
  const std::size_t equals = assignment.find('=');
  const std::string key = assignment.substr(0, equals);
  if (equals == std::string::npos || !is_dotted_key(key)) {
    throw Error(ErrorKind::usage,
                source + ": expected key=value, for example method.num_simulations=500");
  }
  const std::string value = assignment.substr(equals + 1);
  // One line only: a line break would smuggle in a second key.
  if (value.empty() || value.find_first_of("\r\n") != std::string::npos) {
    throw Error(ErrorKind::usage, source + ": expected a value after '='");
  }
  try {
    return parse_toml(key + " = " + value, source, false);
  } catch (const Error& error) {
    if (value.find_first_of("\"'[]{}#") != std::string::npos) {
      throw Error(ErrorKind::usage, error.what());
    }
    return parse_toml(key + " = " + toml_quote(value), source, false);
  }
}

bool has_control_character(std::string_view text) {
  return std::any_of(text.begin(), text.end(),
                     [](unsigned char c) { return c < 0x20 || c == 0x7f; });
}

std::string toml_quote(std::string_view text) {
  static constexpr char kHex[] = "0123456789ABCDEF";
  std::string quoted = "\"";
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') {
      quoted += '\\';
      quoted += c;
    } else if (byte < 0x20 || byte == 0x7f) {
      quoted += "\\u00";
      quoted += kHex[byte >> 4];
      quoted += kHex[byte & 15];
    } else {
      quoted += c;
    }
  }
  return quoted + "\"";
}

}  // namespace epsfree
