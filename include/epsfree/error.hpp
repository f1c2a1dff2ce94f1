// Faults of the caller or of the environment. A failing simulation is not one: it is a value
// (simulator.hpp).
#pragma once

#include <stdexcept>
#include <string>

namespace epsfree {

/// What kind of fault it was. The program turns each kind into one exit code.
enum class ErrorKind {
  usage,        ///< the call itself is wrong: an unknown option, a value out of range
  input,        ///< a problem file, a data file or an argument's content is wrong
  internal,     ///< a defect of epsfree
  io,           ///< the operating system refused: permissions, a full disk, a missing file
  stopped,      ///< the run stopped itself and can be continued: too many failures, a time limit
  interrupted,  ///< the user stopped it
};

/// Thrown with a message that names the field, the value and the constraint.
class Error : public std::runtime_error {
 public:
  Error(ErrorKind kind, const std::string& message) : std::runtime_error(message), kind_(kind) {}
  ErrorKind kind() const { return kind_; }

 private:
  ErrorKind kind_;
};

}  // namespace epsfree
