// The reproduction of the paper: what it plans, what it measures, what it says.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <set>

#include "epsfree/models.hpp"
#include "paper/paper_claims.hpp"
#include "paper/paper_figures.hpp"
#include "paper/paper_page.hpp"
#include "support/error_of.hpp"

namespace epsfree {
namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

PaperTarget target_of(const std::string& name) {
  const auto chosen = model(name);
  if (chosen->exact_posterior(chosen->default_observed())) return paper_target(name, "", nullptr);
  // Any samples will do where only the study's sentences are tested.
  Stream stream(1);
  const SamplesPosterior made(chosen->prior(), chosen->parameter_names(),
                              WeightedSamples(chosen->prior()->sample(500, stream)));
  return paper_target(name, "", made.weighted_samples());
}

/// A study in which every inference has ended with the same numbers.
PaperResults uniform_results(const std::vector<std::string>& models) {
  PaperResults results;
  for (const std::string& name : models) {
    results.targets.push_back(target_of(name));
    for (PaperPart& part : plan_paper(name, results.scale)) {
      const bool abc = part.method.find("-abc") != std::string::npos;
      PaperRecord record;
      record.num_simulations = 1000;
      record.effective_samples = abc ? 100 : kNaN;
      record.epsilon =
          abc ? (part.method == "rejection-abc" ? 1e3 / std::sqrt(part.setting) : part.setting)
              : kNaN;
      record.divergence = 0.5;
      record.truth_score = 1;
      const Index dim = results.targets.back().problem.prior->dim();
      record.mean = Eigen::VectorXd::Zero(dim);
      record.standard_deviation = Eigen::VectorXd::Ones(dim);
      record.marginal = {Eigen::VectorXd::LinSpaced(5, 0, 1), Eigen::VectorXd::Ones(5)};
      record.num_rounds = 4;
      record.num_corrections = 100;
      record.active_components = 1;
      record.x_grid = Eigen::VectorXd::LinSpaced(81, -8, 8);
      record.theta_grid = Eigen::VectorXd::LinSpaced(3, -1, 1);
      record.conditional = Eigen::MatrixXd::Ones(3, 81);
      record.divergence_by_x = Eigen::VectorXd::Zero(81);
      results.parts.push_back(std::move(part));
      results.records.push_back(std::move(record));
    }
  }
  return results;
}

template <class Change>
void change(PaperResults& results, const std::string& method, const Change& change) {
  for (std::size_t i = 0; i < results.parts.size(); ++i) {
    if (results.parts[i].method == method) change(results.parts[i], results.records[i]);
  }
}

TEST(PaperPlan, HasEveryMethodOfEveryFigureAndIsSmallerInTheQuickForm) {
  for (const auto& each : models()) {
    const std::vector<PaperPart> quick = plan_paper(each->name(), {});
    const std::vector<PaperPart> full = plan_paper(each->name(), {.full = true, .seed = 1});
    EXPECT_LT(quick.size(), full.size());
    double quick_cost = 0, full_cost = 0;
    std::set<std::string> methods;
    for (const PaperPart& part : quick) {
      quick_cost += part.cost();
      if (part.topic == PaperTopic::figure) methods.insert(part.method);
    }
    for (const PaperPart& part : full) full_cost += part.cost();
    EXPECT_LT(3 * quick_cost, full_cost);
    EXPECT_EQ(methods.count("auto"), 1u);
    for (const std::string& method : paper_strategies()) EXPECT_EQ(methods.count(method), 1u);
    for (const std::string& method : paper_rivals()) {
      EXPECT_EQ(methods.count(method), each->name() == "mixture" ? 0u : 1u);
    }
  }
  // The authors' settings are the files of examples/paper.
  const InferOptions authors =
      paper_options("mg1-queue", "mdn-with-prior", {.full = true, .seed = 1});
  EXPECT_EQ(std::get<MdnWithPriorOptions>(authors.method).training.num_steps, 1900000);
  EXPECT_EQ(authors.num_simulations, 200000);
  const InferOptions quick = paper_options("mg1-queue", "mdn-with-prior", {});
  EXPECT_LT(std::get<MdnWithPriorOptions>(quick.method).training.num_steps, 400000);
}

TEST(PaperPart, IsKnownByAllThatChangesItsRecord) {
  std::vector<PaperPart> parts = plan_paper("lotka-volterra", {});
  PaperPart part = parts.front();
  const std::string key = part.key();
  part.setting = 5;  // only says what the options are
  EXPECT_EQ(part.key(), key);
  part.options.seed += 1;
  EXPECT_NE(part.key(), key);
  part = parts.front();
  std::get<MdnWithPriorOptions>(part.options.method).training.num_steps += 1;
  EXPECT_NE(part.key(), key);
  part = parts.front();
  part.target = "another";
  EXPECT_NE(part.key(), key);
}

TEST(PaperRecord, RoundTripsAndIsRefusedWhereItIsAnothers) {
  const PaperResults results = uniform_results({"mixture"});
  PaperRecord record = results.records.front();
  record.divergence = 0.1 + 0.2;
  record.truth_score = std::numeric_limits<double>::infinity();
  const std::string text = record_json(results.parts.front(), record);
  const PaperRecord read = parse_record(text, results.parts.front(), "f");
  EXPECT_EQ(read.divergence, record.divergence);
  EXPECT_EQ(read.truth_score, record.truth_score);
  EXPECT_TRUE(std::isnan(read.epsilon));
  EXPECT_EQ(read.conditional, record.conditional);
  EXPECT_EQ(read.divergence_by_x, record.divergence_by_x);
  EXPECT_EQ(record_json(results.parts.front(), read), text);
  EXPECT_NE(error_of(ErrorKind::input, [&] { parse_record(text, results.parts.back(), "f"); })
                .find("f: is not of"),
            std::string::npos);
  for (std::size_t length = 0; length < text.size(); length += 97) {
    EXPECT_THROW(parse_record(text.substr(0, length), results.parts.front(), "f"), Error);
  }
}

TEST(PaperRecord, OfANetworkHasItsAnswersAtOtherObservations) {
  PaperPart part = plan_paper("mixture", {})[6];
  ASSERT_EQ(part.method, "mdn-with-proposal");
  auto& own = std::get<MdnWithProposalOptions>(part.options.method);
  own.training.num_steps = 300;
  own.rounds.training.num_steps = 300;
  part.options.num_simulations -= (own.rounds.max_rounds - 2) * own.rounds.num_simulations;
  own.rounds.max_rounds = 2;
  Observer observer;
  const PaperRecord record = run_part(part, target_of("mixture"), observer);
  ASSERT_EQ(record.error, "");
  EXPECT_EQ(record.num_simulations, 2 * 200 + 1000);
  EXPECT_EQ(record.num_rounds, 2);
  EXPECT_EQ(record.num_corrections, 1 + 2);  // of the second round and of two components
  EXPECT_TRUE(std::isfinite(record.divergence));
  EXPECT_TRUE(std::isnan(record.epsilon));
  ASSERT_EQ(record.divergence_by_x.size(), 81);
  // At the observation it is the divergence of the answer itself, but for damping.
  EXPECT_NEAR(record.divergence_by_x[40], record.divergence, 0.3);
  // Columns are densities of theta.
  const double step = record.theta_grid[1] - record.theta_grid[0];
  EXPECT_NEAR(record.conditional.col(40).sum() * step, 1, 0.2);
  EXPECT_NEAR(record.marginal.y.sum() * (record.marginal.x[1] - record.marginal.x[0]), 1, 0.1);
}

TEST(PaperRecord, OfAnAbcMethodHasItsEpsilonOrItsError) {
  std::vector<PaperPart> parts = plan_paper("linear-regression", {});
  const auto rejection = std::find_if(parts.begin(), parts.end(), [](const PaperPart& part) {
    return part.method == "rejection-abc";
  });
  Observer observer;
  const PaperTarget target = target_of("linear-regression");
  const PaperRecord record = run_part(*rejection, target, observer);
  EXPECT_EQ(record.num_simulations, 10000);
  EXPECT_NEAR(record.effective_samples, 1000, 1e-6);
  EXPECT_GT(record.epsilon, 1);
  EXPECT_GT(record.divergence, 5);
  PaperPart hopeless = *rejection;
  hopeless.options.method = McmcOptions{.epsilon = 1e-6};
  const PaperRecord failed = run_part(hopeless, target, observer);
  EXPECT_NE(failed.error.find("no chain can start"), std::string::npos) << failed.error;
  EXPECT_FALSE(failed.ok());
}

TEST(PaperClaims, AreThirteenWhateverWasChosen) {
  for (const std::vector<std::string>& chosen :
       {std::vector<std::string>{"mixture"},
        std::vector<std::string>{"mixture", "linear-regression", "lotka-volterra", "mg1-queue"}}) {
    const PaperResults results = uniform_results(chosen);
    const std::vector<PaperClaim> claims = judge_claims(results);
    ASSERT_EQ(claims.size(), 13u);
    for (std::size_t i = 0; i < 13; ++i) {
      EXPECT_EQ(claims[i].number, static_cast<int>(i) + 1);
      EXPECT_FALSE(claims[i].measured.empty());
      EXPECT_FALSE(claims[i].criterion.empty());
      // Whatever does not hold says why.
      EXPECT_EQ(claims[i].why.empty(), claims[i].holds == true) << claims[i].number;
      EXPECT_TRUE(claims[i].holds.has_value() || chosen.size() < 4) << claims[i].number;
    }
    const auto json = nlohmann::json::parse(claims_json(claims, results));
    EXPECT_EQ(json.at("format"), "epsfree-claims");
    ASSERT_EQ(json.at("claims").size(), 13u);
    EXPECT_EQ(json.at("claims")[3].at("holds").is_null(), chosen.size() == 1);
  }
}

// Each claim follows the numbers it is about, in both directions.
TEST(PaperClaims, FollowTheNumbers) {
  PaperResults results =
      uniform_results({"mixture", "linear-regression", "lotka-volterra", "mg1-queue"});
  const auto holds = [&](int number) { return judge_claims(results)[number - 1].holds; };
  EXPECT_EQ(holds(1), true);
  change(results, "proposal-prior", [](const PaperPart& part, PaperRecord& record) {
    if (part.topic == PaperTopic::rounds) record.divergence = 0.1;
  });
  EXPECT_EQ(holds(1), false);

  EXPECT_EQ(holds(2), false);
  for (const std::string& method : neural_methods()) {
    change(results, method,
           [](const PaperPart&, PaperRecord& record) { record.divergence = 0.05; });
  }
  EXPECT_EQ(holds(2), true);

  EXPECT_EQ(holds(3), false) << "the proposal's network is right everywhere";
  change(results, "mdn-with-proposal", [](const PaperPart&, PaperRecord& record) {
    record.divergence_by_x = (record.x_grid.array().abs() > 0.5).cast<double>();
  });
  EXPECT_EQ(holds(3), true);

  EXPECT_EQ(holds(4), false) << "no method becomes dear";
  for (const std::string& method : paper_rivals()) {
    change(results, method, [](const PaperPart&, PaperRecord& record) {
      record.divergence = 10 * record.epsilon;
      record.effective_samples = 100 * record.epsilon;
    });
  }
  EXPECT_EQ(holds(4), true);

  EXPECT_EQ(holds(5), false);
  change(results, "smc-abc",
         [](const PaperPart&, PaperRecord& record) { record.divergence = 0.02; });
  change(results, "mdn-with-proposal",
         [](const PaperPart&, PaperRecord& record) { record.divergence = 0.01; });
  EXPECT_EQ(holds(5), true);

  EXPECT_EQ(holds(6), false) << "samples of SMC-ABC are as accurate and cheaper";
  change(results, "smc-abc",
         [](const PaperPart&, PaperRecord& record) { record.effective_samples = 0.5; });
  EXPECT_EQ(holds(6), true);

  EXPECT_EQ(holds(7), false) << "as many simulations";
  change(results, "mdn-with-prior",
         [](const PaperPart&, PaperRecord& record) { record.num_simulations = 20000; });
  EXPECT_EQ(holds(7), true);

  EXPECT_EQ(holds(8), true);
  change(results, "mdn-with-proposal", [](const PaperPart& part, PaperRecord& record) {
    if (part.topic == PaperTopic::components) record.active_components = 1.8;
  });
  EXPECT_EQ(holds(8), false);

  EXPECT_EQ(holds(9), false) << "all are of one width";
  for (const std::string& method : paper_rivals()) {
    change(results, method, [](const PaperPart&, PaperRecord& record) {
      record.standard_deviation *= 1.1;
      record.truth_score = 2;
    });
  }
  EXPECT_EQ(holds(9), true);

  EXPECT_EQ(holds(10), false);
  change(results, "mdn-with-prior", [](const PaperPart& part, PaperRecord& record) {
    if (part.topic == PaperTopic::layers && part.setting < 100) record.divergence = 1;
  });
  EXPECT_EQ(holds(10), true);

  EXPECT_EQ(holds(11), false);
  change(results, "plain", [](const PaperPart& part, PaperRecord& record) {
    record.divergence = part.setting / 1000;
  });
  EXPECT_EQ(holds(11), true);

  EXPECT_EQ(holds(12), true);
  change(results, "proposal-prior",
         [](const PaperPart&, PaperRecord& record) { record.num_improper = 500; });
  EXPECT_EQ(holds(12), false);
}

TEST(PaperFigures, AreAllPanelsOfThePaper) {
  const PaperResults results =
      uniform_results({"mixture", "linear-regression", "lotka-volterra", "mg1-queue"});
  const std::vector<Figure> figures = paper_figures(results);
  std::vector<std::string> names;
  for (const Figure& figure : figures) {
    names.push_back(figure.name);
    EXPECT_FALSE(figure.caption.empty()) << figure.name;
    EXPECT_FALSE(figure.y.label.empty()) << figure.name;
  }
  const std::vector<std::string> expected = {"mixture-posteriors",
                                             "mixture-conditional-mdn-with-prior",
                                             "mixture-conditional-mdn-with-proposal",
                                             "linear-regression-divergence-by-epsilon",
                                             "linear-regression-simulations-by-divergence",
                                             "linear-regression-marginals",
                                             "lotka-volterra-truth-by-epsilon",
                                             "lotka-volterra-simulations-by-truth",
                                             "lotka-volterra-divergence-by-epsilon",
                                             "lotka-volterra-simulations-by-divergence",
                                             "lotka-volterra-estimates",
                                             "lotka-volterra-series-1",
                                             "lotka-volterra-series-2",
                                             "lotka-volterra-series-3",
                                             "lotka-volterra-series-4",
                                             "mg1-queue-truth-by-epsilon",
                                             "mg1-queue-simulations-by-truth",
                                             "mg1-queue-divergence-by-epsilon",
                                             "mg1-queue-simulations-by-divergence",
                                             "mg1-queue-estimates"};
  EXPECT_EQ(names, expected);
  // A method has one colour throughout.
  std::map<std::string, std::string> colours;
  for (const Figure& figure : figures) {
    for (const Series& series : figure.series) {
      if (series.label.empty()) continue;
      const std::string method = series.label.substr(0, series.label.find(','));
      EXPECT_EQ(colours.emplace(method, series.colour).first->second, series.colour)
          << figure.name << " " << method;
    }
  }
  const std::string html = figures_html(results, judge_claims(results), figures);
  for (const std::string& name : names) {
    EXPECT_NE(html.find(name + ".svg"), std::string::npos) << name;
  }
  EXPECT_NE(html.find("quick form"), std::string::npos);
}

TEST(PaperResults, MediansLeaveOutWhatFailedAndSayWhatItWas) {
  PaperResults results = uniform_results({"linear-regression"});
  change(results, "smc-abc", [](const PaperPart& part, PaperRecord& record) {
    if (part.setting < 1) record.error = "too small";
    if (part.setting == 1 && part.options.seed == 2) record.error = "unlucky";
  });
  const auto nearest = results.nearest("linear-regression", "smc-abc");
  ASSERT_TRUE(nearest.has_value());
  EXPECT_EQ(nearest->setting, 1);
  EXPECT_EQ(nearest->records.size(), 2u);
  EXPECT_EQ(nearest->errors, std::vector<std::string>{"unlucky"});
  EXPECT_EQ(median_of({3, kNaN, 1, 2}), 2);
  EXPECT_EQ(median_of({4, 1, 2, 3}), 2.5);
  EXPECT_TRUE(std::isnan(median_of({kNaN})));
  const std::string html = figures_html(results, judge_claims(results), paper_figures(results));
  EXPECT_NE(html.find("too small"), std::string::npos) << "what failed is on the page";
}

}  // namespace
}  // namespace epsfree
