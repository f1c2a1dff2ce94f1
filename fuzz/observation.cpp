// Files of observations.
#include "fuzz/expect_error.hpp"
#include "fuzz/target.hpp"
#include "problem/observed_file.hpp"

EPSFREE_FUZZ_TARGET(observation) {
  using namespace epsfree;
  const std::string text = text_of(data, size);
  expect_error([&] {
    const Eigen::VectorXd x = parse_observation(text, "data.csv", {"a", "b"});
    if (x.size() != 2 || !x.allFinite()) __builtin_trap();
  });
}
