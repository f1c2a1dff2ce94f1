// System calls for the nursery. It is forked without exec from a program that may have threads, so
// it must neither allocate nor lock; and the sanitizers' replacements of the C library's functions
// do. So they are called directly, and the nursery's files are compiled without sanitizers.
#pragma once

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <time.h>
#include <unistd.h>

#include <bit>
#include <cstddef>
#include <cstdint>

namespace epsfree::nursery {

template <class... Arguments>
long call(long number, Arguments... arguments) {
  return ::syscall(number, arguments...);
}

inline constexpr std::size_t kSignalSetSize = 8;  // of the kernel

inline void close_fd(int fd) { call(SYS_close, fd); }
inline long read_fd(int fd, void* buffer, std::size_t size) {
  return call(SYS_read, fd, buffer, size);
}
inline int open_at(int directory, const char* path, int flags) {
  return static_cast<int>(call(SYS_openat, directory, path, flags | O_CLOEXEC, 0));
}
inline void send_signal(int pid, int signal) { call(SYS_kill, pid, signal); }
inline bool is_alive(int pid) { return call(SYS_kill, pid, 0) == 0; }

inline std::int64_t now_milliseconds() {
  timespec time{};
  call(SYS_clock_gettime, CLOCK_MONOTONIC, &time);
  return static_cast<std::int64_t>(time.tv_sec) * 1000 + time.tv_nsec / 1000000;
}

/// Memory of its own: of nothing, or with the content of a file; null: there is none.
inline char* map_memory(std::size_t size, int fd = -1) {
  const long address = call(SYS_mmap, nullptr, size, PROT_READ | PROT_WRITE,
                            fd < 0 ? MAP_PRIVATE | MAP_ANONYMOUS : MAP_PRIVATE, fd, 0L);
  return address == -1 ? nullptr : std::bit_cast<char*>(address);
}

}  // namespace epsfree::nursery
