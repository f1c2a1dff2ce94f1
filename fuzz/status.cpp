// status.json, and what an onlooker is shown of it.
#include "fuzz/expect_error.hpp"
#include "fuzz/target.hpp"
#include "run/run_status.hpp"

EPSFREE_FUZZ_TARGET(status) {
  using namespace epsfree;
  const std::string text = text_of(data, size);
  expect_error([&] { progress_text(parse_progress(text, "status.json")); });
}
