#include "problem/method_file.hpp"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <map>
#include <utility>
#include <vector>

#include "base/words.hpp"
#include "epsfree/error.hpp"
#include "infer/mdn/mdn_options.hpp"
#include "infer/methods.hpp"
#include "io/number_text.hpp"
#include "problem/version_01.hpp"

namespace epsfree {
namespace {

class OptionReader final : public OptionVisitor {
 public:
  explicit OptionReader(Section& method) { groups_.emplace("", method); }

  void group(const std::string& path, const std::string&) override {
    if (!groups_.contains(path)) {
      const std::size_t dot = path.rfind('.');
      Section& parent = groups_.at(dot == std::string::npos ? "" : path.substr(0, dot));
      groups_.emplace(path, parent.section(dot == std::string::npos ? path : path.substr(dot + 1)));
    }
    current_ = &groups_.at(path);
  }

  void option(const Option& option) override {
    std::visit([&](const auto& place) { read(option.name, place); }, option.place);
  }

  /// A key that is no option of this method is an error, which names the methods that have it. With
  /// `is_renamed` they are left alone.
  void finish(const std::string& method, bool is_renamed) const {
    for (const auto& [path, section] : groups_) {
      for (const std::string& key : section.unknown_keys()) {
        const auto others = methods_with_option(path.empty() ? key : path + "." + key);
        if (others.empty()) section.finish();  // says what is known here
        if (is_renamed) continue;
        section.fail(key, std::string("is not for the method \"") + method + "\"; " +
                              (others.size() == 1 ? "only the method \"" : "the methods \"") +
                              joined(others, "\", \"") +
                              (others.size() == 1 ? "\" has it" : "\" have it"));
      }
    }
  }

  // The library names an option by its path ("rounds.training.batch_size is 0; ..."); here it gets
  // the place in the file as well.
  [[noreturn]] void rethrow(const Error& error) const {
    const std::string message = error.what();
    const std::string path = message.substr(0, message.find(' '));
    const std::size_t dot = path.rfind('.');
    const auto group = groups_.find(dot == std::string::npos ? "" : path.substr(0, dot));
    if (group == groups_.end()) groups_.at("").fail(message);
    const std::string key = dot == std::string::npos ? path : path.substr(dot + 1);
    std::string reason = message.substr(dot == std::string::npos ? 0 : dot + 1);
    for (const TooLarge& each : too_large_) {
      const std::string clamped = std::to_string(each.clamped);
      if (each.section != &group->second || each.name != key) continue;
      reason.replace(reason.find(clamped), clamped.size(), std::to_string(each.given));
    }
    // The whole list stands in one place: that of "hidden_units" is that of "hidden_units[1]".
    fail_at(group->second.where(key.substr(0, key.find('['))), group->second.full_key(key), reason);
  }

  // What no option can hold is refused even where the method does not use it.
  void check_sizes() const {
    for (const TooLarge& each : too_large_) {
      each.section->fail(each.name,
                         "is " + std::to_string(each.given) + ", which no option can hold");
    }
  }

 private:
  // A value that its field cannot hold. The library knows the range of the option; it is asked with
  // the nearest value that fits, and the message gets the one that was given.
  struct TooLarge {
    const Section* section;
    std::string name;
    std::int64_t clamped;
    std::int64_t given;
  };

  void read(const std::string& name, bool* field) {
    if (const auto value = current_->flag(name)) *field = *value;
  }
  void read(const std::string& name, double* field) {
    if (const auto value = current_->number(name)) *field = *value;
  }
  void read(const std::string& name, int* field) { read_whole(name, *field); }
  void read(const std::string& name, long* field) { read_whole(name, *field); }
  void read(const std::string& name, std::vector<int>* field) {
    if (const auto values = current_->integers(name, 1, 10000)) {
      field->clear();
      for (const std::int64_t value : *values) field->push_back(static_cast<int>(value));
    }
  }
  void read(const std::string& name, std::vector<long>* field) {
    constexpr std::int64_t kHighest = std::numeric_limits<long>::max();
    if (const auto values = current_->integers(name, 1, kHighest)) {
      field->assign(values->begin(), values->end());
    }
  }
  void read(const std::string& name, const OptionChoice& choice) {
    if (const auto value = current_->choice(name, choice.names)) choice.set(*value);
  }

  template <class Whole>
  void read_whole(const std::string& name, Whole& field) {
    constexpr std::int64_t kLowest = std::numeric_limits<std::int64_t>::min();
    constexpr std::int64_t kHighest = std::numeric_limits<std::int64_t>::max();
    const auto value = current_->integer(name, kLowest, kHighest);
    if (!value) return;
    field = static_cast<Whole>(std::clamp(*value, std::int64_t{std::numeric_limits<Whole>::min()},
                                          std::int64_t{std::numeric_limits<Whole>::max()}));
    if (field != *value) too_large_.push_back({current_, name, field, *value});
  }

  std::map<std::string, Section> groups_;
  Section* current_ = nullptr;
  std::vector<TooLarge> too_large_;
};

class OptionWriter final : public OptionVisitor {
 public:
  explicit OptionWriter(bool comments) : comments_(comments) {}

  void group(const std::string& path, const std::string& help) override {
    if (path.empty()) return;  // below method.name
    flush();
    text_ += "\n[method." + path + "]" + (comments_ ? "  # " + help : "") + "\n";
  }
  void option(const Option& option) override {
    line(option.name, option_text(option.place), option.help);
  }

  void line(const std::string& name, const std::string& value, const std::string& help) {
    lines_.push_back({name + " = " + value, help});
  }
  std::string finish() {
    flush();
    return text_;
  }

 private:
  // Comments of a group stand below each other.
  void flush() {
    std::size_t width = 0;
    for (const auto& [assignment, help] : lines_) width = std::max(width, assignment.size());
    for (const auto& [assignment, help] : lines_) {
      text_ += assignment;
      if (comments_) text_ += std::string(width - assignment.size(), ' ') + "  # " + help;
      text_ += "\n";
    }
    lines_.clear();
  }

  bool comments_;
  std::string text_;
  std::vector<std::pair<std::string, std::string>> lines_;
};

}  // namespace

void read_method(Section& method, InferOptions& options, bool has_published_scale) {
  if (const auto choice = method.choice("name", method_names())) {
    options.method = methods()[*choice].defaults;
  }
  // The statistics of built-in models have a published scale: no pilot run unless asked for.
  if (has_published_scale) leave_statistics_as_they_are(options.method);
  const bool is_old = is_version_01(method);
  OptionReader reader(method);
  visit_options(options, reader);
  if (is_old) {
    convert_version_01(options);
  } else {
    // Who names another method on the command line need not remove the options of the file's.
    const bool is_renamed = method.where("name").rfind("--", 0) == 0;
    reader.finish(method_name(options.method), is_renamed);
  }
  try {
    options.validate();
  } catch (const Error& error) {
    reader.rethrow(error);
  }
  reader.check_sizes();
}

std::string method_toml(const InferOptions& options, bool comments) {
  const std::string names = joined(method_names(), ", ", toml_quote);
  OptionWriter writer(comments);
  writer.line("name", toml_quote(method_name(options.method)), "one of " + names);
  InferOptions copy = options;  // a visitor may write
  visit_options(copy, writer);
  return "[method]\n" + writer.finish();
}

}  // namespace epsfree
