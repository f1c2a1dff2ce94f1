// What standard error is connected to, and messages to it.
#pragma once

#include <string>
#include <string_view>

namespace epsfree::cli {

/// Whether standard error is a terminal that can move its cursor.
bool stderr_is_terminal();
/// The same of standard output.
bool stdout_is_terminal();
/// Columns of the terminal at standard error; 80 where there is none.
int terminal_width();

struct TerminalSize {
  int columns = 80, rows = 24;
};
/// The size of the terminal at standard output.
TerminalSize stdout_size();

/// A style for standard error: "1" bold, "31" red, ...; plain text unless it is a terminal and
/// NO_COLOR (https://no-color.org) is not set.
std::string styled(std::string_view text, const char* style);

/// Writes to standard error; a failure there has nowhere to be told.
void write_err(std::string_view text);
/// "epsfree: error: ..." and "epsfree: warning: ...", one line each.
void print_error(std::string_view message);
void print_warning(std::string_view message);

}  // namespace epsfree::cli
