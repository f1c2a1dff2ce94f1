#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <string>

#include "base/file.hpp"
#include "epsfree/error.hpp"
#include "epsfree/posterior.hpp"
#include "support/temporary_directory.hpp"

namespace epsfree {
namespace {

using nlohmann::json;

const double kInfinity = std::numeric_limits<double>::infinity();

MixturePosterior mixture_posterior(PriorPtr prior) {
  Eigen::MatrixXd S(2, 2);
  S << 0.1 / 3, 0.01, 0.01, 0.2;
  return MixturePosterior(
      std::move(prior), {"rate", "scale"},
      GaussianMixture({Gaussian::from_covariance(Eigen::Vector2d(0.3, 0.7), S),
                       Gaussian::from_covariance(Eigen::Vector2d(0.9, 0.1), 2 * S)},
                      Eigen::Vector2d(-1.0 / 3, -kInfinity)));
}

std::vector<PriorPtr> all_priors() {
  Eigen::MatrixXd A(2, 2);
  A << 1, 0, 1, 1;
  return {uniform_prior(Eigen::Vector2d(0, 0), Eigen::Vector2d(1, 2)),
          gaussian_prior(Gaussian::standard(2)),
          independent_prior({Marginal::gamma(2, 1.0 / 3), Marginal::log_normal(0, 1)}),
          independent_prior(
              {Marginal::truncated_normal(0, 1, 0, kInfinity), Marginal::exponential(0.1)}),
          linear_image_prior(uniform_prior(Eigen::Vector2d(0, 0), Eigen::Vector2d(1, 1)), A,
                             Eigen::Vector2d(0.1, 0))};
}

TEST(PosteriorFile, MixtureRoundTripsExactlyWithEveryPrior) {
  const TemporaryDirectory directory;
  for (const PriorPtr& prior : all_priors()) {
    const MixturePosterior saved = mixture_posterior(prior);
    save_posterior(saved, directory.file("posterior.json"));
    const PosteriorPtr loaded = load_posterior(directory.file("posterior.json"));
    EXPECT_EQ(loaded->kind(), "mixture");
    EXPECT_EQ(loaded->names(), saved.names());
    EXPECT_EQ(loaded->prior().kind(), prior->kind());
    const auto& mixture = dynamic_cast<const MixturePosterior&>(*loaded).coordinates().mixture();
    EXPECT_EQ(mixture.log_weights()[1], -kInfinity);
    for (Index k = 0; k < 2; ++k) {
      const Gaussian& component = saved.coordinates().mixture().component(k);
      EXPECT_EQ(mixture.component(k).mean(), component.mean());
      EXPECT_EQ(mixture.component(k).precision_factor(), component.precision_factor());
    }
    const Eigen::Vector2d theta(0.4, 0.8);
    EXPECT_EQ(loaded->log_prob(theta), saved.log_prob(theta));
    // Saved again, it is the same file.
    save_posterior(*loaded, directory.file("again.json"));
    EXPECT_EQ(read_file(directory.file("again.json")), read_file(directory.file("posterior.json")));
  }
}

TEST(PosteriorFile, AMassBelowTheSmallestDoubleRoundTrips) {
  const TemporaryDirectory directory;
  const MixturePosterior saved(
      uniform_prior(Eigen::VectorXd::Zero(1), Eigen::VectorXd::Ones(1)), {"a"},
      GaussianMixture(Gaussian::from_covariance(Eigen::VectorXd::Constant(1, -60),
                                                Eigen::MatrixXd::Ones(1, 1))));
  ASSERT_LT(saved.coordinates().log_mass(), -1000);
  save_posterior(saved, directory.file("posterior.json"));
  const PosteriorPtr loaded = load_posterior(directory.file("posterior.json"));
  const Eigen::VectorXd theta = Eigen::VectorXd::Constant(1, 0.01);
  EXPECT_EQ(loaded->log_prob(theta), saved.log_prob(theta));
}

TEST(PosteriorFile, NamesThatAreNotUtf8AreRefusedByNumber) {
  const TemporaryDirectory directory;
  const SamplesPosterior posterior(all_priors()[0], {"\u00e9", "b\xff"},
                                   WeightedSamples(Eigen::MatrixXd::Constant(2, 1, 0.5)));
  try {
    save_posterior(posterior, directory.file("posterior.json"));
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::input);
    EXPECT_NE(std::string(error.what()).find("number 2"), std::string::npos) << error.what();
  }
}

TEST(PosteriorFile, SamplesRoundTrip) {
  const TemporaryDirectory directory;
  Eigen::MatrixXd points(2, 3);
  points << 0.1, 0.2, 0.3, 1.0 / 3, 0.5, 0.6;
  const SamplesPosterior saved(all_priors()[0], {"a", "b"},
                               WeightedSamples(points, Eigen::Vector3d(-1, -2, -kInfinity)));
  save_posterior(saved, directory.file("posterior.json"));
  const PosteriorPtr loaded = load_posterior(directory.file("posterior.json"));
  EXPECT_EQ(loaded->kind(), "samples");
  EXPECT_EQ(dynamic_cast<const SamplesPosterior&>(*loaded).samples().points(), points);
  EXPECT_TRUE(loaded->mean().isApprox(saved.mean(), 1e-14));
}

// A posterior is known by the digest of its file: reading and writing it must not change that.
TEST(PosteriorFile, SamplesAreWrittenAgainAsTheyWere) {
  Stream stream(5);
  for (const Index count : {3, 50, 1000}) {
    Eigen::MatrixXd points(2, count);
    Eigen::VectorXd log_weights(count);
    for (Index i = 0; i < count; ++i) {
      points.col(i) << 0.5 + 0.1 * stream.normal(), 0.5;
      log_weights[i] = 3 * stream.normal();
    }
    const SamplesPosterior saved(all_priors()[0], {"a", "b"}, WeightedSamples(points, log_weights));
    const std::string text = posterior_text(saved);
    EXPECT_TRUE(posterior_text(*parse_posterior(text, "p.json")) == text) << count;
  }
}

// What the file's head says must be enough to compute the density elsewhere.
TEST(PosteriorFile, HoldsAllThatAnotherProgramNeeds) {
  const TemporaryDirectory directory;
  const MixturePosterior saved = mixture_posterior(all_priors()[0]);
  save_posterior(saved, directory.file("posterior.json"));
  const json document = json::parse(read_file(directory.file("posterior.json")));
  EXPECT_EQ(document["coordinates"], (json{"identity", "identity"}));
  const json& component = document["components"][0];
  const double z[2] = {0.4, 0.8};
  double quadratic = 0, log_det = 0;
  for (std::size_t i = 0; i < 2; ++i) {
    double row = 0;
    for (std::size_t j = i; j < 2; ++j) {
      row += component["precision_factor"][i][j].get<double>() *
             (z[j] - component["mean"][j].get<double>());
    }
    quadratic += row * row;
    log_det += std::log(component["precision_factor"][i][i].get<double>());
  }
  const double log_density = component["log_weight"].get<double>() + log_det - 0.5 * quadratic -
                             std::log(2 * 3.14159265358979323846) -
                             document["log_mass_on_support"].get<double>();
  EXPECT_NEAR(log_density, saved.log_prob(Eigen::Vector2d(0.4, 0.8)), 1e-12);
}

class DamagedPosterior : public testing::Test {
 protected:
  DamagedPosterior() : path_(directory_.file("posterior.json")) {
    save_posterior(mixture_posterior(all_priors()[0]), path_);
    text_ = read_file(path_);
  }
  /// The message with which loading this content is refused; fails if it is not.
  std::string refusal(const std::string& content) {
    write_file_atomically(path_, content);
    try {
      load_posterior(path_);
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::input) << error.what();
      EXPECT_EQ(std::string(error.what()).rfind(path_, 0), 0u) << error.what();
      return error.what();
    }
    ADD_FAILURE() << "accepted: " << content.substr(0, 200);
    return "";
  }
  std::string changed(const std::function<void(json&)>& change) {
    json document = json::parse(text_);
    change(document);
    return document.dump();
  }

  TemporaryDirectory directory_;
  std::string path_;
  std::string text_;
};

TEST_F(DamagedPosterior, TruncatedAnywhereIsRefused) {
  for (std::size_t length = 0; length + 2 < text_.size(); length += 7) {
    refusal(text_.substr(0, length));
  }
}

TEST_F(DamagedPosterior, NewerVersionSaysSo) {
  const std::string message = refusal(changed([](json& d) { d["version"] = 99; }));
  EXPECT_NE(message.find("newer"), std::string::npos) << message;
}

TEST_F(DamagedPosterior, EachFaultNamesItsPlace) {
  const auto expect_named = [&](const std::string& place,
                                const std::function<void(json&)>& change) {
    const std::string message = refusal(changed(change));
    EXPECT_NE(message.find(place), std::string::npos) << message;
  };
  expect_named("format", [](json& d) { d["format"] = "something else"; });
  expect_named("kind", [](json& d) { d["kind"] = "flow"; });
  expect_named("components[0].mean", [](json& d) { d["components"][0]["mean"] = "high"; });
  expect_named("components[1].mean", [](json& d) { d["components"][1]["mean"].push_back(1.0); });
  expect_named("precision_factor", [](json& d) { d["components"][0].erase("precision_factor"); });
  expect_named("names", [](json& d) { d["names"].push_back("third"); });
  expect_named("prior", [](json& d) { d["prior"]["kind"] = "cauchy"; });
  expect_named("coordinates", [](json& d) { d["coordinates"][0] = "log"; });
  expect_named("coordinates_of", [](json& d) { d["coordinates_of"] = "base"; });
  expect_named("log_mass_on_support", [](json& d) { d["log_mass_on_support"] = -5.0; });
  expect_named("log_mass_on_support", [](json& d) { d["log_mass_on_support"] = "nan"; });
  expect_named("log_mass_on_support", [](json& d) { d.erase("log_mass_on_support"); });
  refusal(changed([](json& d) { d["components"] = json::array(); }));
  refusal(changed([](json& d) { d["components"][0]["precision_factor"][0][0] = -1.0; }));
  refusal(changed([](json& d) { d["components"][0]["mean"][0] = "nan"; }));
  refusal("[1, 2, 3]");
  refusal("null");
}

// What nests without end would exhaust the stack.
TEST_F(DamagedPosterior, MarginalKeepsOnlyAKindThatHasMarginalsInFiles) {
  const std::vector<Index> first = {0};
  const PosteriorPtr part =
      MixturePosterior(uniform_prior(Eigen::Vector2d(0, 0), Eigen::Vector2d(1, 1)), {"a", "b"},
                       GaussianMixture(Gaussian::standard(2)))
          .marginal(first);
  ASSERT_EQ(part->kind(), "marginal");
  text_ = posterior_text(*part);
  EXPECT_EQ(parse_posterior(text_)->mean(), part->mean());
  for (const char* kind : {"samples", "marginal"}) {
    const std::string message = refusal(changed([&](json& d) { d["joint"]["kind"] = kind; }));
    EXPECT_NE(message.find("joint.kind"), std::string::npos) << message;
  }
  const std::string message = refusal(changed([](json& d) { d["joint"]["kind"] = "flow"; }));
  EXPECT_NE(message.find("expected 'mixture', 'samples' or 'marginal'"), std::string::npos)
      << message;
}

TEST(PosteriorFile, MissingFileIsAnIoError) {
  try {
    load_posterior("/nonexistent/posterior.json");
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::io);
  }
}

}  // namespace
}  // namespace epsfree
