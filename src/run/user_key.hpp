// The secret by which this user's own run directories are known.
#pragma once

#include <optional>
#include <string>

namespace epsfree {

/// A key that only this user can read, or why there is none.
struct UserKey {
  std::optional<std::string> bytes = {};
  std::string why_not = {};  ///< "it cannot be written: ..."
};

/// Where it is kept: $XDG_STATE_HOME/epsfree/key, or ~/.local/state/epsfree/key. Empty where there
/// is no home directory.
std::string user_key_path();

/// Reads it; `make` makes one where there is none yet. A file that others own or may read is no
/// secret and is not used. Never throws: without a key every directory is a foreign one.
UserKey user_key(bool make);

}  // namespace epsfree
