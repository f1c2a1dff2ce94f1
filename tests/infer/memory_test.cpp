// Runs that are interrupted and taken up again.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "epsfree/error.hpp"
#include "epsfree/infer.hpp"
#include "epsfree/models.hpp"
#include "infer/memory.hpp"
#include "support/map_journal.hpp"
#include "support/paper_options.hpp"

namespace epsfree {
namespace {

/// Says stop when the given round ends.
class StopAfter final : public Observer {
 public:
  explicit StopAfter(int round) : round_(round) {}
  Action on_round(const RoundSummary& round) override {
    return round.round == round_ ? Action::stop : Action::proceed;
  }
  Action on_training(const TrainingProgress& progress) override {
    trained = trained || progress.step > 0;
    return Action::proceed;
  }
  bool trained = false;

 private:
  int round_;
};

InferOptions small(const std::string& method) {
  if (method == "auto") return {.num_simulations = 300};
  PaperOptions options;
  options.method = method;
  options.num_simulations = 300;
  options.network.hidden_units = {10};
  options.training.num_steps = 200;
  options.rounds.num_simulations = 60;
  options.rounds.training.num_steps = 200;
  options.rounds.max_rounds = 3;
  options.rounds.tolerance = 0;
  options.pilot.scaling = Scaling::as_is;
  return options;
}

class ResumedInference : public testing::TestWithParam<const char*> {};

TEST_P(ResumedInference, GivesTheSameBitsAndRepeatsNoFinishedWork) {
  const Problem problem = model("mixture")->problem();
  const InferOptions options = small(GetParam());
  ThreadRunner runner(1);
  const InferResult whole = infer(problem, options, runner);
  Stream stream(1);
  const Eigen::MatrixXd expected = whole.posterior->sample(5, stream);

  for (int stop_after = 1; stop_after <= static_cast<int>(whole.summary.rounds.size());
       ++stop_after) {
    MapJournal journal;
    StopAfter stop(stop_after);
    try {
      infer(problem, options, runner, &stop, &journal);
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::interrupted);
    }
    EXPECT_FALSE(journal.puts.empty());
    const std::vector<std::string> before = journal.puts;
    journal.puts.clear();
    const InferResult resumed = infer(problem, options, runner, nullptr, &journal);
    for (const std::string& name : journal.puts) {
      EXPECT_EQ(std::count(before.begin(), before.end(), name), 0) << name << " was made again";
    }
    Stream same(1);
    EXPECT_EQ(resumed.posterior->sample(5, same), expected);
    ASSERT_EQ(resumed.summary.rounds.size(), whole.summary.rounds.size());
    for (std::size_t i = 0; i < whole.summary.rounds.size(); ++i) {
      EXPECT_EQ(resumed.summary.rounds[i].mean, whole.summary.rounds[i].mean);
      EXPECT_EQ(resumed.summary.rounds[i].training.loss_history,
                whole.summary.rounds[i].training.loss_history);
    }
    // Nothing is left to do a third time.
    journal.puts.clear();
    StopAfter watch(-1);
    infer(problem, options, runner, &watch, &journal);
    EXPECT_TRUE(journal.puts.empty());
    EXPECT_FALSE(watch.trained);
  }
}

INSTANTIATE_TEST_SUITE_P(Methods, ResumedInference,
                         testing::Values("auto", "mdn-with-prior", "proposal-prior",
                                         "mdn-with-proposal"));

// A first round from the prior does not depend on the observation, but what is made of it does.
TEST(ResumedInference, IgnoresFitsAtAnotherObservation) {
  Problem problem = model("mixture")->problem();
  const InferOptions options = small("auto");
  ThreadRunner runner(1);
  MapJournal journal;
  infer(problem, options, runner, nullptr, &journal);
  problem.observed[0] = 4;
  Stream a(1), b(1);
  const Eigen::MatrixXd expected = infer(problem, options, runner).posterior->sample(5, a);
  EXPECT_EQ(infer(problem, options, runner, nullptr, &journal).posterior->sample(5, b), expected);
}

// A journal of other work, here of another seed, changes nothing.
TEST(ResumedInference, IgnoresWhatWasMadeFromOtherInputs) {
  const Problem problem = model("mixture")->problem();
  for (const char* method : {"auto", "mdn-with-proposal"}) {
    InferOptions options = small(method);
    ThreadRunner runner(1);
    Stream a(1), b(1);
    const Eigen::MatrixXd expected = infer(problem, options, runner).posterior->sample(5, a);
    MapJournal journal;
    options.seed = 2;
    infer(problem, options, runner, nullptr, &journal);
    options.seed = 1;
    EXPECT_EQ(infer(problem, options, runner, nullptr, &journal).posterior->sample(5, b), expected);
  }
}

TEST(Memory, KeepsNothingWithoutAJournalAndForgetsOtherInputs) {
  Memory none(nullptr);
  none.remember("a", 1, "bytes");
  EXPECT_FALSE(none.recall("a", 1));
  MapJournal journal;
  Memory memory(&journal);
  memory.remember("a", 1, "bytes");
  EXPECT_EQ(memory.recall("a", 1), "bytes");
  EXPECT_FALSE(memory.recall("a", 2));
  journal.values["a"].pop_back();
  EXPECT_FALSE(memory.recall("a", 1));
  memory.forget("a");
  EXPECT_TRUE(journal.values.empty());
}

}  // namespace
}  // namespace epsfree
