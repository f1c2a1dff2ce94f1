// Problem files, and writing what was read.
#include "fuzz/expect_error.hpp"
#include "fuzz/target.hpp"
#include "problem/problem_file.hpp"

EPSFREE_FUZZ_TARGET(problem) {
  const std::string text = epsfree::text_of(data, size);
  epsfree::expect_error([&] {
    const epsfree::ProblemSpec spec = epsfree::parse_problem(text, "fuzz.toml");
    // What is written must be readable: outside expect_error, so that a refusal is a crash.
    const std::string resolved = epsfree::resolved_toml(spec);
    try {
      epsfree::parse_problem(resolved, "run.toml");
    } catch (const epsfree::Error& error) {
      __builtin_trap();
    }
  });
}
