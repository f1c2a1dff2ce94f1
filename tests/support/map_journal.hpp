// A journal in memory.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "epsfree/journal.hpp"

namespace epsfree {

class MapJournal final : public Journal {
 public:
  std::optional<std::string> find(const std::string& name) override {
    const auto at = values.find(name);
    return at == values.end() ? std::nullopt : std::optional(at->second);
  }
  void put(const std::string& name, const std::string& bytes) override {
    values[name] = bytes;
    puts.push_back(name);
  }
  void erase(const std::string& name) override { values.erase(name); }

  std::map<std::string, std::string> values;
  std::vector<std::string> puts;  ///< the names, in order
};

}  // namespace epsfree
