#include "cli/output.hpp"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <string>

#include "epsfree/error.hpp"

namespace epsfree::cli {
namespace {

[[noreturn]] void fail() {
  throw Error(ErrorKind::io,
              std::string("cannot write to standard output: ") + std::strerror(errno));
}

}  // namespace

void write_out(std::string_view text) {
  if (std::fwrite(text.data(), 1, text.size(), stdout) != text.size()) fail();
}

void flush_out() {
  if (std::fflush(stdout) != 0) fail();
}

}  // namespace epsfree::cli
