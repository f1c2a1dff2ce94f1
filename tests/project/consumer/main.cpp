// Uses the installed headers and library, nothing else.
#include <epsfree/epsfree.hpp>

#include <cstdio>

int main() {
  epsfree::Stream stream(1);
  const double uniform = stream.uniform();
  std::printf("epsfree %s, a uniform number %.3f\n", epsfree::version(), uniform);
  return uniform > 0 && uniform < 1 ? 0 : 1;
}
