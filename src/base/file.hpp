// Reading and writing whole files.
#pragma once

#include <string>
#include <string_view>

namespace epsfree {

/// Throws ErrorKind::io with the path and the system's reason.
std::string read_file(const std::string& path);

/// Whether a file survives a power cut; what only tells of progress need not.
enum class Durability { synced, none };

/// Writes to a temporary file beside `path`, syncs it and renames it, so that no half-written file
/// ever stands under the final name. Throws ErrorKind::io.
void write_file_atomically(const std::string& path, std::string_view content,
                           Durability durability = Durability::synced);

/// Whether a file of this name may be what a killed process left of writing `name` atomically.
bool is_temporary_of(std::string_view file_name, std::string_view name);

}  // namespace epsfree
