// A process that the nursery runs for us, with its pipes.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "simulate/process/descriptor.hpp"
#include "simulate/process/nursery_protocol.hpp"

namespace epsfree {

/// The last few kilobytes of a text that may have no end.
class OutputTail {
 public:
  void append(std::string_view text);
  void clear() { text_.clear(); }
  /// Without blanks at its ends; empty: nothing was written.
  std::string text() const;

 private:
  std::string text_;
};

/// Destroying it ends the process, politely and then firmly, without waiting for it.
class ChildProcess {
 public:
  /// Pipes of ours; `in` is closed if the child reads from /dev/null.
  struct Pipes {
    Descriptor control, in, out, err;
  };
  explicit ChildProcess(Pipes pipes) : pipes_(std::move(pipes)) {}

  /// What is not open is -1. None of them blocks.
  int in() const { return pipes_.in.get(); }
  int out() const { return pipes_.out.get(); }
  int err() const { return pipes_.err.get(); }
  int control() const { return pipes_.control.get(); }
  void close_in() { pipes_.in.reset(); }

  /// Writes what fits of `text` and returns how much; -1: nobody reads it any more, and `in` is
  /// closed. No SIGPIPE is raised.
  long write(std::string_view text);
  /// Appends what can be read of its standard output; closes `out` at its end.
  void read_out(std::string& text);
  /// Reads its standard error into `tail`; closes `err` at its end.
  void read_err();
  /// Hears what the nursery has to say.
  void listen();

  /// Whether the leader has exited, and whether nothing of its group is left.
  bool exited() const { return exited_; }
  bool gone() const { return gone_; }
  /// Gone, but the nursery did not say how.
  bool lost() const { return gone_ && !exited_ && start_error_ == 0; }
  bool succeeded() const { return exited_ && status_ == 0; }
  /// Somebody else ended it by one of the signals that schedulers, shells and a system short of
  /// memory send: that says nothing about the simulation.
  bool ended_by_others() const;
  /// "exited with code 3", "was ended by signal 11 (Segmentation fault)",
  /// "could not be started: No such file or directory".
  std::string ending() const;

  /// Asks the nursery to end the group.
  void end();
  /// Waits, draining its pipes, until it is gone or so many seconds have passed.
  bool wait_gone(double seconds);

  OutputTail tail;

 private:
  Pipes pipes_;
  bool exited_ = false, gone_ = false, ending_ = false;
  int status_ = 0;
  int start_error_ = 0;
};

}  // namespace epsfree
