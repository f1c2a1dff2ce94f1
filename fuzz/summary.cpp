// summary.json, and writing what was read.
#include "fuzz/expect_error.hpp"
#include "fuzz/target.hpp"
#include "io/run_summary.hpp"

EPSFREE_FUZZ_TARGET(summary) {
  using namespace epsfree;
  const std::string text = text_of(data, size);
  expect_error([&] {
    const RunSummary summary = parse_summary(text, "summary.json");
    const std::string written = summary_json(summary);
    try {
      parse_summary(written, "again.json");
    } catch (const Error&) {
      __builtin_trap();
    }
  });
}
