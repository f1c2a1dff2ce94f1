#include "simulate/process/child_process.hpp"

#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <ctime>
#include <system_error>

namespace epsfree {
namespace {

constexpr std::size_t kTailSize = 4096;
constexpr std::size_t kReadSize = 16384;

/// write() without SIGPIPE, whatever the program does with that signal.
long quiet_write(int fd, const char* data, std::size_t size) {
  sigset_t pipe_signal, before, pending;
  sigemptyset(&pipe_signal);
  sigaddset(&pipe_signal, SIGPIPE);
  pthread_sigmask(SIG_BLOCK, &pipe_signal, &before);
  sigpending(&pending);
  const long written = ::write(fd, data, size);
  const int error = errno;
  if (written < 0 && error == EPIPE && !sigismember(&pending, SIGPIPE)) {
    const timespec at_once{};
    sigtimedwait(&pipe_signal, nullptr, &at_once);
  }
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  errno = error;
  return written;
}

std::string system_text(int error) { return std::generic_category().message(error); }

}  // namespace

void OutputTail::append(std::string_view text) {
  if (text.size() > kTailSize) text.remove_prefix(text.size() - kTailSize);
  if (text_.size() + text.size() > 2 * kTailSize) text_.erase(0, text_.size() - kTailSize);
  text_ += text;
}

std::string OutputTail::text() const {
  std::string_view text = text_;
  const std::string_view blank = " \t\r\n";
  const bool cut = text.size() > kTailSize;
  if (cut) text.remove_prefix(text.size() - kTailSize);
  const std::size_t first = text.find_first_not_of(blank);
  if (first == std::string_view::npos) return "";
  const std::size_t last = text.find_last_not_of(blank);
  return (cut ? "..." : "") + std::string(text.substr(first, last - first + 1));
}

long ChildProcess::write(std::string_view text) {
  if (!pipes_.in.is_open()) return -1;
  for (;;) {
    const long written = quiet_write(pipes_.in.get(), text.data(), text.size());
    if (written >= 0) return written;
    if (errno == EINTR) continue;
    if (errno == EAGAIN) return 0;
    pipes_.in.reset();
    return -1;
  }
}

void ChildProcess::read_out(std::string& text) {
  if (!pipes_.out.is_open()) return;
  const std::size_t before = text.size();
  // A limit on one call, so that one that writes without end does not keep us here.
  text.resize(before + kReadSize);
  long size = 0;
  do {
    size = ::read(pipes_.out.get(), text.data() + before, kReadSize);
  } while (size < 0 && errno == EINTR);
  text.resize(before + static_cast<std::size_t>(std::max(size, 0L)));
  if (size == 0 || (size < 0 && errno != EAGAIN)) pipes_.out.reset();
}

void ChildProcess::read_err() {
  if (!pipes_.err.is_open()) return;
  char buffer[16384];
  // As much as a pipe holds, and no more in one call.
  for (int i = 0; i < 4; ++i) {
    const long size = ::read(pipes_.err.get(), buffer, sizeof(buffer));
    if (size > 0) {
      tail.append({buffer, static_cast<std::size_t>(size)});
      if (size == sizeof(buffer)) continue;
      return;
    }
    if (size < 0 && errno == EINTR) continue;
    if (size == 0 || errno != EAGAIN) pipes_.err.reset();
    return;
  }
}

void ChildProcess::listen() {
  while (!gone_) {
    nursery::EventMessage message{};
    const long size = ::recv(pipes_.control.get(), &message, sizeof(message), MSG_DONTWAIT);
    if (size < 0 && errno == EINTR) continue;
    if (size < 0 && errno == EAGAIN) return;
    if (size != static_cast<long>(sizeof(message))) {
      gone_ = true;  // the nursery has been killed, and its children with it
      return;
    }
    switch (message.event) {
      case nursery::Event::not_started:
        start_error_ = message.value;
        break;
      case nursery::Event::exited:
        exited_ = true;
        status_ = message.value;
        break;
      case nursery::Event::gone:
        gone_ = true;
        break;
    }
  }
}

bool ChildProcess::ended_by_others() const {
  if (!exited_ || ending_ || !WIFSIGNALED(status_)) return false;
  const int signal = WTERMSIG(status_);
  return signal == SIGTERM || signal == SIGKILL || signal == SIGINT || signal == SIGHUP;
}

std::string ChildProcess::ending() const {
  if (start_error_ == ENOEXEC) {
    return "could not be started: it is neither a program nor a script that begins with #!";
  }
  if (start_error_ != 0) return "could not be started: " + system_text(start_error_);
  if (!exited_) return gone_ ? "was lost with the process that had started it" : "still runs";
  if (WIFSIGNALED(status_)) {
    const int signal = WTERMSIG(status_);
    const char* name = ::sigdescr_np(signal);
    return "was ended by signal " + std::to_string(signal) +
           (name != nullptr ? " (" + std::string(name) + ")" : "");
  }
  return "exited with code " + std::to_string(WEXITSTATUS(status_));
}

void ChildProcess::end() {
  if (ending_ || gone_) return;
  ending_ = true;
  ::send(pipes_.control.get(), &nursery::kEndIt, 1, MSG_NOSIGNAL | MSG_DONTWAIT);
}

bool ChildProcess::wait_gone(double seconds) {
  using Clock = std::chrono::steady_clock;
  const auto deadline = Clock::now() + std::chrono::duration<double>(seconds);
  std::string ignored;
  for (listen(); !gone_; listen()) {
    const auto rest = std::chrono::duration<double>(deadline - Clock::now()).count();
    if (rest <= 0) return false;
    pollfd polled[3] = {{control(), POLLIN, 0}, {out(), POLLIN, 0}, {err(), POLLIN, 0}};
    ::poll(polled, 3, static_cast<int>(std::min(rest * 1000 + 1, 1000.0)));
    if (polled[1].revents != 0) read_out(ignored);
    if (polled[2].revents != 0) read_err();
    ignored.clear();
  }
  read_err();
  return true;
}

}  // namespace epsfree
