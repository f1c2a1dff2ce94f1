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

bool is_fault(SimStatus status) {
  return status == SimStatus::failed || status == SimStatus::timeout || status == SimStatus::lost;
}

}  // namespace epsfree
