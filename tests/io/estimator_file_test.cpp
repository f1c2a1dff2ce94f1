#include <gtest/gtest.h>

#include <filesystem>
#include <functional>
#include <iterator>
#include <nlohmann/json.hpp>
#include <string>

#include "base/file.hpp"
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

// Files of version 1 as earlier programs wrote them, and one of a likelihood.
TEST(EstimatorKinds, FilesOfAllVersionsAreRead) {
  const std::filesystem::path corpus = EPSFREE_SOURCE_DIR "/fuzz/corpus/estimator";
  int by_version[3] = {0, 0, 0};
  for (const auto& entry : std::filesystem::directory_iterator(corpus)) {
    if (entry.path().extension() != ".json") continue;
    const std::string text = read_file(entry.path().string());
    const auto version = nlohmann::json::parse(text)["version"].get<std::size_t>();
    ASSERT_LT(version, std::size(by_version));
    ++by_version[version];
    const auto estimator = parse_estimator(text, entry.path().string());
    EXPECT_EQ(estimator->direction(), version == 1 ? Direction::posterior : Direction::likelihood);
    EXPECT_TRUE(nlohmann::json::parse(estimator_text(*estimator)) == nlohmann::json::parse(text))
        << entry.path();
  }
  EXPECT_EQ(by_version[1], 8);
  EXPECT_EQ(by_version[2], 1);
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
  expect_refused([](json& d) { d["network"]["hidden_units"] = {9999, 9999, 9999}; }, "parameters");
}

}  // namespace
}  // namespace epsfree
