// What a fuzz target allows: success, or epsfree::Error. Any other exception is a fault of the
// reader.
#pragma once

#include <cstdint>
#include <string>

#include "epsfree/error.hpp"

namespace epsfree {

template <class Read>
void expect_error(const Read& read) {
  try {
    read();
  } catch (const Error&) {
  }
}

inline std::string text_of(const std::uint8_t* data, std::size_t size) {
  return std::string(reinterpret_cast<const char*>(data), size);
}

}  // namespace epsfree
