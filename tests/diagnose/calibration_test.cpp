#include "epsfree/calibration.hpp"

#include <gtest/gtest.h>

#include <atomic>

#include "diagnose/toy_procedures.hpp"
#include "epsfree/models.hpp"
#include "support/map_journal.hpp"

namespace epsfree {
namespace {

const LinearGaussian kModel = LinearGaussian::make(2, 3, 0.5);
const CalibrationOptions kSmall = {
    .num_repetitions = 100, .num_samples = 199, .seed = 61001, .num_reference_simulations = 200};

Calibration of(Defect defect) {
  return calibrate(kModel.problem(), toy_procedure(kModel, defect), "toy", kSmall);
}

const Diagnosis& named(const std::vector<Diagnosis>& all, const std::string& name) {
  for (const Diagnosis& each : all) {
    if (each.name == name) return each;
  }
  throw std::runtime_error("no diagnosis " + name);
}

TEST(Calibration, ExactPosteriorsPass) {
  const std::vector<Diagnosis> all = diagnose(of(Defect::none));
  for (const Diagnosis& each : all) {
    EXPECT_EQ(each.verdict, Verdict::pass) << each.name << " " << each.value;
    EXPECT_FALSE(each.meaning.empty() || each.advice.empty() || each.citation.empty());
  }
  EXPECT_EQ(named(all, "sbc-ranks").num_tests, 3);
}

// Mutations seen to fail: density ranks counted from below, all reference points at the origin (the
// prior then passes).
TEST(Calibration, EachDefectIsSeenByTheCheckThatIsForIt) {
  EXPECT_EQ(named(diagnose(of(Defect::narrow)), "expected-coverage").verdict, Verdict::fail);
  const std::vector<Diagnosis> wide = diagnose(of(Defect::wide));
  EXPECT_EQ(named(wide, "expected-coverage").verdict, Verdict::fail);
  EXPECT_NE(named(wide, "expected-coverage").advice.find("too wide"), std::string::npos);
  EXPECT_EQ(named(diagnose(of(Defect::shifted)), "sbc-ranks").verdict, Verdict::fail);
  EXPECT_EQ(named(diagnose(of(Defect::swapped)), "tarp").verdict, Verdict::fail);
  // The prior is calibrated in every marginal and region: only what looks at the data sees it.
  const std::vector<Diagnosis> prior = diagnose(of(Defect::prior));
  EXPECT_EQ(named(prior, "sbc-ranks").verdict, Verdict::pass);
  EXPECT_EQ(named(prior, "expected-coverage").verdict, Verdict::pass);
  EXPECT_EQ(named(prior, "tarp").verdict, Verdict::fail);
}

TEST(Calibration, TablesHoldWhatPlotsNeed) {
  const std::vector<Diagnosis> all = diagnose(of(Defect::none));
  const Diagnosis& ranks = named(all, "sbc-ranks");
  const DiagnosisTable* histogram = ranks.table("histogram of theta1");
  ASSERT_NE(histogram, nullptr);
  EXPECT_EQ(histogram->values.col(2).sum(), 100);
  EXPECT_NEAR(histogram->values.col(3).sum(), 100, 1e-9);
  const DiagnosisTable* coverage = named(all, "expected-coverage").table("coverage");
  ASSERT_NE(coverage, nullptr);
  EXPECT_EQ(coverage->values.rows(), 101);
  for (Index i = 0; i < coverage->values.rows(); ++i) {
    EXPECT_LE(coverage->values(i, 2), coverage->values(i, 3));
    EXPECT_NEAR(coverage->values(i, 0), 0.01 * static_cast<double>(i), 0.006);
  }
}

bool same(const CalibrationRecord& a, const CalibrationRecord& b) {
  return a.truth == b.truth && a.observed == b.observed && a.ranks == b.ranks &&
         a.density_rank == b.density_rank && a.distance_rank == b.distance_rank &&
         a.mean == b.mean && a.sample == b.sample && a.error == b.error;
}

struct Stopper final : CalibrationListener {
  explicit Stopper(long after) : after_(after) {}
  void on_repetition(long done, long, const CalibrationRecord&) override { stop_ = done >= after_; }
  bool stop() override { return stop_; }
  long after_;
  std::atomic<bool> stop_ = false;
};

TEST(Calibration, GoesOnWhereItStoppedWithTheSameBitsForAnyThreads) {
  CalibrationOptions options = kSmall;
  options.num_repetitions = 30;
  options.num_threads = 1;
  std::atomic<int> calls = 0;
  const Procedure counted = [&](const Eigen::VectorXd& x, std::uint64_t seed, Observer* observer) {
    ++calls;
    return toy_procedure(kModel, Defect::none)(x, seed, observer);
  };
  const Calibration whole = calibrate(kModel.problem(), counted, "a", options);
  EXPECT_EQ(calls, 30);
  MapJournal journal;
  Stopper stopper(12);
  EXPECT_THROW(calibrate(kModel.problem(), counted, "a", options, &stopper, &journal), Error);
  EXPECT_EQ(journal.values.size(), 12u);
  calls = 0;
  options.num_threads = 3;
  const Calibration resumed = calibrate(kModel.problem(), counted, "a", options, nullptr, &journal);
  EXPECT_EQ(calls, 18);
  for (std::size_t i = 0; i < 30; ++i) EXPECT_TRUE(same(whole.records[i], resumed.records[i])) << i;
  // Another procedure's repetitions are not its own.
  calls = 0;
  calibrate(kModel.problem(), counted, "b", options, nullptr, &journal);
  EXPECT_EQ(calls, 30);
}

TEST(Calibration, InferencesThatFailAreCountedAndSaid) {
  CalibrationOptions options = kSmall;
  options.num_repetitions = 40;
  const Procedure failing = [&](const Eigen::VectorXd& x, std::uint64_t seed, Observer* observer) {
    if (x[0] > 1) throw Error(ErrorKind::stopped, "no such luck");
    return toy_procedure(kModel, Defect::none)(x, seed, observer);
  };
  const Calibration calibration = calibrate(kModel.problem(), failing, "f", options);
  EXPECT_GT(calibration.num_failed(), 2);
  EXPECT_EQ(calibration.ranks().cols(), 40 - calibration.num_failed());
  const std::vector<Diagnosis> all = diagnose(calibration);
  const Diagnosis& found = named(all, "failed-inferences");
  EXPECT_EQ(found.verdict, Verdict::fail);
  EXPECT_NE(found.meaning.find("no such luck"), std::string::npos);
}

TEST(Calibration, RepeatsWholeInferencesAndReusesAmortisedNetworks) {
  const Problem problem = kModel.problem();
  CalibrationOptions options = kSmall;
  options.num_repetitions = 4;
  options.num_threads = 3;
  InferOptions infer_options;
  infer_options.num_simulations = 300;
  MapJournal journal;
  const Calibration whole = calibrate(problem, infer_options, options, nullptr, &journal);
  EXPECT_EQ(whole.num_failed(), 0);
  EXPECT_EQ(journal.values.size(), 4u);
  options.num_threads = 1;
  const Calibration again = calibrate(problem, infer_options, options);
  for (std::size_t i = 0; i < 4; ++i) EXPECT_TRUE(same(whole.records[i], again.records[i])) << i;
  // The posterior is that of the repetition's own observation.
  for (const CalibrationRecord& each : whole.records) {
    const Gaussian exact = kModel.posterior(each.observed);
    EXPECT_LT((each.mean - exact.mean()).norm(), 0.5);
  }
  MdnWithPriorOptions network;
  network.training.num_steps = 200;
  infer_options.method = network;
  infer_options.num_simulations += network.pilot.num_simulations;
  const InferResult amortised = infer(problem, infer_options);
  EXPECT_EQ(calibrate(problem, amortised.estimator, options).num_failed(), 0);
  EXPECT_THROW(calibrate(problem, std::shared_ptr<const Estimator>(), options), Error);
}

TEST(Calibration, DrawsAgainWhereASimulationIsNotValid) {
  Problem problem = kModel.problem();
  problem.simulator = function_simulator(2, 3, [](const Eigen::VectorXd& theta, Stream& stream) {
    Eigen::VectorXd x = kModel.A * theta;
    for (double& value : x) value += 0.5 * stream.normal();
    if (theta[0] > 0) x[0] = std::nan("");
    return x;
  });
  CalibrationOptions options = kSmall;
  options.num_repetitions = 20;
  const Calibration calibration =
      calibrate(problem, toy_procedure(kModel, Defect::none), "half", options);
  EXPECT_GT(calibration.num_redrawn, 5);
  for (const CalibrationRecord& each : calibration.records) EXPECT_LE(each.truth[0], 0);
  problem.simulator = function_simulator(2, 3, [](const Eigen::VectorXd&, Stream&) {
    return Eigen::VectorXd::Constant(3, std::nan(""));
  });
  EXPECT_THROW(calibrate(problem, toy_procedure(kModel, Defect::none), "none", options), Error);
}

// Fewer null classifiers than by default.
TEST(LocalCalibration, SeesAPosteriorThatIsWrongAtTheObservation) {
  const LocalCalibrationOptions options = {.num_null = 29, .num_samples = 200};
  const Problem problem = kModel.problem();
  const auto value = [&](Defect defect) {
    const Calibration calibration = of(defect);
    const PosteriorPtr posterior = toy_procedure(kModel, defect)(problem.observed, 1, nullptr);
    return local_calibration(calibration, *posterior, problem.observed, options).value;
  };
  EXPECT_LE(value(Defect::swapped), 1.0 / 30);
  EXPECT_GT(value(Defect::none), 2.0 / 30);
}

// Right on the one side of the plane and wrong on the other: more is to be told there.
TEST(LocalCalibration, TellsWhereThePosteriorIsWrong) {
  CalibrationOptions options = kSmall;
  options.num_repetitions = 300;
  const Procedure half_wrong = [](const Eigen::VectorXd& x, std::uint64_t seed, Observer* o) {
    return toy_procedure(kModel, x[0] > 0 ? Defect::swapped : Defect::none)(x, seed, o);
  };
  const Calibration calibration = calibrate(kModel.problem(), half_wrong, "half", options);
  const auto value = [&](const Eigen::Vector2d& theta) {
    const Eigen::VectorXd observed = kModel.A * theta;
    const Diagnosis found =
        local_calibration(calibration, *half_wrong(observed, 1, nullptr), observed,
                          {.num_null = 1, .num_samples = 200, .seed = 61001});
    return found.table("statistic")->values(0, 0);
  };
  EXPECT_GT(value({1.5, -1.5}), 2 * value({-1.5, 1.5}));
}

}  // namespace
}  // namespace epsfree
