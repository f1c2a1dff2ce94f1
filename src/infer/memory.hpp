// Finished work of an earlier run, found again.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "epsfree/journal.hpp"

namespace epsfree {

/// Results by name in a journal, each with the fingerprint of what it was made from: a result of
/// other inputs, as a larger budget brings, is none.
class Memory {
 public:
  /// Without a journal it remembers nothing.
  explicit Memory(Journal* journal) : journal_(journal) {}

  bool works() const { return journal_ != nullptr; }
  Journal* journal() const { return journal_; }
  std::optional<std::string> recall(const std::string& name, std::uint64_t fingerprint) const;
  void remember(const std::string& name, std::uint64_t fingerprint, const std::string& bytes);
  void forget(const std::string& name);

 private:
  Journal* journal_;
};

}  // namespace epsfree
