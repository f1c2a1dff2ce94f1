// Standard output, where a write that fails is an error, and standard input.
#pragma once

#include <string>
#include <string_view>

namespace epsfree::cli {

/// Throws ErrorKind::io if standard output cannot take it (a full disk).
void write_out(std::string_view text);
/// To be called before the program ends: what is still buffered may fail too.
void flush_out();
/// All of standard input. Throws ErrorKind::io if it cannot be read.
std::string read_in();

}  // namespace epsfree::cli
