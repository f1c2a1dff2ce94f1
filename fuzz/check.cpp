// check.json, and writing what was read.
#include "fuzz/expect_error.hpp"
#include "fuzz/target.hpp"
#include "io/check_file.hpp"

EPSFREE_FUZZ_TARGET(check) {
  using namespace epsfree;
  const std::string text = text_of(data, size);
  expect_error([&] {
    const CheckRecord record = parse_check(text, "check.json");
    const std::string written = check_json(record);
    try {
      if (check_json(parse_check(written, "again.json")) != written) __builtin_trap();
    } catch (const Error&) {
      __builtin_trap();
    }
  });
}
