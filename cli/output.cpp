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

std::string read_in() {
  std::string text;
  char buffer[65536];
  std::size_t count = 0;
  while ((count = std::fread(buffer, 1, sizeof(buffer), stdin)) > 0) text.append(buffer, count);
  if (std::ferror(stdin) != 0) {
    throw Error(ErrorKind::io, std::string("cannot read standard input: ") + std::strerror(errno));
  }
  return text;
}

}  // namespace epsfree::cli
