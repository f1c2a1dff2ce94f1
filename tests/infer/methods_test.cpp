#include "infer/methods.hpp"

#include <gtest/gtest.h>

#include <set>

#include "infer/mdn/mdn_options.hpp"
#include "support/contains.hpp"
#include "support/error_of.hpp"
#include "support/paper_options.hpp"

namespace epsfree {
namespace {

TEST(Methods, EachHasItsOwnTypeOfOptionsAndAName) {
  std::set<std::string> names;
  for (std::size_t i = 0; i < methods().size(); ++i) {
    const MethodEntry& entry = methods()[i];
    EXPECT_EQ(entry.defaults.index(), i) << entry.name;
    EXPECT_EQ(&method_of(entry.defaults), &entry);
    EXPECT_EQ(method_name(method_by_name(entry.name)), entry.name);
    EXPECT_FALSE(entry.help.empty()) << entry.name;
    names.insert(entry.name);
    EXPECT_NO_THROW(InferOptions{.method = entry.defaults}.validate()) << entry.name;
  }
  EXPECT_EQ(names.size(), std::variant_size_v<MethodOptions>);
  EXPECT_EQ(method_name(InferOptions{}.method), "auto");
  const std::string message = error_of(ErrorKind::usage, [] { method_by_name("smc"); });
  EXPECT_CONTAINS(message, "smc-abc");
}

TEST(Methods, KnowWhoHasAnOption) {
  EXPECT_EQ(methods_with_option("rounds.training.batch_size"),
            (std::vector<std::string>{"proposal-prior", "mdn-with-proposal"}));
  EXPECT_EQ(methods_with_option("smc"), (std::vector<std::string>{"smc-abc"}));
  EXPECT_TRUE(methods_with_option("rounds.batch_size").empty());
}

/// Visits all numbers of a method and puts each just outside its range.
class Breaker final : public OptionVisitor {
 public:
  explicit Breaker(int which) : left_(which) {}
  void group(const std::string&, const std::string&) override {}
  void option(const Option& option) override {
    const OptionRange& range = option.range;
    if (range.text.empty() || std::isinf(range.low) || left_-- != 0) return;
    broken_ = option.name;
    const double below = range.low - 1;
    if (auto* const* real = std::get_if<double*>(&option.place))
      **real = range.or_zero ? -1 : below;
    if (auto* const* whole = std::get_if<int*>(&option.place)) **whole = static_cast<int>(below);
    if (auto* const* large = std::get_if<long*>(&option.place)) {
      **large = range.or_zero ? -1 : static_cast<long>(below);
    }
    if (auto* const* list = std::get_if<std::vector<int>*>(&option.place)) **list = {0};
  }
  const std::string& broken() const { return broken_; }

 private:
  int left_;
  std::string broken_;
};

TEST(Methods, EveryRangeIsChecked) {
  for (const MethodEntry& entry : methods()) {
    for (int which = 0;; ++which) {
      InferOptions options{.method = entry.defaults};
      Breaker breaker(which);
      visit_options(options, breaker);
      if (breaker.broken().empty()) {
        EXPECT_GT(which, 0) << entry.name;
        break;
      }
      const std::string message = error_of(ErrorKind::input, [&] { options.validate(); });
      EXPECT_CONTAINS(message, breaker.broken());
      EXPECT_CONTAINS(message, "it must be");
    }
  }
}

PaperOptions four_rounds(const std::string& method) {
  PaperOptions options{.method = method, .num_simulations = 2000};
  options.pilot.scaling = Scaling::as_is;
  options.rounds.max_rounds = 4;
  options.rounds.num_simulations = 500;
  return options;
}

TEST(Budget, RoundsAndFinalTrainingKeepTheirProportion) {
  const InferOptions options = four_rounds("mdn-with-proposal");
  const auto plan = [&](Index budget) { return mdn_plan(with_budget(options, budget)); };
  EXPECT_EQ(plan(4000).per_round, 500);
  EXPECT_EQ(plan(4000).final, 2000);
  EXPECT_EQ(plan(400).per_round, 50);
  EXPECT_EQ(plan(400).final, 200);
  // Rounds that would be too small become fewer.
  EXPECT_EQ(plan(40).num_rounds, 2);
  EXPECT_EQ(plan(40).per_round, 10);
  const MdnPlan alone = mdn_plan(with_budget(four_rounds("proposal-prior"), 402));
  EXPECT_EQ(alone.per_round, 100);
  EXPECT_EQ(alone.num_rounds, 4);
}

TEST(Budget, IsMetToTheLastSimulation) {
  for (const char* method : {"mdn-with-prior", "mdn-with-proposal"}) {
    for (const Index per_round : {0, 37, 500}) {
      for (const Index budget : {20, 77, 180, 740, 4000, 10007}) {
        PaperOptions options = four_rounds(method);
        options.rounds.num_simulations = per_round == 0 ? 100 : per_round;
        InferOptions scaled = with_budget(options, budget);
        if (auto* own = std::get_if<MdnWithProposalOptions>(&scaled.method);
            own && per_round == 0) {
          own->rounds.num_simulations = 0;
        }
        const MdnPlan plan = mdn_plan(scaled);
        EXPECT_EQ(plan.pilot + plan.num_rounds * plan.per_round + plan.final, budget) << method;
        EXPECT_NO_THROW(scaled.validate()) << method << " " << budget;
      }
    }
  }
}

TEST(Budget, IsSharedByRoundsOfNoGivenSize) {
  InferOptions options{.method = MdnWithProposalOptions{}, .num_simulations = 4600};
  EXPECT_EQ(mdn_plan(options).pilot, 200);
  EXPECT_EQ(mdn_plan(options).num_rounds, 6);
  EXPECT_EQ(mdn_plan(options).per_round, 400);
  EXPECT_EQ(mdn_plan(options).final, 2000);
  options = {.method = ProposalPriorOptions{}, .num_simulations = 2600};
  EXPECT_EQ(mdn_plan(options).per_round, 400);
  // A given size that the budget does not pay for is refused, with what it would take.
  options = {.method = MdnWithProposalOptions{.rounds = {.num_simulations = 500}},
             .num_simulations = 3000};
  EXPECT_EQ(error_of(ErrorKind::input, [&] { options.validate(); }),
            "num_simulations is 3000; it must be at least 3210: 200 for the pilot run, 3000 for "
            "the rounds and at least 10 for the final training");
  // Rounds alone stop when the budget pays for no other.
  options = {.method = ProposalPriorOptions{.rounds = {.num_simulations = 500}},
             .num_simulations = 1900};
  EXPECT_EQ(mdn_plan(options).num_rounds, 3);
}

TEST(Budget, OfOtherMethodsIsItsNumberOfSimulations) {
  for (const MethodEntry& entry : methods()) {
    if (mdn_settings(entry.defaults)) continue;
    const InferOptions options{.method = entry.defaults};
    EXPECT_EQ(with_budget(options, 423).num_simulations, 423);
    EXPECT_NO_THROW(with_budget(options, 40).validate());
    const std::string message = error_of(ErrorKind::usage, [&] { with_budget(options, 39); });
    EXPECT_CONTAINS(message, "39");
    EXPECT_CONTAINS(message, "at least 40 simulations");
    EXPECT_EQ(message.find("pilot"), std::string::npos) << message;
  }
}

TEST(Budget, CountsThePilotRun) {
  MdnWithPriorOptions own;
  own.pilot = {.scaling = Scaling::whiten, .num_simulations = 200};
  const InferOptions options{.method = own};
  EXPECT_EQ(mdn_plan(with_budget(options, 1000)).final, 800);
  const std::string message = error_of(ErrorKind::usage, [&] { with_budget(options, 209); });
  EXPECT_CONTAINS(message, "209");
  EXPECT_CONTAINS(message, "at least 210");
}

}  // namespace
}  // namespace epsfree
