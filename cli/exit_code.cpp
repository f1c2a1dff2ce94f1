#include "cli/exit_code.hpp"

namespace epsfree::cli {

int exit_code(ErrorKind kind) {
  switch (kind) {
    case ErrorKind::usage:
      return 64;
    case ErrorKind::input:
      return 65;
    case ErrorKind::internal:
      return 70;
    case ErrorKind::io:
      return 74;
    case ErrorKind::stopped:
      return 75;
    case ErrorKind::interrupted:
      return 130;
  }
  return 70;
}

}  // namespace epsfree::cli
