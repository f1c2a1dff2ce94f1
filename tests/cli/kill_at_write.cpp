// For LD_PRELOAD: ends the program by SIGKILL at the n-th time that it writes to its ledger or
// syncs it, n being EPSFREE_TEST_KILL_AT. So a test reaches every moment of a commit.
#include <dlfcn.h>
#include <signal.h>
#include <sys/types.h>
#include <unistd.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace {

bool is_ledger(int descriptor) {
  char link[64];
  char target[4096];
  std::snprintf(link, sizeof link, "/proc/self/fd/%d", descriptor);
  const ssize_t size = ::readlink(link, target, sizeof target - 1);
  if (size <= 0) return false;
  target[size] = '\0';
  return std::strstr(target, "ledger.sqlite") != nullptr;
}

void count(int descriptor) {
  static std::atomic<long> seen{0};
  static const long limit = [] {
    const char* text = std::getenv("EPSFREE_TEST_KILL_AT");
    return text != nullptr ? std::atol(text) : 0L;
  }();
  if (limit > 0 && is_ledger(descriptor) && ++seen == limit) ::kill(::getpid(), SIGKILL);
}

template <class Function>
Function next(const char* name) {
  return reinterpret_cast<Function>(::dlsym(RTLD_NEXT, name));
}

}  // namespace

extern "C" {

ssize_t pwrite(int descriptor, const void* data, size_t size, off_t offset) {
  static const auto real = next<ssize_t (*)(int, const void*, size_t, off_t)>("pwrite");
  count(descriptor);
  return real(descriptor, data, size, offset);
}

ssize_t pwrite64(int descriptor, const void* data, size_t size, off64_t offset) {
  static const auto real = next<ssize_t (*)(int, const void*, size_t, off64_t)>("pwrite64");
  count(descriptor);
  return real(descriptor, data, size, offset);
}

int fdatasync(int descriptor) {
  static const auto real = next<int (*)(int)>("fdatasync");
  count(descriptor);
  return real(descriptor);
}

int fsync(int descriptor) {
  static const auto real = next<int (*)(int)>("fsync");
  count(descriptor);
  return real(descriptor);
}

int ftruncate64(int descriptor, off64_t size) noexcept {
  static const auto real = next<int (*)(int, off64_t)>("ftruncate64");
  count(descriptor);
  return real(descriptor, size);
}

}  // extern "C"
