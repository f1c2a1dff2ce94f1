#include "epsfree/version.hpp"

namespace epsfree {

const char* version() { return EPSFREE_VERSION_STRING; }

}  // namespace epsfree
