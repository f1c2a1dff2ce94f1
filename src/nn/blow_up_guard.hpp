// Notices when training has blown up, and takes it back.
#pragma once

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <span>
#include <vector>

namespace epsfree {

/// A learning rate that is too large for a network that is already good throws it out of its
/// optimum in a few steps, with losses that stay finite. This keeps the parameters of the best
/// stretch of training, so that it can go on from there with smaller steps.
///
/// It works on the mean losses of short windows, smoothed over some ten of them, and compares with
/// how much they scatter, so that the noise of small batches is not mistaken for a blow-up.
template <class Scalar>
class BlowUpGuard {
 public:
  /// Where training starts may be the best it ever sees; one batch's loss says how good that is.
  void start(double first_loss, std::span<const Scalar> parameters) {
    first_loss_ = first_loss;
    start_parameters_.assign(parameters.begin(), parameters.end());
    best_parameters_ = start_parameters_;
  }

  /// Takes in the mean loss of a window that has ended; true if training must be taken back:
  /// several windows in a row are far worse than the best stretch.
  bool blown_up(double window_loss, std::span<const Scalar> parameters) {
    if (num_windows_ > 0) {
      scatter_ += kSmoothing * (std::abs(window_loss - last_loss_) - scatter_);
    }
    last_loss_ = window_loss;
    smoothed_ =
        num_windows_ == 0 ? window_loss : smoothed_ + kSmoothing * (window_loss - smoothed_);
    if (++num_windows_ < kWarmUp) return false;
    if (smoothed_ < reference()) {
      best_ = smoothed_;
      scatter_at_best_ = scatter_;
      best_parameters_.assign(parameters.begin(), parameters.end());
    }
    num_bad_ = window_loss > reference() + std::max(kFarWorse, kFarScatters * scatter_at_best_)
                   ? num_bad_ + 1
                   : 0;
    return num_bad_ >= kWindowsInARow;
  }

  /// Whether training ended clearly worse than it once was.
  bool ended_badly() const {
    if (!std::isfinite(best_)) return smoothed_ > first_loss_ + kFarWorse;
    return smoothed_ > best_ + std::max(kClearlyWorse, kClearScatters * scatter_at_best_);
  }

  double best_loss() const { return std::min(best_, first_loss_); }
  /// Takes the best of three: the parameters as they are, at the end of the best stretch, and at
  /// the start. `loss()` judges those in `parameters`. The losses of batches cannot: the first is
  /// one batch's, with its noise, and a stretch that was good on average may have ended badly.
  void restore(std::span<Scalar> parameters, const std::function<double()>& loss) {
    std::vector<Scalar> chosen(parameters.begin(), parameters.end());
    double least = loss();
    for (const std::vector<Scalar>* candidate : {&best_parameters_, &start_parameters_}) {
      std::copy(candidate->begin(), candidate->end(), parameters.begin());
      const double own = loss();
      if (own < least) {
        least = own;
        chosen = *candidate;
      }
    }
    std::copy(chosen.begin(), chosen.end(), parameters.begin());
    best_parameters_ = std::move(chosen);
    num_bad_ = 0;
    smoothed_ = reference();
  }

  template <class Archive>
  friend void exchange(Archive& archive, BlowUpGuard& guard) {
    archive(guard.first_loss_, guard.best_, guard.smoothed_, guard.last_loss_, guard.scatter_,
            guard.scatter_at_best_, guard.num_windows_, guard.num_bad_, guard.start_parameters_,
            guard.best_parameters_);
  }

 private:
  // In nats.
  static constexpr double kFarWorse = 10;
  static constexpr double kClearlyWorse = 2;
  // In mean differences of neighbouring windows.
  static constexpr double kFarScatters = 10;
  static constexpr double kClearScatters = 4;
  static constexpr double kSmoothing = 0.1;
  static constexpr int kWarmUp = 10;
  static constexpr int kWindowsInARow = 3;

  /// The best stretch, or the start if nothing after it was as good by far.
  double reference() const { return std::min(best_, first_loss_ + kFarWorse); }

  double first_loss_ = std::numeric_limits<double>::infinity();
  double best_ = std::numeric_limits<double>::infinity();
  double smoothed_ = 0;
  double last_loss_ = 0;
  double scatter_ = 0;
  double scatter_at_best_ = 0;
  int num_windows_ = 0;
  int num_bad_ = 0;
  std::vector<Scalar> start_parameters_, best_parameters_;
};

}  // namespace epsfree
