// Numbers in messages and files.
#pragma once

#include <string>

namespace epsfree {

/// The shortest text that reads back as the same double: "0.1", "1e-07", "inf", "-inf", "nan".
std::string number_text(double value);

}  // namespace epsfree
