// What must be set before numbers are computed, so that they are the same everywhere.
#pragma once

namespace epsfree {

/// Eigen chooses how it blocks matrix products from the cache sizes that it detects, which changes
/// the order of long sums. This sets them to fixed sizes, once; called wherever computing begins.
void pin_numerics();

}  // namespace epsfree
