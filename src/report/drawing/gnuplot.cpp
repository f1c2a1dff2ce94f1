#include "report/drawing/gnuplot.hpp"

#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <string_view>

#include "epsfree/error.hpp"
#include "report/markup.hpp"
#include "simulate/process/descriptor.hpp"

namespace epsfree {
namespace {

constexpr const char* kInstall =
    "; install gnuplot 5.2 or newer (Debian and Ubuntu: apt install gnuplot-nox)";

[[noreturn]] void fail(const std::string& what, int code) {
  throw Error(ErrorKind::io, "cannot run gnuplot: " + what + ": " + std::strerror(code));
}

/// A file without a name, in memory: nothing to remove, whatever happens, and no pipe that could
/// fill up.
Descriptor memory_file(std::string_view content = {}) {
  Descriptor file(::memfd_create("epsfree-gnuplot", MFD_CLOEXEC));
  if (!file.is_open()) fail("memfd_create", errno);
  while (!content.empty()) {
    const ssize_t written = ::write(file.get(), content.data(), content.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) fail("write", errno);
    content.remove_prefix(static_cast<std::size_t>(written));
  }
  if (::lseek(file.get(), 0, SEEK_SET) != 0) fail("lseek", errno);
  return file;
}

std::string content_of(const Descriptor& file) {
  std::string content;
  char buffer[65536];
  for (;;) {
    const ssize_t count =
        ::pread(file.get(), buffer, sizeof buffer, static_cast<off_t>(content.size()));
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) fail("read", errno);
    if (count == 0) return content;
    content.append(buffer, static_cast<std::size_t>(count));
  }
}

/// In a process group of its own: an interrupt at the terminal is for epsfree, which ends when the
/// figure is done.
class SpawnSettings {
 public:
  SpawnSettings(const Descriptor& in, const Descriptor& out, const Descriptor& err) {
    ::posix_spawn_file_actions_init(&actions);
    ::posix_spawn_file_actions_adddup2(&actions, in.get(), STDIN_FILENO);
    ::posix_spawn_file_actions_adddup2(&actions, out.get(), STDOUT_FILENO);
    ::posix_spawn_file_actions_adddup2(&actions, err.get(), STDERR_FILENO);
    ::posix_spawnattr_init(&attributes);
    sigset_t none, defaults;
    ::sigemptyset(&none);
    ::sigemptyset(&defaults);
    for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGPIPE}) ::sigaddset(&defaults, signal);
    ::posix_spawnattr_setsigmask(&attributes, &none);
    ::posix_spawnattr_setsigdefault(&attributes, &defaults);
    ::posix_spawnattr_setflags(
        &attributes, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
  }
  ~SpawnSettings() {
    ::posix_spawn_file_actions_destroy(&actions);
    ::posix_spawnattr_destroy(&attributes);
  }
  SpawnSettings(const SpawnSettings&) = delete;
  SpawnSettings& operator=(const SpawnSettings&) = delete;

  posix_spawn_file_actions_t actions;
  posix_spawnattr_t attributes;
};

/// What gnuplot said, on one line and without the empty ones around its prompts.
std::string one_line(const std::string& text) {
  constexpr std::size_t kMost = 1000;
  std::string line;
  for (const char c : clean_text(text)) {
    if (c != ' ' || (!line.empty() && line.back() != ' ')) line += c;
  }
  while (line.ends_with(' ')) line.pop_back();
  if (line.size() > kMost) line = clean_text(line.substr(0, kMost)) + " ...";
  return line.empty() ? "it said nothing" : line;
}

}  // namespace

std::string run_gnuplot(const std::string& script) {
  const Descriptor in = memory_file(script), out = memory_file(), err = memory_file();
  const SpawnSettings settings(in, out, err);
  char name[] = "gnuplot", no_user_settings[] = "-d";
  char* const arguments[] = {name, no_user_settings, nullptr};
  pid_t process = 0;
  const int code =
      ::posix_spawnp(&process, name, &settings.actions, &settings.attributes, arguments, environ);
  if (code == ENOENT || code == EACCES || code == ENOTDIR) {
    throw Error(ErrorKind::usage, std::string("figures are drawn by gnuplot, and there is none "
                                              "on the PATH") +
                                      kInstall);
  }
  if (code != 0) fail("posix_spawnp", code);
  int status = 0;
  while (::waitpid(process, &status, 0) < 0) {
    if (errno != EINTR) fail("waitpid", errno);
  }
  if (WIFSIGNALED(status)) {
    throw Error(ErrorKind::io, "gnuplot was ended by signal " + std::to_string(WTERMSIG(status)) +
                                   " (" + ::strsignal(WTERMSIG(status)) + ")");
  }
  if (WEXITSTATUS(status) != 0) {
    throw Error(ErrorKind::io, "gnuplot failed: " + one_line(content_of(err)));
  }
  return content_of(out);
}

void require_gnuplot() {
  std::string answer;
  try {
    answer = run_gnuplot(
        "set print '-'\n"
        "set terminal svg\n"
        "set terminal pdfcairo\n"
        "print GPVAL_VERSION >= 5.2 ? 'usable' : sprintf('it is gnuplot %.1f', GPVAL_VERSION)\n");
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::io) throw;
    throw Error(ErrorKind::usage,
                std::string("figures are drawn by gnuplot, and the one on the PATH cannot make "
                            "SVG and PDF: ") +
                    error.what() + kInstall);
  }
  if (answer.find("usable") == std::string::npos) {
    throw Error(ErrorKind::usage,
                "figures are drawn by gnuplot, and the one on the PATH is of no "
                "use: " +
                    one_line(answer) + kInstall);
  }
}

}  // namespace epsfree
