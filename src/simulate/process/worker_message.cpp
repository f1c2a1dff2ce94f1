#include "simulate/process/worker_message.hpp"

#include <charconv>
#include <cmath>

#include "simulate/process/statistics_text.hpp"

namespace epsfree {
namespace {

constexpr int kMaxDepth = 32;

void append_utf8(std::string& text, unsigned code) {
  if (code < 0x80) {
    text += static_cast<char>(code);
  } else if (code < 0x800) {
    text += static_cast<char>(0xc0 | (code >> 6));
    text += static_cast<char>(0x80 | (code & 0x3f));
  } else {
    text += static_cast<char>(0xe0 | (code >> 12));
    text += static_cast<char>(0x80 | ((code >> 6) & 0x3f));
    text += static_cast<char>(0x80 | (code & 0x3f));
  }
}

/// Takes JSON from the front of a text. Each function answers whether it found what it looks for.
class Scanner {
 public:
  explicit Scanner(std::string_view text) : text_(text) {}

  bool take(char c) {
    skip_blanks();
    if (text_.empty() || text_.front() != c) return false;
    text_.remove_prefix(1);
    return true;
  }
  char front() {
    skip_blanks();
    return text_.empty() ? '\0' : text_.front();
  }
  bool at_end() {
    skip_blanks();
    return text_.empty();
  }

  bool number(double& value) {
    skip_blanks();
    return take_number(text_, value);
  }

  bool string(std::string& value) {
    value.clear();
    if (!take('"')) return false;
    while (!text_.empty()) {
      const char c = text_.front();
      text_.remove_prefix(1);
      if (c == '"') return true;
      if (c != '\\') {
        value += c;
      } else if (!escape(value)) {
        return false;
      }
    }
    return false;
  }

  bool word(std::string_view expected) {
    skip_blanks();
    if (text_.substr(0, expected.size()) != expected) return false;
    text_.remove_prefix(expected.size());
    return true;
  }

  bool numbers(std::vector<double>& values) {
    values.clear();
    if (!take('[')) return false;
    if (take(']')) return true;
    do {
      double value = 0;
      if (!number(value)) return false;
      values.push_back(value);
    } while (take(','));
    return take(']');
  }

  /// Any value.
  bool skip(int depth = 0) {
    if (depth > kMaxDepth) return false;
    std::string ignored;
    double value = 0;
    switch (front()) {
      case '"':
        return string(ignored);
      case '[':
        take('[');
        if (take(']')) return true;
        do {
          if (!skip(depth + 1)) return false;
        } while (take(','));
        return take(']');
      case '{':
        take('{');
        if (take('}')) return true;
        do {
          if (!string(ignored) || !take(':') || !skip(depth + 1)) return false;
        } while (take(','));
        return take('}');
      default:
        return word("true") || word("false") || number(value);
    }
  }

 private:
  void skip_blanks() {
    while (!text_.empty() && (text_.front() == ' ' || text_.front() == '\t' ||
                              text_.front() == '\r' || text_.front() == '\n')) {
      text_.remove_prefix(1);
    }
  }

  bool escape(std::string& value) {
    if (text_.empty()) return false;
    const char c = text_.front();
    text_.remove_prefix(1);
    constexpr std::string_view kLetters = "\"\\/bfnrt";
    constexpr std::string_view kMeanings = "\"\\/\b\f\n\r\t";
    const std::size_t known = kLetters.find(c);
    if (known != kLetters.npos) {
      value += kMeanings[known];
      return true;
    }
    unsigned code = 0;
    if (c != 'u' || text_.size() < 4) return false;
    const auto [end, error] = std::from_chars(text_.data(), text_.data() + 4, code, 16);
    if (error != std::errc() || end != text_.data() + 4) return false;
    text_.remove_prefix(4);
    append_utf8(value, code);
    return true;
  }

  std::string_view text_;
};

/// A whole number, also as a string.
bool whole(Scanner& scanner, std::optional<std::int64_t>& result) {
  double value = 0;
  if (scanner.front() == '"') {
    std::string text;
    if (!scanner.string(text)) return false;
    std::string_view rest = text;
    if (!take_number(rest, value) || !rest.empty()) return false;
  } else if (!scanner.number(value)) {
    return false;
  }
  // null: as if it were not there.
  if (std::isnan(value)) return true;
  if (value != std::floor(value) || std::abs(value) > 0x1p53) return false;
  result = static_cast<std::int64_t>(value);
  return true;
}

/// A reason; true means that there is none, false and null that it does not hold.
bool reason(Scanner& scanner, std::optional<std::string>& result) {
  if (scanner.word("null") || scanner.word("false")) return true;
  result.emplace();
  return scanner.word("true") || scanner.string(*result);
}

}  // namespace

void append_request(std::string& text, std::int64_t id, std::uint64_t seed,
                    const Eigen::Ref<const Eigen::VectorXd>& theta) {
  char buffer[64];
  const auto append = [&](auto value) {
    text.append(buffer, std::to_chars(buffer, buffer + sizeof(buffer), value).ptr);
  };
  text += "{\"id\":";
  append(id);
  text += ",\"seed\":\"";
  append(seed);
  text += "\",\"theta\":[";
  for (Eigen::Index i = 0; i < theta.size(); ++i) {
    if (i > 0) text += ',';
    append(theta[i]);
  }
  text += "]}\n";
}

bool WorkerLine::read(std::string_view line) {
  protocol = num_parameters = num_statistics = batch = id = {};
  has_x = false;
  invalid.reset();
  error.reset();
  Scanner scanner(line);
  std::string key;
  if (!scanner.take('{')) return false;
  if (scanner.take('}')) return scanner.at_end();
  do {
    if (!scanner.string(key) || !scanner.take(':')) return false;
    bool good = false;
    if (key == "id") {
      good = whole(scanner, id);
    } else if (key == "x") {
      // null: nothing came of it.
      has_x = scanner.front() == '[';
      good = has_x ? scanner.numbers(x) : scanner.word("null");
    } else if (key == "invalid") {
      good = reason(scanner, invalid);
    } else if (key == "error") {
      good = reason(scanner, error);
    } else if (key == "epsfree_worker") {
      good = whole(scanner, protocol);
    } else if (key == "num_parameters") {
      good = whole(scanner, num_parameters);
    } else if (key == "num_statistics") {
      good = whole(scanner, num_statistics);
    } else if (key == "batch") {
      good = whole(scanner, batch);
    } else {
      good = scanner.skip();
    }
    if (!good) return false;
  } while (scanner.take(','));
  return scanner.take('}') && scanner.at_end();
}

}  // namespace epsfree
