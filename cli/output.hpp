// Standard output, where a write that fails is an error.
#pragma once

#include <string_view>

namespace epsfree::cli {

/// Throws ErrorKind::io if standard output cannot take it (a full disk).
void write_out(std::string_view text);
/// To be called before the program ends: what is still buffered may fail too.
void flush_out();

}  // namespace epsfree::cli
