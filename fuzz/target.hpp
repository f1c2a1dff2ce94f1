// How a target is written: EPSFREE_FUZZ_TARGET(name) { ... } with `data` and `size`.
//
// By itself it is a program of libFuzzer. With EPSFREE_FUZZ_REPLAY it is a function, fuzz_<name>,
// which the tests call with the files of fuzz/corpus/<name> (tests/fuzz/replay_test.cpp).
#pragma once

#include <cstddef>
#include <cstdint>

#ifdef EPSFREE_FUZZ_REPLAY
#define EPSFREE_FUZZ_TARGET(name)                               \
  void fuzz_##name(const std::uint8_t* data, std::size_t size); \
  void fuzz_##name(const std::uint8_t* data, std::size_t size)
#else
#define EPSFREE_FUZZ_TARGET(name)                                                     \
  static void fuzz_##name(const std::uint8_t* data, std::size_t size);                \
  extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) { \
    fuzz_##name(data, size);                                                          \
    return 0;                                                                         \
  }                                                                                   \
  static void fuzz_##name(const std::uint8_t* data, std::size_t size)
#endif
