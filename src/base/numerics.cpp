#include "base/numerics.hpp"

#include <Eigen/Core>

namespace epsfree {

void pin_numerics() {
  static const bool pinned = [] {
    Eigen::setCpuCacheSizes(32 * 1024, 512 * 1024, 4 * 1024 * 1024);
    return true;
  }();
  static_cast<void>(pinned);
}

}  // namespace epsfree
