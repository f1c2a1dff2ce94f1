// The version of the library that is linked.
#pragma once

namespace epsfree {

/// "0.2.0"
const char* version();

}  // namespace epsfree
