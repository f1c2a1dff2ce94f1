#include "epsfree/calibration.hpp"

#include <algorithm>
#include <atomic>
#include <mutex>
#include <new>
#include <utility>

#include "base/archive.hpp"
#include "base/fingerprint.hpp"
#include "base/numerics.hpp"
#include "base/parallel.hpp"
#include "base/require.hpp"
#include "diagnose/calibration/ranked_truth.hpp"
#include "diagnose/calibration/reference_points.hpp"
#include "infer/memory.hpp"
#include "infer/stop_observer.hpp"

namespace epsfree {

template <class Archive>
void exchange(Archive& archive, CalibrationRecord& record) {
  archive(record.truth, record.observed, record.ranks, record.density_rank, record.distance_rank,
          record.mean, record.standard_deviation, record.sample, record.error);
}

namespace {

// A model that gives nothing valid so often in a row cannot be calibrated.
constexpr std::uint64_t kMaxDraws = 1000;
// Parts of a repetition's random numbers.
enum Part : std::uint32_t { truth_part, seed_part, sample_part, reference_part, tie_part };
// Repetitions count from zero; the simulations for reference points stand apart from them.
constexpr std::uint32_t kReferenceReplicate = 0xffffffffu;

struct Pair {
  Eigen::VectorXd theta, statistics;
  long num_redrawn = 0;
};

/// Parameters from the prior and a valid simulation from them.
Pair draw_pair(const Problem& problem, std::uint64_t seed, std::uint32_t replicate,
               std::uint32_t number) {
  ThreadRunner runner(RunnerOptions{.num_threads = 1, .give_up_after = 0});
  Stream prior_stream(seed, {.purpose = Purpose::calibration,
                             .replicate = replicate,
                             .round = truth_part,
                             .index = number});
  Pair pair;
  std::string failure;
  for (std::uint64_t attempt = 0; attempt < kMaxDraws; ++attempt) {
    pair.theta = problem.prior->sample(prior_stream);
    const SimulationResults results =
        runner.run({.simulator = *problem.simulator,
                    .thetas = pair.theta,
                    .seed = seed,
                    .first = {.purpose = Purpose::calibration_simulation,
                              .replicate = replicate,
                              .round = number,
                              .index = attempt},
                    .may_give_up = false});
    if (results.num_ok() == 1) {
      pair.statistics = results.statistics.col(0);
      return pair;
    }
    ++pair.num_redrawn;
    if (failure.empty()) failure = results.first_failure;
  }
  throw Error(ErrorKind::stopped,
              "calibration: none of " + std::to_string(kMaxDraws) +
                  " simulations from the prior was valid" +
                  (failure.empty() ? std::string() : "; the first said: " + failure));
}

class Calibrator {
 public:
  Calibrator(const Problem& problem, const Procedure& procedure, const CalibrationOptions& options,
             CalibrationListener& listener)
      : problem_(problem),
        procedure_(procedure),
        options_(options),
        listener_(listener),
        reference_(learn_reference()) {}

  Pair draw(std::uint32_t repetition) const {
    return draw_pair(problem_, options_.seed, repetition, 0);
  }

  CalibrationRecord repeat(std::uint32_t repetition, const Pair& pair) const {
    CalibrationRecord record;
    record.truth = pair.theta;
    record.observed = pair.statistics;
    try {
      StopObserver observer([this] { return listener_.stop(); });
      const PosteriorPtr posterior =
          procedure_(pair.statistics, stream(repetition, seed_part).bits64(), &observer);
      rank_truth(*posterior, options_.num_samples, reference_,
                 {stream(repetition, sample_part), stream(repetition, tie_part),
                  stream(repetition, reference_part)},
                 record);
    } catch (const Error& error) {
      if (error.kind() == ErrorKind::interrupted) throw;
      record.error = error.what();
    } catch (const std::bad_alloc&) {
      throw;
    } catch (const std::exception& error) {
      record.error = error.what();
    }
    return record;
  }

 private:
  Stream stream(std::uint32_t repetition, Part part) const {
    return Stream(options_.seed,
                  {.purpose = Purpose::calibration, .replicate = repetition, .round = part});
  }

  ReferencePoints learn_reference() const {
    const Index count = options_.num_reference_simulations;
    Eigen::MatrixXd thetas(problem_.prior->dim(), count);
    Eigen::MatrixXd statistics(problem_.simulator->num_statistics(), count);
    parallel_for(options_.num_threads, static_cast<std::size_t>(count), 16,
                 [&](std::size_t begin, std::size_t end) {
                   if (listener_.stop()) throw Error(ErrorKind::interrupted, "interrupted");
                   for (std::size_t i = begin; i < end; ++i) {
                     const Pair pair = draw_pair(problem_, options_.seed, kReferenceReplicate,
                                                 static_cast<std::uint32_t>(i));
                     thetas.col(static_cast<Index>(i)) = pair.theta;
                     statistics.col(static_cast<Index>(i)) = pair.statistics;
                   }
                 });
    return ReferencePoints(problem_.prior, thetas, statistics);
  }

  const Problem& problem_;
  const Procedure& procedure_;
  const CalibrationOptions& options_;
  CalibrationListener& listener_;
  ReferencePoints reference_;
};

}  // namespace

void CalibrationOptions::validate() const {
  require_between(1, 10'000'000, "calibration.num_repetitions", num_repetitions);
  require_between(9, 1'000'000, "calibration.num_samples", num_samples);
  require(num_threads >= 0, "calibration.num_threads", num_threads, "at least 0");
  require_between(0, 10'000'000, "calibration.num_reference_simulations",
                  num_reference_simulations);
}

Calibration calibrate(const Problem& problem, const Procedure& procedure,
                      const std::string& identity, const CalibrationOptions& options,
                      CalibrationListener* listener, Journal* journal) {
  options.validate();
  problem.validate();
  pin_numerics();
  CalibrationListener silent;
  CalibrationListener& told = listener != nullptr ? *listener : silent;
  const Calibrator calibrator(problem, procedure, options, told);

  Calibration result;
  result.names = problem.names.empty() ? default_names(problem.prior->dim()) : problem.names;
  result.num_samples = options.num_samples;
  result.records.resize(static_cast<std::size_t>(options.num_repetitions));
  std::atomic<long> num_redrawn = 0;
  std::mutex mutex;
  long done = 0;
  Memory memory(journal);
  parallel_for(options.num_threads, result.records.size(), 1,
               [&](std::size_t begin, std::size_t end) {
                 for (std::size_t i = begin; i < end; ++i) {
                   if (told.stop()) throw Error(ErrorKind::interrupted, "interrupted");
                   const auto repetition = static_cast<std::uint32_t>(i);
                   const Pair pair = calibrator.draw(repetition);
                   num_redrawn += pair.num_redrawn;
                   Fingerprint made_from;
                   made_from.add(identity);
                   made_from.add(options.seed);
                   made_from.add(options.num_samples);
                   made_from.add(options.num_reference_simulations);
                   made_from.add(pair.theta);
                   made_from.add(pair.statistics);
                   const std::string name = "calibration/" + std::to_string(i);
                   std::optional<std::string> known;
                   {
                     const std::lock_guard lock(mutex);
                     known = memory.recall(name, made_from.value());
                   }
                   CalibrationRecord& record = result.records[i];
                   if (known) {
                     ByteReader reader(*known);
                     reader(record);
                   } else {
                     record = calibrator.repeat(repetition, pair);
                   }
                   const std::lock_guard lock(mutex);
                   if (!known) {
                     ByteWriter writer;
                     writer(record);
                     memory.remember(name, made_from.value(), writer.bytes());
                   }
                   told.on_repetition(++done, options.num_repetitions, record);
                 }
               });
  result.num_redrawn = num_redrawn;
  return result;
}

Eigen::MatrixXi Calibration::ranks() const {
  Eigen::MatrixXi result(dim(), static_cast<Index>(records.size()) - num_failed());
  Index at = 0;
  for (const CalibrationRecord& each : records) {
    if (each.error.empty()) result.col(at++) = each.ranks;
  }
  return result;
}

Eigen::VectorXi Calibration::density_ranks() const {
  Eigen::VectorXi result(static_cast<Index>(records.size()) - num_failed());
  Index at = 0;
  for (const CalibrationRecord& each : records) {
    if (each.error.empty()) result[at++] = each.density_rank;
  }
  return result;
}

Eigen::VectorXi Calibration::distance_ranks() const {
  Eigen::VectorXi result(static_cast<Index>(records.size()) - num_failed());
  Index at = 0;
  for (const CalibrationRecord& each : records) {
    if (each.error.empty()) result[at++] = each.distance_rank;
  }
  return result;
}

long Calibration::num_failed() const {
  return std::count_if(records.begin(), records.end(),
                       [](const CalibrationRecord& each) { return !each.error.empty(); });
}

}  // namespace epsfree
