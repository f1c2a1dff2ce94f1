// Runs the epsfree program as a user does.
#pragma once

#include <fcntl.h>
#include <pty.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "base/file.hpp"
#include "support/temporary_directory.hpp"

namespace epsfree::cli {

struct Outcome {
  int code = -1;  ///< exit code, or 128 + signal as a shell says it
  std::string out, err;
};

inline int code_of(int status) {
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

// In the child: becomes the program, in `folder`; what it keeps for its user is in `state`.
[[noreturn]] inline void become(const std::vector<std::string>& arguments,
                                const std::string& folder, const std::string& state) {
  ::setenv("XDG_STATE_HOME", state.c_str(), 1);
  std::vector<char*> argv = {const_cast<char*>("epsfree")};
  for (const std::string& argument : arguments) argv.push_back(const_cast<char*>(argument.c_str()));
  argv.push_back(nullptr);
  if (::chdir(folder.c_str()) == 0) ::execv(EPSFREE_PROGRAM, argv.data());
  ::_exit(126);
}

/// A folder to work in, and the program in it.
class Workplace {
 public:
  std::string file(const std::string& name) const { return folder_.file(name); }
  const std::string& path() const { return folder_.path(); }
  void write(const std::string& name, const std::string& content) const {
    write_file_atomically(file(name), content);
  }
  std::string read(const std::string& name) const { return read_file(file(name)); }

  /// Starts the program with its output in files of `streams_`.
  pid_t start(const std::vector<std::string>& arguments, const std::string& out = "") const {
    const pid_t child = ::fork();
    if (child == 0) {
      ::dup2(::open("/dev/null", O_RDONLY), 0);
      redirect(out.empty() ? streams_.file("out") : out, 1);
      redirect(streams_.file("err"), 2);
      become(arguments, folder_.path(), state_);
    }
    return child;
  }

  Outcome finish(pid_t child) const {
    int status = 0;
    while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
    }
    return {code_of(status), read_file(streams_.file("out")), read_file(streams_.file("err"))};
  }

  Outcome run(const std::vector<std::string>& arguments) const { return finish(start(arguments)); }

  /// With standard output at another file, such as /dev/full.
  Outcome run_into(const std::string& out, const std::vector<std::string>& arguments) const {
    write_file_atomically(streams_.file("out"), "");
    return finish(start(arguments, out));
  }

  /// With a terminal as its input, output and error; everything it shows comes back in `out`.
  Outcome run_in_terminal(const std::vector<std::string>& arguments,
                          unsigned short columns = 0) const {
    int terminal = -1;
    winsize size = {};
    size.ws_col = columns;
    size.ws_row = 24;
    const pid_t child = ::forkpty(&terminal, nullptr, nullptr, columns > 0 ? &size : nullptr);
    if (child == 0) {
      ::setenv("TERM", "xterm", 1);
      become(arguments, folder_.path(), state_);
    }
    Outcome outcome;
    char buffer[4096];
    ssize_t count = 0;
    while ((count = ::read(terminal, buffer, sizeof(buffer))) > 0) {
      outcome.out.append(buffer, static_cast<std::size_t>(count));
    }
    int status = 0;
    ::waitpid(child, &status, 0);
    ::close(terminal);
    outcome.code = code_of(status);
    return outcome;
  }

  const TemporaryDirectory& streams() const { return streams_; }
  /// From now on as another user, with another key.
  void become_somebody_else(const std::string& state) { state_ = state; }

 private:
  static void redirect(const std::string& path, int descriptor) {
    const int file = ::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
    ::dup2(file, descriptor);
    ::close(file);
  }

  TemporaryDirectory folder_;
  TemporaryDirectory streams_;
  std::string state_ = streams_.path();
};

/// A problem of the mixture model that takes a fraction of a second.
inline const char* kSmallProblem = R"(seed = 3
[simulator]
model = "mixture"
[method]
name = "mdn-with-proposal"
num_simulations = 200
[method.network]
hidden_units = [5]
num_components = 2
[method.training]
num_steps = 200
[method.rounds]
max_rounds = 2
num_simulations = 50
tolerance = 0
[method.rounds.training]
num_steps = 200
)";

/// The same network for any observation.
inline const char* kAmortisedProblem = R"(seed = 3
[simulator]
model = "linear-regression"
[method]
name = "mdn-with-prior"
num_simulations = 300
[method.network]
hidden_units = [10]
variational = false
[method.training]
num_steps = 300
)";

}  // namespace epsfree::cli
