#include "problem/method_reference.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "base/words.hpp"
#include "infer/methods.hpp"

namespace epsfree {
namespace {

struct OptionRow {
  std::string name, value, range, help;
  std::vector<std::string> methods;
};

struct GroupRows {
  std::string path, help;
  std::vector<std::string> methods;
  std::vector<OptionRow> options;
};

/// Collects the options of one method after another; what several have is listed once.
class Reference final : public OptionVisitor {
 public:
  void begin(const std::string& method) { method_ = method; }
  void group(const std::string& path, const std::string& help) override {
    auto at = std::find_if(groups_.begin(), groups_.end(),
                           [&](const GroupRows& each) { return each.path == path; });
    if (at == groups_.end()) at = groups_.insert(at, GroupRows{path, help, {}, {}});
    add_method(at->methods);
    current_ = static_cast<std::size_t>(at - groups_.begin());
  }
  void option(const Option& option) override {
    std::vector<OptionRow>& rows = groups_.at(current_).options;
    auto at = std::find_if(rows.begin(), rows.end(),
                           [&](const OptionRow& each) { return each.name == option.name; });
    if (at == rows.end()) {
      at = rows.insert(
          at, {option.name, option_text(option.place), option.range.text, option.help, {}});
    }
    add_method(at->methods);
  }
  std::vector<GroupRows> take() { return std::move(groups_); }

 private:
  void add_method(std::vector<std::string>& methods) const {
    if (methods.empty() || methods.back() != method_) methods.push_back(method_);
  }

  std::string method_;
  std::vector<GroupRows> groups_;
  std::size_t current_ = 0;
};

/// The options of one method, or of all.
std::vector<GroupRows> groups_of(const MethodEntry* only) {
  Reference reference;
  for (const MethodEntry& entry : methods()) {
    if (only != nullptr && only != &entry) continue;
    reference.begin(entry.name);
    InferOptions options{.method = entry.defaults};
    visit_options(options, reference);
  }
  return reference.take();
}

}  // namespace

std::string methods_markdown() {
  std::string text =
      "| `name` | what it does | holds for any observation | its tables |\n|---|---|---|---|\n";
  for (const MethodEntry& entry : methods()) {
    std::vector<std::string> tables;
    for (const GroupRows& group : groups_of(&entry)) {
      if (!group.path.empty()) tables.push_back("`" + group.path + "`");
    }
    text += "| `" + entry.name + "` | " + entry.help + " | " +
            (entry.learns_any_observation ? "yes" : "no") + " | " + joined(tables) + " |\n";
  }
  return text;
}

std::string options_markdown() {
  std::string text;
  for (const GroupRows& group : groups_of(nullptr)) {
    const std::string table = group.path.empty() ? "method" : "method." + group.path;
    text += (text.empty() ? "" : "\n") + std::string("`[") + table + "]`" +
            (group.help.empty() ? "" : ": " + group.help) +
            (group.methods.size() == methods().size() ? std::string(". All methods.")
                                                      : " (" + joined(group.methods) + ").") +
            "\n\n| key | default | range | meaning |\n|---|---|---|---|\n";
    for (const OptionRow& row : group.options) {
      text += "| `" + row.name + "` | `" + row.value + "` | " + row.range + " | " + row.help +
              (row.methods == group.methods ? "" : " (" + joined(row.methods) + ")") + " |\n";
    }
  }
  return text;
}

}  // namespace epsfree
