// Notices when training has blown up, and takes it back.
#pragma once

#include <algorithm>
#include <limits>
#include <span>
#include <vector>

namespace epsfree {

/// A learning rate that is too large for a network that is already good throws it out of its
/// optimum in a few steps, with losses that stay finite. This keeps the parameters of the best
/// window of steps, so that the training can go on from there with smaller steps.
template <class Scalar>
class BlowUpGuard {
 public:
  /// Takes in the mean loss of a window that has ended; true if training must be taken back:
  /// several windows in a row are far worse than the best one.
  bool blown_up(double window_loss, std::span<const Scalar> parameters) {
    if (window_loss < best_loss_) {
      best_loss_ = window_loss;
      best_parameters_.assign(parameters.begin(), parameters.end());
    }
    num_bad_ = window_loss > best_loss_ + kFarWorse ? num_bad_ + 1 : 0;
    return num_bad_ >= kWindowsInARow;
  }
  /// Whether training ended clearly worse than it once was.
  bool ended_badly(double final_loss) const { return final_loss > best_loss_ + kClearlyWorse; }

  double best_loss() const { return best_loss_; }
  void restore(std::span<Scalar> parameters) {
    std::copy(best_parameters_.begin(), best_parameters_.end(), parameters.begin());
    num_bad_ = 0;
  }

 private:
  // In nats. One window's mean may jump by a few on an outlier; three that are each ten worse do
  // not.
  static constexpr double kFarWorse = 10;
  static constexpr double kClearlyWorse = 2;
  static constexpr int kWindowsInARow = 3;

  double best_loss_ = std::numeric_limits<double>::infinity();
  std::vector<Scalar> best_parameters_;
  int num_bad_ = 0;
};

}  // namespace epsfree
