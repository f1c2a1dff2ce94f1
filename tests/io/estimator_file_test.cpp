#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>

#include "epsfree/error.hpp"
#include "epsfree/estimator.hpp"
#include "support/random_estimator.hpp"

namespace epsfree {
namespace {

Estimator some_estimator(Direction direction) {
  return Estimator(random_parts(
      independent_prior({Marginal::log_normal(0, 1), Marginal::normal(1, 2)}), 3, direction, 1));
}

// Files of the first kind are still of version 1, which older programs read.
TEST(EstimatorKinds, ANetworkForThePosteriorIsWrittenAsBefore) {
  const std::string text = estimator_text(some_estimator(Direction::posterior));
  const nlohmann::json document = nlohmann::json::parse(text);
  EXPECT_EQ(document["version"], 1);
  EXPECT_FALSE(document.contains("kind"));
  EXPECT_FALSE(document.contains("direction"));
  const auto loaded = parse_estimator(text);
  EXPECT_EQ(loaded->direction(), Direction::posterior);
  EXPECT_EQ(loaded->parts().conditional->kind(), "mixture-density-network");
  EXPECT_EQ(estimator_text(*loaded), text);
}

TEST(EstimatorKinds, ALikelihoodIsTheSameAgain) {
  const Estimator likelihood = some_estimator(Direction::likelihood);
  const std::string text = estimator_text(likelihood);
  const nlohmann::json document = nlohmann::json::parse(text);
  EXPECT_EQ(document["version"], 2);
  EXPECT_EQ(document["kind"], "mixture-density-network");
  EXPECT_EQ(document["direction"], "likelihood");
  const auto loaded = parse_estimator(text);
  EXPECT_EQ(loaded->direction(), Direction::likelihood);
  EXPECT_EQ(estimator_text(*loaded), text);
  const Eigen::Vector3d x(0.1, 0.2, 0.3);
  const Eigen::Vector2d theta(1.5, 0.5);
  EXPECT_EQ(loaded->log_probs(x, theta), likelihood.log_probs(x, theta));
}

TEST(EstimatorKinds, DamageIsRefused) {
  using nlohmann::json;
  const std::string text = estimator_text(some_estimator(Direction::likelihood));
  const auto expect_refused = [&](const std::function<void(json&)>& change,
                                  const std::string& says) {
    json document = json::parse(text);
    change(document);
    try {
      parse_estimator(document.dump(), "file.json");
      ADD_FAILURE() << "accepted; expected a message with: " << says;
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::input) << error.what();
      EXPECT_NE(std::string(error.what()).find(says), std::string::npos) << error.what();
    }
  };
  expect_refused([](json& d) { d["version"] = 3; }, "version");
  expect_refused([](json& d) { d.erase("kind"); }, "kind");
  expect_refused([](json& d) { d.erase("direction"); }, "direction");
  expect_refused([](json& d) { d["kind"] = "flow"; }, "kind 'flow'");
  expect_refused([](json& d) { d["kind"] = 7; }, "kind");
  expect_refused([](json& d) { d["direction"] = "sideways"; }, "'posterior' or 'likelihood'");
  // The other direction has other dimensions, and so has the same file as version 1.
  expect_refused([](json& d) { d["direction"] = "posterior"; }, "context_dim");
  expect_refused([](json& d) { d["version"] = 1; }, "context_dim");
  // Sizes that no file of this length can hold.
  expect_refused([](json& d) { d["network"]["num_components"] = 1000; }, "parameters");
  expect_refused(
      [](json& d) {
        d["network"]["hidden_units"] = {99999, 99999, 99999};
      },
      "parameters");
}

}  // namespace
}  // namespace epsfree
