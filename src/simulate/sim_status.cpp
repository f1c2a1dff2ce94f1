#include "epsfree/simulator.hpp"

namespace epsfree {

const char* to_string(SimStatus status) {
  switch (status) {
    case SimStatus::ok:
      return "ok";
    case SimStatus::invalid:
      return "invalid";
    case SimStatus::failed:
      return "failed";
    case SimStatus::timeout:
      return "timeout";
    case SimStatus::lost:
      break;
  }
  return "lost";
}

}  // namespace epsfree
