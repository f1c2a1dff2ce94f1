// Values to bytes and back, bit for bit, for what only this program reads again.
#pragma once

#include <Eigen/Core>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "epsfree/error.hpp"

namespace epsfree {

// A class takes part by a function `exchange(archive, value)` beside it that calls
// archive(value.a, value.b, ...): the same function writes and reads.

class ByteWriter {
 public:
  template <class... T>
  void operator()(const T&... values) {
    (put(values), ...);
  }
  const std::string& bytes() const { return bytes_; }

 private:
  template <class T>
  void put(const T& value) {
    if constexpr (std::is_trivially_copyable_v<T>) {
      bytes_.append(reinterpret_cast<const char*>(&value), sizeof(T));
    } else {
      exchange(*this, const_cast<T&>(value));  // which only reads it
    }
  }
  template <class T>
  void put(const std::vector<T>& values) {
    put(static_cast<std::uint64_t>(values.size()));
    for (const T& value : values) put(value);
  }
  void put(const std::string& text) {
    put(static_cast<std::uint64_t>(text.size()));
    bytes_ += text;
  }
  template <class T, int kRows, int kColumns>
  void put(const Eigen::Matrix<T, kRows, kColumns>& matrix) {
    put(static_cast<std::uint64_t>(matrix.rows()));
    put(static_cast<std::uint64_t>(matrix.cols()));
    bytes_.append(reinterpret_cast<const char*>(matrix.data()),
                  static_cast<std::size_t>(matrix.size()) * sizeof(T));
  }

  std::string bytes_;
};

/// Throws ErrorKind::input where the bytes end too early.
class ByteReader {
 public:
  explicit ByteReader(std::string_view bytes) : rest_(bytes) {}

  template <class... T>
  void operator()(T&... values) {
    (get(values), ...);
  }
  bool at_end() const { return rest_.empty(); }

 private:
  std::string_view take(std::uint64_t count) {
    if (count > rest_.size()) throw Error(ErrorKind::input, "a stored value ends too early");
    const std::string_view result = rest_.substr(0, static_cast<std::size_t>(count));
    rest_.remove_prefix(static_cast<std::size_t>(count));
    return result;
  }
  template <class T>
  void get(T& value) {
    if constexpr (std::is_trivially_copyable_v<T>) {
      std::memcpy(&value, take(sizeof(T)).data(), sizeof(T));
    } else {
      exchange(*this, value);
    }
  }
  template <class T>
  void get(std::vector<T>& values) {
    std::uint64_t count = 0;
    get(count);
    // A damaged count must not ask for all memory: even the smallest take a byte.
    const std::size_t least = std::is_trivially_copyable_v<T> ? sizeof(T) : 1;
    if (count > rest_.size() / least) {
      throw Error(ErrorKind::input, "a stored value ends too early");
    }
    values.assign(static_cast<std::size_t>(count), T{});
    for (T& value : values) get(value);
  }
  void get(std::string& text) {
    std::uint64_t count = 0;
    get(count);
    text = take(count);
  }
  template <class T, int kRows, int kColumns>
  void get(Eigen::Matrix<T, kRows, kColumns>& matrix) {
    std::uint64_t rows = 0, columns = 0;
    get(rows);
    get(columns);
    // Sizes beyond any index fit into no bytes, unless the other one is zero.
    constexpr std::uint64_t kLargest = std::uint64_t{1} << 48;
    if (rows > kLargest || columns > kLargest ||
        (columns != 0 && rows > rest_.size() / sizeof(T) / columns)) {
      throw Error(ErrorKind::input, "a stored value ends too early");
    }
    const std::string_view data = take(rows * columns * sizeof(T));
    matrix.resize(static_cast<Eigen::Index>(rows), static_cast<Eigen::Index>(columns));
    if (!data.empty()) std::memcpy(matrix.data(), data.data(), data.size());
  }

  std::string_view rest_;
};

}  // namespace epsfree
