// What a run remembers besides its simulations, so that it can be taken up again where it ended.
#pragma once

#include <optional>
#include <string>

namespace epsfree {

/// Values by name: proposals, trained networks, the state of a training. What has been put is there
/// for every later run of the same problem; a value is bytes that only its writer understands.
class Journal {
 public:
  virtual ~Journal() = default;
  virtual std::optional<std::string> find(const std::string& name) = 0;
  /// Replaces what stood under the name. On return it will survive a crash.
  virtual void put(const std::string& name, const std::string& bytes) = 0;
  virtual void erase(const std::string& name) = 0;
};

}  // namespace epsfree
