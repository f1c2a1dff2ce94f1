// The values of an enumeration, so that files can name them.
#pragma once

#include <string>
#include <vector>

namespace epsfree {

/// All values, in the order in which they are listed. Specialised where an enumeration can be an
/// option; its to_string spells them.
template <class Enum>
const std::vector<Enum>& enum_values();

/// How each value is spelt in files, in the same order.
template <class Enum>
std::vector<std::string> enum_names() {
  std::vector<std::string> names;
  for (const Enum value : enum_values<Enum>()) names.push_back(to_string(value));
  return names;
}

}  // namespace epsfree
