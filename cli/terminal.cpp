#include "cli/terminal.hpp"

#include <sys/ioctl.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <string>

namespace epsfree::cli {

namespace {

bool is_terminal(int descriptor) {
  const char* term = std::getenv("TERM");
  return ::isatty(descriptor) != 0 && !(term != nullptr && std::string_view(term) == "dumb");
}

TerminalSize size_of(int descriptor) {
  winsize size = {};
  TerminalSize result;
  if (::ioctl(descriptor, TIOCGWINSZ, &size) != 0) return result;
  if (size.ws_col > 0) result.columns = size.ws_col;
  if (size.ws_row > 0) result.rows = size.ws_row;
  return result;
}

}  // namespace

bool stderr_is_terminal() { return is_terminal(STDERR_FILENO); }
bool stdout_is_terminal() { return is_terminal(STDOUT_FILENO); }

int terminal_width() { return size_of(STDERR_FILENO).columns; }
TerminalSize stdout_size() { return size_of(STDOUT_FILENO); }

std::string styled(std::string_view text, const char* style) {
  const char* no_color = std::getenv("NO_COLOR");
  if (!stderr_is_terminal() || (no_color != nullptr && *no_color != '\0')) return std::string(text);
  return "\033[" + std::string(style) + "m" + std::string(text) + "\033[0m";
}

void write_err(std::string_view text) {
  (void)std::fwrite(text.data(), 1, text.size(), stderr);
  (void)std::fflush(stderr);
}

void print_error(std::string_view message) {
  write_err(styled("epsfree: error: ", "1;31") + std::string(message) + "\n");
}

void print_warning(std::string_view message) {
  write_err(styled("epsfree: warning: ", "1;33") + std::string(message) + "\n");
}

}  // namespace epsfree::cli
