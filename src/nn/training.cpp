#include "epsfree/training.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <numeric>
#include <optional>

#include "base/archive.hpp"
#include "base/require.hpp"
#include "base/stopwatch.hpp"
#include "epsfree/error.hpp"
#include "epsfree/version.hpp"
#include "nn/training_state.hpp"

namespace epsfree {
namespace {

// The loss history has at most so many windows.
constexpr long kNumWindows = 200;
// So many steps skipped in a row, and there is no hope.
constexpr int kMostSkipped = 100;
// The most examples that decide which state to go back to after training blew up.
constexpr Index kExamplesToCompare = 1000;
// The learning rate's factor when training is taken back after it blew up.
constexpr double kRateAfterBlowUp = 0.3;

// When to report progress and to save: often enough that a user who says stop need not wait, seldom
// enough to cost nothing. It is the only thing here that depends on the clock, and it changes no
// result.
class ReportClock {
 public:
  bool due(bool last_step, double interval_seconds = kInterval) {
    if (last_step) return true;
    if (++steps_ % kStepsBetweenLooks != 0) return false;
    if (watch_.seconds() < interval_seconds) return false;
    watch_ = {};
    return true;
  }

 private:
  static constexpr int kStepsBetweenLooks = 8;
  static constexpr double kInterval = 0.05;
  int steps_ = 0;
  Stopwatch watch_;
};

template <class Scalar>
void check_examples(const Trainable<Scalar>& model, const Examples<Scalar>& examples) {
  require(examples.size() > 0, "the number of training examples", 0, "at least 1");
  require(examples.targets.rows() == model.target_dim(), "the targets' dimension",
          examples.targets.rows(), std::to_string(model.target_dim()));
  require(examples.contexts.rows() == model.context_dim(), "the contexts' dimension",
          examples.contexts.rows(), std::to_string(model.context_dim()));
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

// Some of the examples, apart from the others; those of weight zero, which may hold anything, as
// zeros.
template <class Scalar>
Examples<Scalar> chosen(const Examples<Scalar>& examples, std::span<const Index> indices) {
  const Index count = static_cast<Index>(indices.size());
  Examples<Scalar> result;
  result.targets.setZero(examples.targets.rows(), count);
  result.contexts.setZero(examples.contexts.rows(), count);
  result.weights.setOnes(count);
  for (Index i = 0; i < count; ++i) {
    const Index example = indices[static_cast<std::size_t>(i)];
    if (examples.weights.size() > 0) result.weights[i] = examples.weights[example];
    if (result.weights[i] == Scalar(0)) continue;
    result.targets.col(i) = examples.targets.col(example);
    result.contexts.col(i) = examples.contexts.col(example);
  }
  return result;
}

// A stream for held-out losses: its numbers are none of those that the training itself draws.
Stream apart_from(Stream noise) { return Stream(noise.bits64()); }

double learning_rate(const TrainingOptions& options, long step) {
  if (options.schedule == Schedule::constant) return options.learning_rate;
  const double done = static_cast<double>(step) / static_cast<double>(options.num_steps);
  return options.learning_rate * 0.5 * (1 + std::cos(std::numbers::pi * done));
}

// One training: the loop over its state.
template <class Scalar>
class Trainer {
 public:
  Trainer(Trainable<Scalar>& model, const Examples<Scalar>& examples,
          const TrainingOptions& options, std::vector<Index> indices, std::size_t num_held_out,
          Stream order, Stream noise)
      : model_(model),
        examples_(examples),
        options_(options),
        kernel_(kernels<Scalar>()),
        parameters_(model.parameters()),
        gradient_(parameters_.size()),
        held_out_(chosen<Scalar>(examples, std::span(indices).first(num_held_out))),
        held_out_noise_(apart_from(noise)),
        state_(options, parameters_.size(),
               Batches({indices.begin() + static_cast<std::ptrdiff_t>(num_held_out), indices.end()},
                       static_cast<std::size_t>(options.batch_size), order),
               noise),
        window_((options.num_steps + kNumWindows - 1) / kNumWindows),
        check_interval_(std::max(state_.batches.steps_per_epoch(), window_)) {}

  TrainingSummary run(const std::function<Action(long step, double loss)>& progress,
                      const TrainingCheckpoint& checkpoint) {
    const Stopwatch watch;
    TrainingSummary& summary = state_.summary;
    restore(checkpoint);
    const double seconds_before = summary.seconds;
    if (held_out_.size() > 0 && summary.num_steps == 0) validate();
    ReportClock reports, saves;
    while (summary.num_steps < options_.num_steps) {
      const double loss = step();
      if (summary.stopped_because == "diverged") break;
      const bool last = summary.num_steps == options_.num_steps;
      if (check_plateaus()) break;
      if (progress && reports.due(last) &&
          progress(summary.num_steps, std::isnan(summary.final_loss) ? loss : summary.final_loss) ==
              Action::stop) {
        summary.seconds = seconds_before + watch.seconds();
        save(checkpoint);
        summary.stopped_because = "interrupted";
        break;
      }
      if (checkpoint.journal != nullptr && !last && saves.due(false, checkpoint.interval_seconds)) {
        summary.seconds = seconds_before + watch.seconds();
        save(checkpoint);
      }
    }
    close_window();
    conclude();
    summary.seconds = seconds_before + watch.seconds();
    return summary;
  }

 private:
  double step();
  // Infinite where it is not finite, so that it is never the best.
  double loss_on(const Examples<Scalar>& examples) const {
    const double loss = model_.held_out_loss(examples, held_out_noise_);
    return std::isfinite(loss) ? loss : std::numeric_limits<double>::infinity();
  }
  void close_window();
  void take_back();
  void validate();
  bool check_plateaus();
  void conclude();

  // A checkpoint of another network, other data or another program is none.
  std::string fingerprint(const TrainingCheckpoint& checkpoint) const {
    return std::string(version()) + " " + std::to_string(checkpoint.made_from) + " " +
           std::to_string(parameters_.size()) + " " + std::to_string(sizeof(Scalar)) + " " +
           std::to_string(examples_.size()) + " " + std::to_string(options_.num_steps) + " " +
           std::to_string(options_.batch_size);
  }
  void save(const TrainingCheckpoint& checkpoint) {
    if (checkpoint.journal == nullptr) return;
    ByteWriter writer;
    writer(fingerprint(checkpoint), std::vector<Scalar>(parameters_.begin(), parameters_.end()),
           state_);
    checkpoint.journal->put(checkpoint.name, writer.bytes());
  }
  void restore(const TrainingCheckpoint& checkpoint) {
    if (checkpoint.journal == nullptr) return;
    const std::optional<std::string> bytes = checkpoint.journal->find(checkpoint.name);
    if (!bytes) return;
    TrainingState<Scalar> state = state_;
    std::vector<Scalar> parameters;
    try {
      ByteReader reader(*bytes);
      std::string writer;
      reader(writer);
      if (writer != fingerprint(checkpoint)) return;
      reader(parameters, state);
      if (!reader.at_end()) return;
    } catch (const Error&) {
      return;  // damaged: training starts over
    }
    state_ = std::move(state);
    std::copy(parameters.begin(), parameters.end(), parameters_.begin());
  }

  Trainable<Scalar>& model_;
  const Examples<Scalar>& examples_;
  const TrainingOptions& options_;
  const Kernels<Scalar>& kernel_;
  const std::span<Scalar> parameters_;
  std::vector<Scalar> gradient_;
  const Examples<Scalar> held_out_;
  const Stream held_out_noise_;
  TrainingState<Scalar> state_;
  const long window_, check_interval_;
};

/// One minibatch; its loss.
template <class Scalar>
double Trainer<Scalar>::step() {
  TrainingSummary& summary = state_.summary;
  const double loss = static_cast<double>(model_.loss(
      examples_, state_.batches.next(), state_.batches.num_examples(), state_.noise, gradient_));
  const long step = summary.num_steps++;
  const ptrdiff_t size = static_cast<ptrdiff_t>(gradient_.size());
  if (std::isfinite(loss) && kernel_.finite_check(gradient_.data(), size) == Scalar(0)) {
    if (step == 0) state_.guard.start(loss, parameters_);
    double scale = 1;
    if (options_.gradient_clip > 0) {
      const double norm = std::sqrt(kernel_.squared_norm(gradient_.data(), size));
      if (norm > options_.gradient_clip) scale = options_.gradient_clip / norm;
    }
    state_.adam.step(state_.rate_factor * learning_rate(options_, step), parameters_, gradient_,
                     scale);
    state_.window_loss.add(loss);
    state_.check_loss.add(loss);
    state_.num_skipped = 0;
  } else {
    summary.diverged = true;
    if (++state_.num_skipped >= kMostSkipped) {
      summary.stopped_because = "diverged";
      return loss;
    }
  }
  if (summary.num_steps % window_ == 0) close_window();
  return loss;
}

template <class Scalar>
void Trainer<Scalar>::close_window() {
  TrainingSummary& summary = state_.summary;
  if (state_.window_loss.empty()) return;
  summary.final_loss = state_.window_loss.take();
  summary.loss_history.push_back(summary.final_loss);
  if (!state_.guard.blown_up(summary.final_loss, parameters_)) return;
  take_back();
  state_.adam = Adam<Scalar>(parameters_.size());
  state_.rate_factor *= kRateAfterBlowUp;
  summary.diverged = true;
}

template <class Scalar>
void Trainer<Scalar>::take_back() {
  std::vector<Index> some(static_cast<std::size_t>(std::min(examples_.size(), kExamplesToCompare)));
  std::iota(some.begin(), some.end(), Index{0});
  const Examples<Scalar> comparison = chosen<Scalar>(examples_, some);
  state_.guard.restore(parameters_, [&] { return loss_on(comparison); });
}

template <class Scalar>
void Trainer<Scalar>::validate() {
  if (!state_.validation.update(loss_on(held_out_)) && !state_.best_parameters.empty()) {
    return;
  }
  state_.best_parameters.assign(parameters_.begin(), parameters_.end());
  state_.summary.best_step = state_.summary.num_steps;
}

/// Whether there is nothing more to gain.
template <class Scalar>
bool Trainer<Scalar>::check_plateaus() {
  TrainingSummary& summary = state_.summary;
  if (summary.num_steps % check_interval_ != 0) return false;
  if (held_out_.size() > 0) {
    validate();
    if (state_.validation.over()) {
      summary.stopped_because = "validation";
      return true;
    }
  }
  if (options_.convergence_tolerance > 0 && !state_.check_loss.empty()) {
    state_.loss.update(state_.check_loss.take());
    if (state_.loss.over()) {
      summary.stopped_because = "converged";
      return true;
    }
  }
  return false;
}

/// Keeps the best parameters.
template <class Scalar>
void Trainer<Scalar>::conclude() {
  TrainingSummary& summary = state_.summary;
  if (held_out_.size() > 0) {
    if (summary.num_steps % check_interval_ != 0) validate();
    std::copy(state_.best_parameters.begin(), state_.best_parameters.end(), parameters_.begin());
    summary.validation_loss = state_.validation.best();
    return;
  }
  summary.best_step = summary.num_steps;
  const bool ended_badly = state_.guard.ended_badly();
  if (!summary.diverged && !ended_badly) return;
  if (ended_badly) summary.final_loss = state_.guard.best_loss();
  take_back();
  summary.diverged = true;
}

}  // namespace

std::string to_string(Schedule schedule) {
  return schedule == Schedule::constant ? "constant" : "cosine";
}

template <class Scalar>
TrainingSummary train(Trainable<Scalar>& model, const Examples<Scalar>& examples,
                      const TrainingOptions& options, Stream order, Stream noise,
                      const std::function<Action(long step, double loss)>& progress,
                      const TrainingCheckpoint& checkpoint) {
  options.validate();
  check_examples(model, examples);
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
  return Trainer<Scalar>(model, examples, options, std::move(indices), num_held_out, order, noise)
      .run(progress, checkpoint);
}

template TrainingSummary train<float>(Trainable<float>&, const Examples<float>&,
                                      const TrainingOptions&, Stream, Stream,
                                      const std::function<Action(long, double)>&,
                                      const TrainingCheckpoint&);
template TrainingSummary train<double>(Trainable<double>&, const Examples<double>&,
                                       const TrainingOptions&, Stream, Stream,
                                       const std::function<Action(long, double)>&,
                                       const TrainingCheckpoint&);

}  // namespace epsfree
