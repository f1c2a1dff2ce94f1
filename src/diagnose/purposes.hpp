// TEMPORARY while building
#pragma once
#include "epsfree/stream.hpp"
namespace epsfree {
inline constexpr Purpose kP_calibration = static_cast<Purpose>(30);
inline constexpr Purpose kP_calibration_simulation = static_cast<Purpose>(31);
inline constexpr Purpose kP_predictive_parameters = static_cast<Purpose>(32);
inline constexpr Purpose kP_predictive_simulation = static_cast<Purpose>(33);
inline constexpr Purpose kP_classifier = static_cast<Purpose>(34);
inline constexpr Purpose kP_two_sample = static_cast<Purpose>(35);
inline constexpr Purpose kP_weight_draw = static_cast<Purpose>(36);
}  // namespace epsfree
