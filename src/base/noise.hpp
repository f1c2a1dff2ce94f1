// Standard normals for the noise of training, in two thirds of the time of Stream::fill_normal and
// good to five digits: far less than what one step's noise hides. Nothing else should draw from it.
#pragma once

#include <span>

#include "epsfree/stream.hpp"

namespace epsfree {

/// Draws one 64-bit key from the stream and expands it. Values reach 4.85 standard deviations; a
/// shorter request gives a prefix of a longer one. Doubles are those of Stream::fill_normal.
void fill_noise(Stream& stream, std::span<float> values);
void fill_noise(Stream& stream, std::span<double> values);

}  // namespace epsfree
