#include "epsfree/training.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>
#include <numbers>
#include <numeric>

#include "base/require.hpp"
#include "nn/adam.hpp"
#include "nn/blow_up_guard.hpp"

namespace epsfree {
namespace {

// The loss history has at most so many windows.
constexpr long kNumWindows = 200;
// So many steps skipped in a row, and there is no hope.
constexpr int kMostSkipped = 100;
// The learning rate's factor when training is taken back after it blew up.
constexpr double kRateAfterBlowUp = 0.3;

// The mean of what was added since it was last taken.
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

// Counts how long a value has not fallen by more than `tolerance` below the best one before.
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

// When to report progress: often enough that a user who says stop need not wait, seldom enough to
// cost nothing. It is the only thing here that depends on the clock, and it changes no result.
class ReportClock {
 public:
  bool due(bool last_step) {
    if (last_step) return true;
    if (++steps_ % kStepsBetweenLooks != 0) return false;
    const auto now = std::chrono::steady_clock::now();
    if (now - last_ < kInterval) return false;
    last_ = now;
    return true;
  }

 private:
  static constexpr int kStepsBetweenLooks = 8;
  static constexpr std::chrono::milliseconds kInterval{50};
  int steps_ = 0;
  std::chrono::steady_clock::time_point last_ = std::chrono::steady_clock::now();
};

// Endless minibatches: epochs in a new random order each. What does not fill a batch at the end of
// an epoch is left out of it.
class Batches {
 public:
  Batches(std::vector<Index> examples, std::size_t batch_size, Stream& order)
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

 private:
  std::vector<Index> examples_;
  std::size_t size_;
  std::size_t next_;
  Stream& order_;
};

template <class Scalar>
void check_examples(const ConditionalDensity<Scalar>& density, const Examples<Scalar>& examples) {
  require(examples.size() > 0, "the number of training examples", 0, "at least 1");
  require(examples.targets.rows() == density.target_dim(), "the targets' dimension",
          examples.targets.rows(), std::to_string(density.target_dim()));
  require(examples.contexts.rows() == density.context_dim(), "the contexts' dimension",
          examples.contexts.rows(), std::to_string(density.context_dim()));
  const std::string count = std::to_string(examples.size());
  require(examples.contexts.cols() == examples.size(), "the number of contexts",
          examples.contexts.cols(), "the number of targets, " + count);
  require(examples.weights.size() == 0 || examples.weights.size() == examples.size(),
          "the number of weights", examples.weights.size(), "0 or the number of targets, " + count);
  for (Index i = 0; i < examples.weights.size(); ++i) {
    const Scalar weight = examples.weights[i];
    require(weight >= 0 && std::isfinite(weight), "weight " + std::to_string(i),
            static_cast<double>(weight), "finite and not negative");
  }
}

// Those held out, without noise and without penalty.
template <class Scalar>
class Validation {
 public:
  Validation(const Examples<Scalar>& examples, std::span<const Index> held_out) {
    const Index count = static_cast<Index>(held_out.size());
    targets_.resize(examples.targets.rows(), count);
    contexts_.resize(examples.contexts.rows(), count);
    weights_.setOnes(count);
    for (Index i = 0; i < count; ++i) {
      const Index example = held_out[static_cast<std::size_t>(i)];
      if (examples.weights.size() > 0) weights_[i] = examples.weights[example];
      const bool ignored = weights_[i] == Scalar(0);  // and may hold anything
      targets_.col(i).setZero();
      contexts_.col(i).setZero();
      if (ignored) continue;
      targets_.col(i) = examples.targets.col(example);
      contexts_.col(i) = examples.contexts.col(example);
    }
  }
  bool empty() const { return weights_.size() == 0; }
  /// Mean of -weight log q. Infinite where it is not finite, so that it is never the best.
  double loss(const ConditionalDensity<Scalar>& density) const {
    const auto log_probs = density.log_probs(targets_, contexts_);
    double sum = 0;
    for (Index i = 0; i < weights_.size(); ++i) {
      sum -= static_cast<double>(weights_[i]) * static_cast<double>(log_probs[i]);
    }
    const double mean = sum / static_cast<double>(weights_.size());
    return std::isfinite(mean) ? mean : std::numeric_limits<double>::infinity();
  }

 private:
  typename ConditionalDensity<Scalar>::Matrix targets_, contexts_;
  typename ConditionalDensity<Scalar>::Vector weights_;
};

double learning_rate(const TrainingOptions& options, long step) {
  if (options.schedule == Schedule::constant) return options.learning_rate;
  const double done = static_cast<double>(step) / static_cast<double>(options.num_steps);
  return options.learning_rate * 0.5 * (1 + std::cos(std::numbers::pi * done));
}

}  // namespace

std::string to_string(Schedule schedule) {
  return schedule == Schedule::constant ? "constant" : "cosine";
}

void TrainingOptions::validate() const {
  // The largest are far beyond any use, and small enough that no size overflows.
  require_between(1, 1000000000, "num_steps", num_steps);
  require_between(1, 1000000, "batch_size", batch_size);
  require(learning_rate > 0 && learning_rate <= 1, "learning_rate", learning_rate,
          "positive and at most 1");
  require(gradient_clip >= 0 && std::isfinite(gradient_clip), "gradient_clip", gradient_clip,
          "finite and not negative");
  require(validation_fraction >= 0 && validation_fraction < 1, "validation_fraction",
          validation_fraction, "at least 0 and below 1");
  require_between(1, 1000000000, "patience", patience);
  require(convergence_tolerance >= 0 && std::isfinite(convergence_tolerance),
          "convergence_tolerance", convergence_tolerance, "finite and not negative");
}

template <class Scalar>
TrainingSummary train(ConditionalDensity<Scalar>& density, const Examples<Scalar>& examples,
                      const TrainingOptions& options, Stream order, Stream noise,
                      const std::function<Action(long step, double loss)>& progress) {
  options.validate();
  check_examples(density, examples);
  const auto start = std::chrono::steady_clock::now();
  const Kernels<Scalar>& kernel = kernels<Scalar>();

  // Hold some out, at random; at least one if any are asked for, and at least one remains.
  std::vector<Index> indices(static_cast<std::size_t>(examples.size()));
  std::iota(indices.begin(), indices.end(), Index{0});
  std::size_t num_held_out = 0;
  if (options.validation_fraction > 0 && indices.size() > 1) {
    const double share = options.validation_fraction * static_cast<double>(indices.size());
    num_held_out = std::clamp(static_cast<std::size_t>(std::llround(share)), std::size_t{1},
                              indices.size() - 1);
    order.shuffle(std::span<Index>(indices));
  }
  const Validation<Scalar> validation(examples, std::span(indices).first(num_held_out));
  indices.erase(indices.begin(), indices.begin() + static_cast<std::ptrdiff_t>(num_held_out));
  Batches batches(std::move(indices), static_cast<std::size_t>(options.batch_size), order);

  const std::span<Scalar> parameters = density.parameters();
  std::vector<Scalar> gradient(parameters.size());
  Adam<Scalar> adam(parameters.size());
  std::vector<Scalar> best_parameters;
  Plateau validation_plateau(0.0, options.patience);
  Plateau loss_plateau(options.convergence_tolerance, options.patience);
  TrainingSummary summary;
  summary.stopped_because = "steps";
  summary.validation_loss = std::numeric_limits<double>::quiet_NaN();
  summary.final_loss = std::numeric_limits<double>::quiet_NaN();

  const auto validate = [&] {
    if (!validation_plateau.update(validation.loss(density)) && !best_parameters.empty()) return;
    best_parameters.assign(parameters.begin(), parameters.end());
    summary.best_step = summary.num_steps;
  };
  if (!validation.empty()) validate();

  const long window = (options.num_steps + kNumWindows - 1) / kNumWindows;
  const long check_interval = std::max(batches.steps_per_epoch(), window);
  RunningMean window_loss, check_loss;
  ReportClock reports;
  int num_skipped = 0;
  double rate_factor = 1;
  BlowUpGuard<Scalar> guard;
  const auto close_window = [&] {
    if (window_loss.empty()) return;
    summary.final_loss = window_loss.take();
    summary.loss_history.push_back(summary.final_loss);
    if (!guard.blown_up(summary.final_loss, parameters)) return;
    guard.restore(parameters);
    adam = Adam<Scalar>(parameters.size());
    rate_factor *= kRateAfterBlowUp;
    summary.diverged = true;
  };

  for (long step = 0; step < options.num_steps; ++step) {
    const double loss = static_cast<double>(
        density.loss(examples, batches.next(), batches.num_examples(), noise, gradient));
    summary.num_steps = step + 1;
    const ptrdiff_t size = static_cast<ptrdiff_t>(gradient.size());
    if (std::isfinite(loss) && kernel.finite_check(gradient.data(), size) == Scalar(0)) {
      if (step == 0) guard.start(loss, parameters);
      double scale = 1;
      if (options.gradient_clip > 0) {
        const double norm = std::sqrt(kernel.squared_norm(gradient.data(), size));
        if (norm > options.gradient_clip) scale = options.gradient_clip / norm;
      }
      adam.step(rate_factor * learning_rate(options, step), parameters, gradient, scale);
      window_loss.add(loss);
      check_loss.add(loss);
      num_skipped = 0;
    } else {
      summary.diverged = true;
      if (++num_skipped >= kMostSkipped) {
        summary.stopped_because = "diverged";
        break;
      }
    }
    if ((step + 1) % window == 0) close_window();
    if (progress && reports.due(step + 1 == options.num_steps) &&
        progress(step + 1, std::isnan(summary.final_loss) ? loss : summary.final_loss) ==
            Action::stop) {
      summary.stopped_because = "interrupted";
      break;
    }
    if ((step + 1) % check_interval == 0) {
      if (!validation.empty()) {
        validate();
        if (validation_plateau.over()) {
          summary.stopped_because = "validation";
          break;
        }
      }
      if (options.convergence_tolerance > 0 && !check_loss.empty()) {
        loss_plateau.update(check_loss.take());
        if (loss_plateau.over()) {
          summary.stopped_because = "converged";
          break;
        }
      }
    }
  }
  close_window();

  if (!validation.empty()) {
    if (summary.num_steps % check_interval != 0) validate();
    std::copy(best_parameters.begin(), best_parameters.end(), parameters.begin());
    summary.validation_loss = validation_plateau.best();
  } else {
    summary.best_step = summary.num_steps;
    if (guard.ended_badly()) {
      guard.restore(parameters);
      summary.final_loss = guard.best_loss();
      summary.diverged = true;
    }
  }
  summary.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return summary;
}

template TrainingSummary train<float>(ConditionalDensity<float>&, const Examples<float>&,
                                      const TrainingOptions&, Stream, Stream,
                                      const std::function<Action(long, double)>&);
template TrainingSummary train<double>(ConditionalDensity<double>&, const Examples<double>&,
                                       const TrainingOptions&, Stream, Stream,
                                       const std::function<Action(long, double)>&);

}  // namespace epsfree
