// A number that says whether two sets of inputs are the same.
#pragma once

#include <Eigen/Core>
#include <cstdint>
#include <cstring>
#include <span>
#include <string_view>
#include <type_traits>

namespace epsfree {

/// FNV-1a over words of eight bytes, with the avalanche of MurmurHash3 at the end. It guards
/// against mistakes, not against malice.
class Fingerprint {
 public:
  void add(std::string_view bytes) {
    mix(bytes.size());
    while (bytes.size() >= sizeof(std::uint64_t)) {
      std::uint64_t word;
      std::memcpy(&word, bytes.data(), sizeof word);
      mix(word);
      bytes.remove_prefix(sizeof word);
    }
    for (const char byte : bytes) mix(static_cast<unsigned char>(byte));
  }
  template <class T>
  requires std::is_arithmetic_v<T> || std::is_enum_v<T>
  void add(T value) { add(std::string_view(reinterpret_cast<const char*>(&value), sizeof value)); }
  template <class T>
  void add(std::span<const T> values) {
    static_assert(std::has_unique_object_representations_v<T> || std::is_floating_point_v<T>);
    add(std::string_view(reinterpret_cast<const char*>(values.data()), values.size_bytes()));
  }
  template <class T, int kRows, int kColumns>
  void add(const Eigen::Matrix<T, kRows, kColumns>& matrix) {
    add(matrix.rows());
    add(std::span<const T>(matrix.data(), static_cast<std::size_t>(matrix.size())));
  }

  std::uint64_t value() const {
    std::uint64_t h = hash_;
    h = (h ^ (h >> 33)) * 0xff51afd7ed558ccdu;
    h = (h ^ (h >> 33)) * 0xc4ceb9fe1a85ec53u;
    return h ^ (h >> 33);
  }

 private:
  void mix(std::uint64_t word) { hash_ = (hash_ ^ word) * 0x100000001b3u + (hash_ >> 47); }

  std::uint64_t hash_ = 0xcbf29ce484222325u;
};

}  // namespace epsfree
