// The state of a training, saved and gone on from.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "epsfree/training.hpp"
#include "small_training.hpp"
#include "support/map_journal.hpp"

namespace epsfree {
namespace {

// Interrupted again and again, at whatever steps the clock makes of it: the same bits as in one go.
TEST(Checkpoint, IsGoneOnFromWithTheSameBits) {
  for (const bool variational : {false, true}) {
    const Examples<float> examples = linear_gaussian<float>(300, 1);
    const TrainingOptions options{.num_steps = variational ? 60000 : 150000,
                                  .batch_size = 32,
                                  .learning_rate = 1e-2,
                                  .schedule = Schedule::cosine,
                                  .validation_fraction = 0.1,
                                  .patience = 1000000,
                                  .convergence_tolerance = 1e-12};
    auto in_one_go = small_network<float>(variational);
    const TrainingSummary whole = train(in_one_go, examples, options, Stream(1), Stream(2));

    MapJournal journal;
    const TrainingCheckpoint checkpoint{&journal, "t", 7, 1e9};
    TrainingSummary summary;
    int num_parts = 0;
    long last_step = 0;
    do {
      auto network = small_network<float>(variational);
      long first_step = -1;
      summary = train(
          network, examples, options, Stream(1), Stream(2),
          [&](long step, double) {
            if (first_step < 0) first_step = step;
            return step < options.num_steps ? Action::stop : Action::proceed;
          },
          checkpoint);
      EXPECT_GT(first_step, last_step);  // nothing is trained again
      last_step = first_step;
      ++num_parts;
      if (summary.stopped_because != "interrupted") {
        EXPECT_TRUE(std::ranges::equal(network.parameters(), in_one_go.parameters()));
      }
    } while (summary.stopped_because == "interrupted");
    EXPECT_GE(num_parts, 2);
    EXPECT_EQ(summary.loss_history, whole.loss_history);
    EXPECT_EQ(summary.validation_loss, whole.validation_loss);
    EXPECT_EQ(summary.best_step, whole.best_step);
    EXPECT_EQ(summary.stopped_because, whole.stopped_because);
  }
}

// Training goes on from a checkpoint if it ignores the parameters that it is given.
TEST(Checkpoint, OfOtherWorkOrDamagedIsIgnored) {
  const Examples<float> examples = linear_gaussian<float>(100, 1);
  const TrainingOptions options{.num_steps = 50};
  MapJournal journal;
  auto expected = small_network<float>(true);
  train(expected, examples, options, Stream(1), Stream(2), {}, {&journal, "t", 7, 0});
  ASSERT_FALSE(journal.puts.empty());
  const std::string good = journal.values["t"];

  const auto goes_on = [&](const std::string& bytes, std::uint64_t made_from,
                           const TrainingOptions& how) {
    journal.values["t"] = bytes;
    auto network = small_network<float>(true);
    for (float& parameter : network.parameters()) parameter += 0.1f;
    train(network, examples, how, Stream(1), Stream(2), {}, {&journal, "t", made_from, 1e9});
    return std::ranges::equal(network.parameters(), expected.parameters());
  };
  EXPECT_TRUE(goes_on(good, 7, options));
  EXPECT_FALSE(goes_on(good, 8, options));
  EXPECT_FALSE(goes_on(good, 7, {.num_steps = 60}));
  EXPECT_FALSE(goes_on(good, 7, {.num_steps = 50, .batch_size = 10}));
  EXPECT_FALSE(goes_on(good + "x", 7, options));
  EXPECT_FALSE(goes_on(std::string(1000, '\xff'), 7, options));
  for (std::size_t length = 0; length < good.size(); length += good.size() / 37) {
    EXPECT_FALSE(goes_on(good.substr(0, length), 7, options)) << length;
  }
}

// Saved while it runs, not only when it is stopped: a power cut asks nobody.
TEST(Checkpoint, IsMadeNowAndThen) {
  MapJournal journal;
  auto network = small_network<float>(true);
  train(network, linear_gaussian<float>(100, 1), {.num_steps = 20000}, Stream(1), Stream(2), {},
        {&journal, "t", 1, 0.005});
  EXPECT_GE(journal.puts.size(), 3u);
}

}  // namespace
}  // namespace epsfree
