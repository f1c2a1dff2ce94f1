// Pritchard, Seielstad, Perez-Lezaun & Feldman (1999).
#include <algorithm>
#include <chrono>
#include <limits>
#include <numeric>
#include <utility>
#include <vector>

#include "base/archive.hpp"
#include "base/fingerprint.hpp"
#include "base/number_text.hpp"
#include "epsfree/error.hpp"
#include "infer/abc/abc_methods.hpp"
#include "infer/abc/abc_run.hpp"
#include "prob/log_sum_exp.hpp"

namespace epsfree {
namespace {

// Simulations at a time when streaming: enough for all threads, and some megabytes.
constexpr Index kBlock = 256 * kDrawnTogether;
constexpr std::chrono::seconds kSaveInterval(10);
constexpr double kMostOfUsable = 0.5;

/// The nearest simulations so far: at most `most` of them (0: any number) and none beyond epsilon.
/// Among equals the earlier ones stay, so that blocks of any size give the same.
class Nearest {
 public:
  Nearest(Index most, double epsilon) : most_(most), epsilon_(epsilon), limit_(epsilon) {}

  /// What is farther away will not be kept.
  double limit() const { return limit_; }
  double nearest() const { return nearest_; }

  void offer(const Eigen::MatrixXd& thetas, const Eigen::MatrixXd& statistics,
             const Eigen::VectorXd& distances) {
    for (Index i = 0; i < distances.size(); ++i) {
      if (distances[i] < nearest_) nearest_ = distances[i];
      if (!(distances[i] <= limit_) || distances[i] == kInfinity) continue;
      distances_.push_back(distances[i]);
      thetas_.insert(thetas_.end(), thetas.col(i).begin(), thetas.col(i).end());
      statistics_.insert(statistics_.end(), statistics.col(i).begin(), statistics.col(i).end());
      if (most_ > 0 && size() >= 2 * most_ + kDrawnTogether) prune();
    }
  }

  AbcSample sample(Index dim, Index num_statistics) {
    prune();
    AbcSample result;
    result.thetas = Eigen::Map<const Eigen::MatrixXd>(thetas_.data(), dim, size());
    result.statistics =
        Eigen::Map<const Eigen::MatrixXd>(statistics_.data(), num_statistics, size());
    result.distances = Eigen::Map<const Eigen::VectorXd>(distances_.data(), size());
    result.weights.setOnes(size());
    const double farthest = size() > 0 ? result.distances.maxCoeff() : 0;
    result.epsilon = epsilon_ < kInfinity ? epsilon_ : farthest;
    if (most_ > 0 && size() == most_) result.epsilon = farthest;
    return result;
  }

  /// Whether the distances are those of this distance: they may have been read from a file.
  bool measured_by(const Distance& distance) const {
    const auto num_statistics = static_cast<Index>(distance.observed().size());
    if (static_cast<Index>(statistics_.size()) != num_statistics * size()) return false;
    const Eigen::Map<const Eigen::MatrixXd> statistics(statistics_.data(), num_statistics, size());
    for (Index i = 0; i < size(); ++i) {
      if (distance(statistics.col(i)) != at(distances_, i)) return false;
    }
    return true;
  }

  template <class Archive>
  friend void exchange(Archive& archive, Nearest& nearest) {
    archive(nearest.limit_, nearest.nearest_, nearest.distances_, nearest.thetas_,
            nearest.statistics_);
  }

 private:
  Index size() const { return static_cast<Index>(distances_.size()); }

  void prune() {
    if (most_ == 0 || size() <= most_) return;
    std::vector<Index> order(distances_.size());
    std::iota(order.begin(), order.end(), Index{0});
    std::nth_element(order.begin(), order.begin() + most_ - 1, order.end(), [&](Index a, Index b) {
      const double left = at(distances_, a), right = at(distances_, b);
      return left < right || (left == right && a < b);
    });
    limit_ = at(distances_, order[static_cast<std::size_t>(most_ - 1)]);
    order.resize(static_cast<std::size_t>(most_));
    std::sort(order.begin(), order.end());
    const auto dim = static_cast<Index>(thetas_.size()) / size();
    const auto num_statistics = static_cast<Index>(statistics_.size()) / size();
    for (std::size_t to = 0; to < order.size(); ++to) {
      distances_[to] = at(distances_, order[to]);
      move(thetas_, order[to], static_cast<Index>(to), dim);
      move(statistics_, order[to], static_cast<Index>(to), num_statistics);
    }
    distances_.resize(order.size());
    thetas_.resize(order.size() * static_cast<std::size_t>(dim));
    statistics_.resize(order.size() * static_cast<std::size_t>(num_statistics));
  }

  static double at(const std::vector<double>& values, Index i) {
    return values[static_cast<std::size_t>(i)];
  }
  static void move(std::vector<double>& values, Index from, Index to, Index length) {
    std::copy_n(values.begin() + from * length, length, values.begin() + to * length);
  }

  Index most_;
  double epsilon_, limit_;
  double nearest_ = kInfinity;
  std::vector<double> distances_, thetas_, statistics_;
};

class RejectionRun {
 public:
  explicit RejectionRun(InferenceRun& run)
      : run_(run),
        options_(std::get<RejectionOptions>(run.options().method)),
        distance_(make_distance(run)),
        total_(run.budget_left()),
        nearest_(most(), options_.epsilon > 0 ? options_.epsilon : kInfinity),
        round_(new_round("rejection", 1)) {}

  InferResult result() {
    if (total_ <= 0) {
      throw Error(ErrorKind::stopped,
                  "the pilot run has spent the whole budget; raise method.num_simulations or lower "
                  "method.pilot.num_simulations");
    }
    if (options_.streaming) recall();
    while (done_ < total_) {
      // Without streaming all simulations are one set, which serves any epsilon.
      const Index count = options_.streaming ? std::min(kBlock, total_ - done_) : total_;
      simulate(count);
      done_ += count;
      if (options_.streaming) remember();
    }
    AbcSample sample = nearest_.sample(run_.prior().dim(), run_.problem().observed.size());
    if (sample.size() == 0) explain_nothing();
    if (!warning_.empty()) run_.warn(warning_);
    round_.acceptance_rate =
        static_cast<double>(sample.size()) / static_cast<double>(round_.simulations.total());
    const auto size = static_cast<double>(sample.size());
    if (size > kMostOfUsable * static_cast<double>(round_.simulations[SimStatus::ok])) {
      run_.warn(
          "more than half of all usable simulations were accepted: the answer is nearly the "
          "prior. Raise method.num_simulations, or lower epsilon, num_samples or fraction");
    }
    return finish_abc(run_, std::move(sample), size, std::move(round_));
  }

 private:
  Index most() const { return options_.most_of(total_); }

  void simulate(Index count) {
    const Eigen::MatrixXd thetas =
        draw_from_prior(run_.prior(), run_.options().seed, 1, done_, count, run_.num_threads());
    const Key key{
        .purpose = Purpose::simulation, .round = 1, .index = static_cast<std::uint64_t>(done_)};
    DistanceFilter filter;
    if (options_.streaming) {
      filter = [&](const auto& x) { return distance_(x) <= nearest_.limit(); };
    }
    const SimulationResults results =
        run_.simulate(thetas, key, round_, DrawnFrom::prior, {}, filter);
    if (done_ == 0) {
      run_.require_usable(results, thetas, key, 1, "rejection");
      warning_ = distance_warning(run_, results.statistics);
    }
    nearest_.offer(thetas, results.statistics,
                   distance_.of_columns(results.statistics, run_.num_threads()));
  }

  [[noreturn]] void explain_nothing() const {
    if (nearest_.nearest() == kInfinity) explain_infinite_distances(round_.simulations.total());
    throw Error(
        ErrorKind::stopped,
        "none of " + std::to_string(round_.simulations.total()) +
            " simulations came within method.rejection.epsilon = " + number_text(options_.epsilon) +
            "; the nearest was " + number_text(nearest_.nearest()) +
            " away. Raise epsilon or method.num_simulations, or set epsilon = 0 to take "
            "the nearest");
  }

  // A stream of simulations that are not recorded cannot be replayed: its state is kept instead.
  std::uint64_t inputs() const {
    Fingerprint print;
    print.add(run_.options().seed);
    print.add(most());
    print.add(options_.epsilon);
    print.add(static_cast<int>(options_.abc.distance));
    // What the distance says somewhere: one of the user's own has no other name.
    print.add(distance_(2 * run_.problem().observed.array() + 1));
    print.add(run_.problem().observed);
    return print.value();
  }
  void recall() {
    const auto bytes = run_.memory().recall(kRejectionStreamState, inputs());
    if (!bytes) return;
    SimulationCounts counts;
    ByteReader reader(*bytes);
    Index done = 0;
    Nearest nearest = nearest_;
    std::string warning;
    Eigen::MatrixXd dropped;
    reader(done, nearest, counts.by_status, warning, dropped);
    FaultTally faults;
    if (!reader.at_end()) reader(faults);  // version 0.1 did not keep them
    if (done > total_ || !nearest.measured_by(distance_)) return;
    if (dropped.cols() > 0 && dropped.rows() != run_.prior().dim()) return;
    if (!faults.is_of(run_.prior().dim())) return;
    run_.recall_dropped(dropped);
    run_.recall_faults(std::move(faults));
    done_ = done;
    nearest_ = std::move(nearest);
    warning_ = std::move(warning);
    round_.simulations = counts;
    run_.summary().simulations.add(counts.by_status);
  }
  void remember() {
    const auto now = std::chrono::steady_clock::now();
    // A block that the budget cut short is not where a larger one could go on.
    if (!run_.memory().works() || done_ % kBlock != 0) return;
    if (now - saved_ < kSaveInterval && done_ + kBlock <= total_) return;
    saved_ = now;
    ByteWriter writer;
    writer(done_, nearest_, round_.simulations.by_status, warning_, run_.dropped(), run_.faults());
    run_.memory().remember(kRejectionStreamState, inputs(), writer.bytes());
  }

  InferenceRun& run_;
  const RejectionOptions& options_;
  const Distance distance_;
  const Index total_;
  Nearest nearest_;
  RoundSummary round_;
  std::string warning_;  // of the distance, from the first block
  Index done_ = 0;
  std::chrono::steady_clock::time_point saved_ = std::chrono::steady_clock::now();
};

}  // namespace

InferResult rejection_abc(InferenceRun& run) { return RejectionRun(run).result(); }

}  // namespace epsfree
