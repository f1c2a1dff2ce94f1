// What version 0.1 wrote and this one reads.
#pragma once

#include "epsfree/infer.hpp"
#include "io/section.hpp"

namespace epsfree {

/// Whether a [method] table was written by version 0.1: its run.toml lists the options of all
/// methods, which no file of a later version does.
bool is_version_01(const Section& method);

/// In version 0.1, num_simulations of the paper's strategies was that of the final training alone.
/// Now it is the budget of all: adds the rounds and the pilot run, so that the simulations stay the
/// same.
void convert_version_01(InferOptions& options);

}  // namespace epsfree
