#include "epsfree/estimator.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>
#include <string>

#include "base/file.hpp"
#include "epsfree/divergence.hpp"
#include "epsfree/error.hpp"
#include "epsfree/infer.hpp"
#include "support/linear_gaussian.hpp"
#include "support/paper_options.hpp"
#include "support/temporary_directory.hpp"

namespace epsfree {
namespace {

InferResult trained(const Problem& problem, const std::string& method) {
  PaperOptions options;
  options.method = method;
  options.num_simulations = 2000;
  options.network.hidden_units = {10};
  options.network.variational = method != "mdn-with-prior";
  options.training = {.num_steps = 4000, .learning_rate = 5e-3, .schedule = Schedule::cosine};
  options.rounds = {.max_rounds = 2, .num_simulations = 200, .training = {.num_steps = 500}};
  options.pilot = {.scaling = Scaling::whiten, .num_simulations = 100};
  return infer(problem, options);
}

const GaussianMixture& mixture_of(const PosteriorPtr& posterior) {
  return dynamic_cast<const MixturePosterior&>(*posterior).coordinates().mixture();
}

// The exact posterior at another observation, by the network that never saw it.
TEST(Estimator, TrainedOnThePriorHoldsForOtherObservations) {
  const LinearGaussian model = LinearGaussian::make(2, 3, 0.5);
  const InferResult result = trained(model.problem(), "mdn-with-prior");
  ASSERT_TRUE(result.estimator->amortised());
  for (double shift : {-0.5, 0.4}) {
    const Eigen::VectorXd x = model.observed.array() + shift;
    const Gaussian learnt = mixture_of(result.estimator->posterior(x)).project();
    EXPECT_LT(kl_divergence(model.posterior(x), learnt), 0.1) << "shift " << shift;
  }
}

TEST(Estimator, TrainedOnAProposalRefusesOtherObservations) {
  const LinearGaussian model = LinearGaussian::make(1, 1, 0.5);
  const InferResult result = trained(model.problem(), "mdn-with-proposal");
  EXPECT_FALSE(result.estimator->amortised());
  EXPECT_EQ(mixture_of(result.estimator->posterior(model.observed)).mean(),
            mixture_of(result.posterior).mean());
  try {
    result.estimator->posterior(Eigen::VectorXd::Constant(1, 3.0));
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::usage);
    EXPECT_NE(std::string(error.what()).find("mdn-with-prior"), std::string::npos);
  }
}

TEST(Estimator, BadObservationsAreRefused) {
  const LinearGaussian model = LinearGaussian::make(1, 2, 0.5);
  const InferResult result = trained(model.problem(), "mdn-with-prior");
  EXPECT_THROW(result.estimator->posterior(Eigen::VectorXd::Zero(3)), Error);
  EXPECT_THROW(result.estimator->posterior(Eigen::Vector2d(0, std::nan(""))), Error);
}

TEST(EstimatorFile, GivesTheSameBitsAgain) {
  const TemporaryDirectory directory;
  const LinearGaussian model = LinearGaussian::make(2, 2, 0.5);
  for (const std::string method : {"mdn-with-prior", "mdn-with-proposal"}) {
    const InferResult result = trained(model.problem(), method);
    save_estimator(*result.estimator, directory.file("estimator.json"));
    const auto loaded = load_estimator(directory.file("estimator.json"));
    EXPECT_EQ(loaded->amortised(), result.estimator->amortised());
    const GaussianMixture again = mixture_of(loaded->posterior(model.observed));
    EXPECT_EQ(again.component(0).mean(), mixture_of(result.posterior).component(0).mean());
    EXPECT_EQ(again.component(0).precision_factor(),
              mixture_of(result.posterior).component(0).precision_factor());
    save_estimator(*loaded, directory.file("again.json"));
    EXPECT_EQ(read_file(directory.file("again.json")), read_file(directory.file("estimator.json")));
  }
}

TEST(EstimatorFile, DamageIsRefused) {
  using nlohmann::json;
  const TemporaryDirectory directory;
  const std::string path = directory.file("estimator.json");
  const InferResult result = trained(LinearGaussian::make(1, 1, 0.5).problem(), "mdn-with-prior");
  save_estimator(*result.estimator, path);
  const std::string text = read_file(path);
  const auto expect_refused = [&](const std::string& content) {
    write_file_atomically(path, content);
    try {
      load_estimator(path);
      ADD_FAILURE() << "accepted";
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::input) << error.what();
    }
  };
  for (std::size_t length = 0; length + 2 < text.size(); length += 97) {
    expect_refused(text.substr(0, length));
  }
  const auto changed = [&](const std::function<void(json&)>& change) {
    json document = json::parse(text);
    change(document);
    return document.dump();
  };
  expect_refused(changed([](json& d) { d["version"] = 2; }));
  expect_refused(changed([](json& d) { d["network"]["parameters"].erase(0); }));
  expect_refused(changed([](json& d) { d["network"]["parameters"][0] = "nan"; }));
  expect_refused(changed([](json& d) { d["network"]["hidden_units"][0] = 99999; }));
  expect_refused(changed([](json& d) { d["network"]["hidden_units"] = {99999, 99999, 99999}; }));
  expect_refused(changed([](json& d) { d["network"]["activation"] = "gelu"; }));
  expect_refused(changed([](json& d) { d["network"]["context_dim"] = 7; }));
  expect_refused(changed([](json& d) { d["statistics"]["matrix"][0][0] = "inf"; }));
}

}  // namespace
}  // namespace epsfree
