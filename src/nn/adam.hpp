// Adam (Kingma & Ba 2014).
#pragma once

#include <span>
#include <vector>

#include "nn/kernel_choice.hpp"

namespace epsfree {

/// Kingma & Ba's default decays. Epsilon stands inside the square root, m / sqrt(v + epsilon), as
/// in the code of Papamakarios & Murray: it then damps steps whose gradients are below 1e-4.
template <class T>
class Adam {
 public:
  explicit Adam(std::size_t num_parameters) : mean_(num_parameters), square_(num_parameters) {}

  /// One step down `gradient` times `gradient_scale`.
  void step(double rate, std::span<T> parameters, std::span<const T> gradient,
            double gradient_scale) {
    mean_power_ *= kMeanDecay;
    square_power_ *= kSquareDecay;
    const AdamStep step{.rate = rate,
                        .mean_decay = kMeanDecay,
                        .square_decay = kSquareDecay,
                        .mean_correction = 1 / (1 - mean_power_),
                        .square_correction = 1 / (1 - square_power_),
                        .epsilon = kEpsilon,
                        .gradient_scale = gradient_scale};
    kernels<T>().adam(step, parameters.data(), gradient.data(), mean_.data(), square_.data(),
                      static_cast<ptrdiff_t>(parameters.size()));
  }

  template <class Archive>
  friend void exchange(Archive& archive, Adam& adam) {
    archive(adam.mean_, adam.square_, adam.mean_power_, adam.square_power_);
  }

 private:
  static constexpr double kMeanDecay = 0.9;
  static constexpr double kSquareDecay = 0.999;
  static constexpr double kEpsilon = 1e-8;

  std::vector<T> mean_;
  std::vector<T> square_;
  double mean_power_ = 1;  ///< decay to the power of the steps made
  double square_power_ = 1;
};

}  // namespace epsfree
