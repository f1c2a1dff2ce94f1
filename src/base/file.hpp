// Reading and writing whole files.
#pragma once

#include <string>
#include <string_view>

namespace epsfree {

/// Throws ErrorKind::io with the path and the system's reason.
std::string read_file(const std::string& path);

/// Writes to a temporary file beside `path`, syncs it and renames it, so that no half-written file
/// ever stands under the final name. Throws ErrorKind::io.
void write_file_atomically(const std::string& path, std::string_view content);

}  // namespace epsfree
