// The digest of a result.
#pragma once

#include <string>
#include <string_view>

namespace epsfree {

/// SHA-256 (FIPS 180-4) as 64 lower-case hexadecimal digits: what `sha256sum` prints.
std::string sha256(std::string_view bytes);

/// HMAC (RFC 2104) with SHA-256, as 64 lower-case hexadecimal digits: only who has the key can make
/// or check it.
std::string hmac_sha256(std::string_view key, std::string_view message);

}  // namespace epsfree
