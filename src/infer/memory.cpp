#include "infer/memory.hpp"

#include "base/archive.hpp"
#include "epsfree/version.hpp"

namespace epsfree {

std::optional<std::string> Memory::recall(const std::string& name,
                                          std::uint64_t fingerprint) const {
  if (journal_ == nullptr) return std::nullopt;
  const std::optional<std::string> stored = journal_->find(name);
  if (!stored) return std::nullopt;
  std::string writer, bytes;
  std::uint64_t made_from = 0;
  try {
    ByteReader reader(*stored);
    reader(writer, made_from, bytes);
  } catch (const Error&) {
    return std::nullopt;
  }
  // Another version may compute other bits, or write them otherwise.
  if (writer != version() || made_from != fingerprint) return std::nullopt;
  return bytes;
}

void Memory::remember(const std::string& name, std::uint64_t fingerprint,
                      const std::string& bytes) {
  if (journal_ == nullptr) return;
  ByteWriter writer;
  writer(std::string(version()), fingerprint, bytes);
  journal_->put(name, writer.bytes());
}

void Memory::forget(const std::string& name) {
  if (journal_ != nullptr) journal_->erase(name);
}

}  // namespace epsfree
