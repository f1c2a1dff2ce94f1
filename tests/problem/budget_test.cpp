#include "problem/budget.hpp"

#include <gtest/gtest.h>

#include "epsfree/models.hpp"
#include "problem/problem_file.hpp"
#include "support/error_of.hpp"

namespace epsfree {
namespace {

TEST(Budget, IsMetToTheLastSimulation) {
  for (const auto& model : models()) {
    for (const Method method : {Method::mdn_with_prior, Method::mdn_with_proposal}) {
      for (const Index budget : {20, 77, 180, 740, 4000, 10007}) {
        InferOptions options = starter_options(model->name());
        options.method = method;
        const InferOptions scaled = with_budget(options, budget);
        EXPECT_EQ(planned_simulations(scaled), budget) << model->name();
        EXPECT_NO_THROW(scaled.validate()) << model->name() << " " << budget;
      }
    }
  }
}

TEST(Budget, RoundsAndFinalTrainingKeepTheirProportion) {
  InferOptions options;
  options.method = Method::mdn_with_proposal;
  options.pilot.scaling = Scaling::as_is;
  options.rounds.max_rounds = 4;
  options.rounds.num_simulations = 500;
  options.num_simulations = 2000;
  EXPECT_EQ(with_budget(options, 4000).rounds.num_simulations, 500);
  EXPECT_EQ(with_budget(options, 4000).num_simulations, 2000);
  EXPECT_EQ(with_budget(options, 400).rounds.num_simulations, 50);
  EXPECT_EQ(with_budget(options, 400).num_simulations, 200);
  // Rounds that would be too small become fewer.
  EXPECT_EQ(with_budget(options, 40).rounds.max_rounds, 2);
  EXPECT_EQ(with_budget(options, 40).rounds.num_simulations, 10);
  options.method = Method::proposal_prior;
  EXPECT_EQ(with_budget(options, 402).rounds.num_simulations, 100);
  EXPECT_EQ(planned_simulations(with_budget(options, 402)), 400);
}

TEST(Budget, OfTheDefaultMethodIsItsNumberOfSimulations) {
  const InferOptions scaled = with_budget(InferOptions{}, 123);
  EXPECT_EQ(scaled.num_simulations, 123);
  EXPECT_EQ(planned_simulations(scaled), 123);
  EXPECT_NO_THROW(with_budget(InferOptions{}, 40).validate());
  const std::string message = error_of(ErrorKind::usage, [] { with_budget(InferOptions{}, 39); });
  EXPECT_NE(message.find("39"), std::string::npos) << message;
  EXPECT_NE(message.find("at least 40 simulations"), std::string::npos) << message;
  EXPECT_EQ(message.find("pilot"), std::string::npos) << message;
}

TEST(Budget, CountsThePilotRun) {
  InferOptions options;
  options.method = Method::mdn_with_prior;
  options.pilot.scaling = Scaling::whiten;
  options.pilot.num_simulations = 200;
  EXPECT_EQ(with_budget(options, 1000).num_simulations, 800);
  const std::string message = error_of(ErrorKind::usage, [&] { with_budget(options, 209); });
  EXPECT_NE(message.find("209"), std::string::npos) << message;
  EXPECT_NE(message.find("at least 210"), std::string::npos) << message;
}

TEST(Budget, ThePapersAreThoseOfItsSettings) {
  for (const auto& model : models()) {
    const ProblemSpec spec = load_problem(std::string(EPSFREE_SOURCE_DIR) + "/examples/paper/" +
                                          model->name() + "-mdn-with-proposal.toml");
    EXPECT_EQ(paper_budget(model->name()), planned_simulations(spec.options)) << model->name();
  }
}

}  // namespace
}  // namespace epsfree
