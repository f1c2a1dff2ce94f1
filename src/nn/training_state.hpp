// What changes while a network is trained: exactly what a checkpoint holds.
#pragma once

#include <limits>
#include <span>
#include <utility>
#include <vector>

#include "epsfree/stream.hpp"
#include "epsfree/training.hpp"
#include "nn/adam.hpp"
#include "nn/blow_up_guard.hpp"

namespace epsfree {

/// The mean of what was added since it was last taken.
class RunningMean {
 public:
  void add(double value) {
    sum_ += value;
    ++count_;
  }
  bool empty() const { return count_ == 0; }
  double take() {
    const double mean = sum_ / static_cast<double>(count_);
    *this = {};
    return mean;
  }

 private:
  double sum_ = 0;
  long count_ = 0;
};

/// Counts how long a value has not fallen by more than `tolerance` below the best one before.
class Plateau {
 public:
  Plateau(double tolerance, int patience) : tolerance_(tolerance), patience_(patience) {}
  /// Whether `value` is a gain.
  bool update(double value) {
    if (value < best_ - tolerance_) {
      best_ = value;
      checks_ = 0;
      return true;
    }
    ++checks_;
    return false;
  }
  bool over() const { return checks_ >= patience_; }
  double best() const { return best_; }

 private:
  double tolerance_;
  int patience_;
  int checks_ = 0;
  double best_ = std::numeric_limits<double>::infinity();
};

/// Endless minibatches: epochs in a new random order each. What does not fill a batch at the end of
/// an epoch is left out of it.
class Batches {
 public:
  Batches(std::vector<Index> examples, std::size_t batch_size, Stream order)
      : examples_(std::move(examples)),
        size_(std::min(batch_size, examples_.size())),
        next_(examples_.size()),
        order_(order) {}
  std::span<const Index> next() {
    if (next_ + size_ > examples_.size()) {
      order_.shuffle(std::span<Index>(examples_));
      next_ = 0;
    }
    next_ += size_;
    return std::span<const Index>(examples_).subspan(next_ - size_, size_);
  }
  long steps_per_epoch() const { return static_cast<long>(examples_.size() / size_); }
  Index num_examples() const { return static_cast<Index>(examples_.size()); }

  template <class Archive>
  friend void exchange(Archive& archive, Batches& batches) {
    archive(batches.examples_, batches.next_, batches.order_);
  }

 private:
  std::vector<Index> examples_;
  std::size_t size_;
  std::size_t next_;
  Stream order_;
};

template <class Archive>
void exchange(Archive& archive, TrainingSummary& summary) {
  archive(summary.num_steps, summary.best_step, summary.final_loss, summary.validation_loss,
          summary.seconds, summary.stopped_because, summary.loss_history, summary.diverged);
}

template <class Scalar>
struct TrainingState {
  TrainingState(const TrainingOptions& options, std::size_t num_parameters, Batches first_batches,
                Stream first_noise)
      : batches(std::move(first_batches)),
        noise(first_noise),
        adam(num_parameters),
        validation(0.0, options.patience),
        loss(options.convergence_tolerance, options.patience) {
    summary.stopped_because = "steps";
    summary.validation_loss = std::numeric_limits<double>::quiet_NaN();
    summary.final_loss = std::numeric_limits<double>::quiet_NaN();
  }

  Batches batches;
  Stream noise;
  Adam<Scalar> adam;
  BlowUpGuard<Scalar> guard;
  Plateau validation, loss;
  std::vector<Scalar> best_parameters;  // with validation
  RunningMean window_loss, check_loss;
  int num_skipped = 0;  // steps, in a row
  double rate_factor = 1;
  TrainingSummary summary;  // its num_steps is where training is
};

template <class Archive, class Scalar>
void exchange(Archive& archive, TrainingState<Scalar>& state) {
  archive(state.batches, state.noise, state.adam, state.guard, state.validation, state.loss,
          state.best_parameters, state.window_loss, state.check_loss, state.num_skipped,
          state.rate_factor, state.summary);
}

}  // namespace epsfree
