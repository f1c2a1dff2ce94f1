#include "io/run_summary.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>

#include "support/error_of.hpp"

namespace epsfree {
namespace {

RunSummary example() {
  RunSummary summary;
  summary.problem = "p";
  summary.model = "mixture";
  summary.digest = "abc";
  summary.inference.method = "proposal-prior";
  summary.inference.seed = 9007199254740993;  // more than a double holds
  summary.inference.finished = true;
  summary.inference.simulations.by_status = {10, 2, 0, 0, 1};
  summary.inference.total_seconds = 1.5;
  summary.inference.warnings = {"beware"};
  RoundSummary round;
  round.phase = "round";
  round.proposal_change = std::numeric_limits<double>::quiet_NaN();
  round.training.validation_loss = std::numeric_limits<double>::quiet_NaN();
  summary.inference.rounds = {round};
  summary.posterior = {
      .names = {"a"},
      .mean = Eigen::VectorXd::Constant(1, 0.1),
      .standard_deviation = Eigen::VectorXd::Constant(1, 2.0),
      .lower = Eigen::VectorXd::Constant(1, -4.0),
      .upper = Eigen::VectorXd::Constant(1, std::numeric_limits<double>::infinity()),
      .truth = Eigen::VectorXd::Constant(1, 0.3)};
  return summary;
}

TEST(RunSummary, IsReadAsWritten) {
  const std::string text = summary_json(example());
  const RunSummary read = parse_summary(text, "summary.json");
  EXPECT_EQ(read.inference.seed, 9007199254740993u);
  EXPECT_EQ(read.inference.simulations.total(), 13);
  EXPECT_EQ(read.inference.simulations[SimStatus::invalid], 2);
  EXPECT_EQ(read.inference.warnings, std::vector<std::string>{"beware"});
  EXPECT_EQ(read.posterior.names, std::vector<std::string>{"a"});
  EXPECT_EQ(read.posterior.mean[0], 0.1);
  EXPECT_TRUE(std::isinf(read.posterior.upper[0]));
  EXPECT_EQ((*read.posterior.truth)[0], 0.3);
  EXPECT_EQ(read.digest, "abc");
  EXPECT_NE(text.find("\"rounds\""), std::string::npos);
}

TEST(RunSummary, RoundsAndChainsAreReadAsWritten) {
  RunSummary summary = example();
  Summary& run = summary.inference;
  RoundSummary round;
  round.phase = "final";
  round.round = 3;
  round.simulations.by_status = {90, 10, 0, 0, 0};
  round.proposal_change = 0.25;
  round.training.loss_history = {3, 2.5, 2.25};
  round.training.seconds = 1.25;
  round.training.stopped_because = "steps";
  round.stack = {{"mixture of 4", 0.75}, {"network", 0.25}};
  round.epsilon = 0.5;
  round.acceptance_rate = 0.125;
  round.effective_size = 40;
  round.mean = Eigen::Vector2d(1, -2);
  round.standard_deviation = Eigen::Vector2d(0.5, 3);
  run.rounds.push_back(round);
  run.epsilon = 0.5;
  run.effective_sample_size = 40;
  run.chains = {.num_chains = 2,
                .burn_in = 10,
                .num_steps = 100,
                .acceptance_rate = 0.3,
                .acceptance_rates = {0.2, 0.4},
                .rhat = Eigen::Vector2d(1.01, 1.2)};
  run.dropped_low = Eigen::Vector2d(0, 1);
  run.dropped_high = Eigen::Vector2d(2, 3);
  run.faults = {Eigen::Vector2d(1, 2), Eigen::Vector2d(3, 4), Eigen::Vector2d(5, 6),
                Eigen::Vector2d(7, 8)};
  const Summary read = parse_summary(summary_json(summary), "summary.json").inference;
  ASSERT_EQ(read.rounds.size(), 2u);
  EXPECT_TRUE(std::isnan(read.rounds[0].proposal_change));
  const RoundSummary& last = read.rounds[1];
  EXPECT_EQ(last.phase, "final");
  EXPECT_EQ(last.round, 3);
  EXPECT_EQ(last.simulations.total(), 100);
  EXPECT_EQ(last.proposal_change, 0.25);
  EXPECT_EQ(last.training.loss_history, round.training.loss_history);
  EXPECT_EQ(last.training.seconds, 1.25);
  EXPECT_EQ(last.training.stopped_because, "steps");
  ASSERT_EQ(last.stack.size(), 2u);
  EXPECT_EQ(last.stack[1].name, "network");
  EXPECT_EQ(last.stack[1].weight, 0.25);
  EXPECT_EQ(last.epsilon, 0.5);
  EXPECT_EQ(last.acceptance_rate, 0.125);
  EXPECT_EQ(last.effective_size, 40);
  EXPECT_EQ(last.mean, round.mean);
  EXPECT_EQ(last.standard_deviation, round.standard_deviation);
  EXPECT_EQ(read.effective_sample_size, 40);
  EXPECT_EQ(read.chains.num_chains, 2);
  EXPECT_EQ(read.chains.acceptance_rates, run.chains.acceptance_rates);
  EXPECT_EQ(read.chains.rhat, run.chains.rhat);
  EXPECT_EQ(read.dropped_high, run.dropped_high);
  EXPECT_EQ(read.faults.failed_mean, run.faults.failed_mean);
  EXPECT_EQ(read.faults.failed_deviation, run.faults.failed_deviation);
  EXPECT_EQ(read.faults.successful_mean, run.faults.successful_mean);
  EXPECT_EQ(read.faults.successful_deviation, run.faults.successful_deviation);
}

TEST(RunSummary, OlderFilesThatHaveLessAreRead) {
  auto json = nlohmann::json::parse(summary_json(example()));
  for (const char* key : {"epsilon", "mass_on_support_error", "effective_sample_size"}) {
    json.erase(key);
  }
  for (const char* key : {"loss_history", "stack", "tempering", "training_seconds"}) {
    json["rounds"][0].erase(key);
  }
  EXPECT_EQ(parse_summary(json.dump(), "summary.json").inference.rounds.size(), 1u);
}

TEST(RunSummary, WhatDoesNotApplyIsNull) {
  RunSummary summary = example();
  const auto inference = nlohmann::json::parse(summary_json(summary));
  EXPECT_TRUE(inference.at("effective_sample_size").is_null());
  EXPECT_TRUE(inference.at("rounds").at(0).at("proposal_change").is_null());
  EXPECT_TRUE(inference.at("rounds").at(0).at("validation_loss").is_null());
  EXPECT_TRUE(inference.at("rounds").at(0).contains("proposal_mean"));
  EXPECT_TRUE(inference.at("seed").is_number());
  summary.kind = "combination";
  const auto combination = nlohmann::json::parse(summary_json(summary));
  EXPECT_TRUE(combination.at("seed").is_null());
  EXPECT_TRUE(combination.at("num_threads").is_null());
  EXPECT_EQ(parse_summary(summary_json(summary), "s.json").num_threads, 0);
}

TEST(RunSummary, DamageIsNamed) {
  const std::string text = summary_json(example());
  for (std::size_t length = 0; length + 2 < text.size(); length += 37) {
    error_of(ErrorKind::input, [&] { parse_summary(text.substr(0, length), "s.json"); });
  }
  std::string short_mean = text;
  short_mean.replace(short_mean.find("\"mean\": [\n      0.1\n    ]"), 25, "\"mean\": []");
  EXPECT_NE(error_of(ErrorKind::input, [&] { parse_summary(short_mean, "s.json"); })
                .find("posterior.mean"),
            std::string::npos);
}

}  // namespace
}  // namespace epsfree
