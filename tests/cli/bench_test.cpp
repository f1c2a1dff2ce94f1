// `epsfree bench` as a user runs it.
#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "cli/program.hpp"

namespace epsfree::cli {
namespace {

// Whole inferences in a few milliseconds.
std::vector<std::string> quick(std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), {"bench", "accuracy"});
  for (const char* assignment :
       {"method.training.num_steps=100", "method.rounds.training.num_steps=100",
        "method.rounds.max_rounds=2", "method.network.hidden_units=[5]"}) {
    arguments.insert(arguments.end(), {"--set", assignment});
  }
  for (const char* each : {"--method", "mdn-with-proposal"}) arguments.emplace_back(each);
  return arguments;
}

TEST(BenchAccuracy, PrintsATableAndWritesEveryRecord) {
  const Workplace place;
  const Outcome outcome = place.run(quick(
      {"--model", "mixture", "--seeds", "5..8", "--budget", "300", "--json", "accuracy.json"}));
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_EQ(outcome.err, "") << "silence where there is no terminal";
  for (const char* word :
       {"model", "budget", "used", "mean", "std error", "median", "best", "worst", "failed",
        "seconds", "mdn-with-proposal", "300", "corrections"}) {
    EXPECT_NE(outcome.out.find(word), std::string::npos) << word << "\n" << outcome.out;
  }
  EXPECT_EQ(outcome.out.find("seed 5"), std::string::npos);

  const auto json = nlohmann::json::parse(place.read("accuracy.json"));
  EXPECT_EQ(json.at("format"), "epsfree-accuracy");
  EXPECT_EQ(json.at("version"), 1);
  const auto& benchmark = json.at("benchmarks").at(0);
  EXPECT_EQ(benchmark.at("model"), "mixture");
  EXPECT_EQ(benchmark.at("method"), "mdn-with-proposal");
  EXPECT_EQ(benchmark.at("budget"), 300);
  EXPECT_EQ(benchmark.at("score"), "kl");
  EXPECT_EQ(benchmark.at("failed_above"), 2.0);
  EXPECT_EQ(benchmark.at("summary").at("seeds"), 4);
  EXPECT_TRUE(benchmark.at("summary").at("mean").is_number());
  EXPECT_TRUE(benchmark.at("summary").at("corrections").is_object());
  ASSERT_EQ(benchmark.at("records").size(), 4u);
  double sum = 0;
  for (std::size_t i = 0; i < 4; ++i) {
    const auto& record = benchmark.at("records").at(i);
    EXPECT_EQ(record.at("seed"), 5 + i);
    EXPECT_EQ(record.at("simulations"), 300);
    EXPECT_GT(record.at("cpu_seconds").get<double>(), 0);
    sum += record.at("score").get<double>();
  }
  EXPECT_NEAR(benchmark.at("summary").at("mean").get<double>(), sum / 4, 1e-12);
}

TEST(BenchAccuracy, VerboseHasOneLinePerSeedInOrder) {
  const Outcome outcome = Workplace().run(
      quick({"--model", "mixture", "--seeds", "1..3", "--budget", "10%", "--verbose"}));
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  const std::size_t first = outcome.out.find("seed 1"), second = outcome.out.find("seed 2"),
                    third = outcome.out.find("seed 3");
  ASSERT_NE(third, std::string::npos) << outcome.out;
  EXPECT_LT(first, second);
  EXPECT_LT(second, third);
  EXPECT_NE(outcome.out.find("180 simulations"), std::string::npos) << outcome.out;
}

TEST(BenchAccuracy, ObservationsGetATestOfTheirRanks) {
  const Workplace place;
  const Outcome outcome = place.run(quick({"--model", "mg1-queue", "--observations", "1..4",
                                           "--budget", "200", "--json", "ranks.json"}));
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_NE(outcome.out.find("Uniformity"), std::string::npos);
  EXPECT_NE(outcome.out.find("overall p"), std::string::npos);
  const auto benchmark = nlohmann::json::parse(place.read("ranks.json")).at("benchmarks").at(0);
  EXPECT_EQ(benchmark.at("mode"), "observations");
  EXPECT_EQ(benchmark.at("summary").at("ranks").at("p_values").size(), 3u);
  EXPECT_TRUE(benchmark.at("summary").at("ranks").at("passed").is_boolean());
  EXPECT_EQ(benchmark.at("records").at(0).at("ranks").size(), 3u);
}

TEST(BenchAccuracy, DrawsABarInATerminal) {
  const Outcome outcome = Workplace().run_in_terminal(
      quick({"--model", "mixture", "--seeds", "1..3", "--budget", "200"}));
  EXPECT_EQ(outcome.code, 0) << outcome.out;
  EXPECT_NE(outcome.out.find("\rmixture"), std::string::npos) << outcome.out;
  EXPECT_NE(outcome.out.find("3/3"), std::string::npos);
}

TEST(BenchAccuracy, EndsInOrderOnASignal) {
  const Workplace place;
  const pid_t child =
      place.start({"bench", "accuracy", "--model", "mixture", "--seeds", "1..9", "--method",
                   "mdn-with-proposal", "--set", "method.rounds.training.num_steps=3000000",
                   "--json", "a.json", "--verbose"});
  const auto has_started = [&] {
    std::error_code missing;
    const auto size = std::filesystem::file_size(place.streams().file("out"), missing);
    return !missing && size > 0;
  };
  for (int i = 0; i < 1000 && !has_started(); ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
  ::kill(child, SIGINT);
  const Outcome outcome = place.finish(child);
  EXPECT_EQ(outcome.code, 130) << outcome.err;
  EXPECT_NE(outcome.err.find("interrupted"), std::string::npos);
  EXPECT_FALSE(std::filesystem::exists(place.file("a.json")));
}

TEST(BenchSpeed, PrintsItsTablesAndWritesThem) {
  const Workplace place;
  const Outcome outcome = place.run({"bench", "speed", "--seconds", "1", "--json", "speed.json"});
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_EQ(outcome.err, "");
  for (const char* word : {"MFLOP/step", "steps/s", "GEMM", "share", "textbook loop", "10 million",
                           "parameters", "9-50-(D4,K1), variational"}) {
    EXPECT_NE(outcome.out.find(word), std::string::npos) << word << "\n" << outcome.out;
  }
  const auto json = nlohmann::json::parse(place.read("speed.json"));
  EXPECT_EQ(json.at("format"), "epsfree-speed");
  EXPECT_EQ(json.at("version"), 1);
  ASSERT_EQ(json.at("training").size(), 4u);
  // The two that findings of the paper's shapes give: products of 1.25 and 5.10 million operations.
  EXPECT_NEAR(json.at("training").at(0).at("flops_per_step").get<double>(), 1.2512e6, 1);
  EXPECT_NEAR(json.at("training").at(1).at("flops_per_step").get<double>(), 5.104e6, 1);
  for (const auto& training : json.at("training")) {
    EXPECT_GT(training.at("steps_per_second").get<double>(), 0);
    EXPECT_NEAR(training.at("share_of_gemm").get<double>(),
                training.at("steps_per_second").get<double>() *
                    training.at("flops_per_step").get<double>() /
                    training.at("gemm_flops_per_second").get<double>(),
                1e-9);
  }
  EXPECT_EQ(json.at("simulation").size(), 4u);
  EXPECT_GE(json.at("training_costs").size(), 5u);
  EXPECT_EQ(json.at("memory").at("stored_bytes"), 104.0);
}

struct BadBench {
  std::vector<std::string> arguments;
  int code;
  std::vector<std::string> said;
};

TEST(BenchAccuracy, SaysWhatIsWrong) {
  const Workplace place;
  place.write("bad.csv", "theta1,theta2\n1,2\n");
  const std::vector<BadBench> cases = {
      {{"bench"}, 64, {"epsfree bench --help"}},
      {{"bench", "acuracy"}, 64, {"unknown command 'bench acuracy'", "did you mean 'accuracy'?"}},
      {{"bench", "accuracy", "--seeds", "1..2"}, 64, {"--model", "epsfree bench accuracy --help"}},
      {{"bench", "accuracy", "--model", "mixture"}, 64, {"--seeds", "--observations"}},
      {{"bench", "accuracy", "--model", "mixture", "--seeds", "1..2", "--observations", "1..2"},
       64,
       {"either"}},
      {{"bench", "accuracy", "--model", "mixture", "--seeds", "7"}, 64, {"--seeds", "A..B", "'7'"}},
      {{"bench", "accuracy", "--model", "mixture", "--seeds", "3..1"}, 64, {"--seeds", "'3..1'"}},
      {{"bench", "accuracy", "--model", "mixture", "--seeds", "-1..1"}, 64, {"--seeds", "'-1'"}},
      {{"bench", "accuracy", "--model", "mixture", "--seeds", "1..x"}, 64, {"--seeds", "'x'"}},
      {{"bench", "accuracy", "--model", "mixture", "--seeds", "0..9000000000"},
       64,
       {"--seeds", "1000000"}},
      {{"bench", "accuracy", "--model", "mixtrue", "--seeds", "1..2"},
       65,
       {"mixtrue", "did you mean \"mixture\"?"}},
      {{"bench", "accuracy", "--model", "mg1-queue", "--seeds", "1..2"},
       64,
       {"--reference", "theta1,theta2,theta3"}},
      {{"bench", "accuracy", "--model", "all", "--seeds", "1..2"},
       64,
       {"lotka-volterra", "--reference"}},
      {{"bench", "accuracy", "--model", "all", "--seeds", "1..2", "--reference", "bad.csv"},
       64,
       {"directory"}},
      {{"bench", "accuracy", "--model", "mg1-queue", "--seeds", "1..2", "--reference", "bad.csv"},
       65,
       {"bad.csv", "got 2 columns, expected 3"}},
      {{"bench", "accuracy", "--model", "mg1-queue", "--seeds", "1..2", "--reference", "no.csv"},
       74,
       {"no.csv"}},
      {{"bench", "accuracy", "--model", "mixture", "--seeds", "1..2", "--budget", "5"},
       64,
       {"--budget is 5", "\"auto\"", "at least 40"}},
      {{"bench", "accuracy", "--model", "mixture", "--seeds", "1..2", "--budget", "5", "--method",
        "mdn-with-proposal"},
       64,
       {"--budget is 5", "\"mdn-with-proposal\"", "at least 20"}},
      {{"bench", "accuracy", "--model", "mixture", "--seeds", "1..2", "--budget", "many"},
       64,
       {"--budget", "'many'"}},
      {{"bench", "accuracy", "--model", "mixture", "--seeds", "1..2", "--method", "magic"},
       64,
       {"--method", "magic", "mdn-with-prior"}},
      {{"bench", "accuracy", "--model", "mixture", "--seeds", "1..2", "--set", "seed=3"},
       64,
       {"--set seed=3"}},
      {{"bench", "accuracy", "--model", "mixture", "--seeds", "1..2", "--set",
        "method.auto.max_components=0"},
       65,
       {"method.auto.max_components"}},
      {{"bench", "accuracy", "--model", "mixture", "--seeds", "1..2", "--method", "mdn-with-prior",
        "--set", "method.training.batch_size=0"},
       65,
       {"method.training.batch_size"}},
      {{"bench", "accuracy", "--model", "mixture", "--seeds", "1..2", "--json", "no/such.json"},
       74,
       {"no/such.json"}},
      {{"bench", "speed", "--json", "no/such.json"}, 74, {"no/such.json"}},
      {{"bench", "speed", "--seconds", "0"}, 64, {"--seconds", "'0'"}},
      {{"bench", "speed", "more"}, 64, {"more", "epsfree bench speed --help"}},
  };
  for (const BadBench& bad : cases) {
    const Outcome outcome = place.run(bad.arguments);
    EXPECT_EQ(outcome.code, bad.code) << outcome.err;
    EXPECT_EQ(outcome.out, "") << outcome.err;
    for (const std::string& part : bad.said) {
      EXPECT_NE(outcome.err.find(part), std::string::npos) << part << " in " << outcome.err;
    }
  }
}

}  // namespace
}  // namespace epsfree::cli
