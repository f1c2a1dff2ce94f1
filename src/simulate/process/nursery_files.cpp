#include "simulate/process/nursery_files.hpp"

#include <cstring>

#include "simulate/process/nursery_protocol.hpp"
#include "simulate/process/nursery_system.hpp"

namespace epsfree::nursery {
namespace {

/// As the kernel's getdents64 gives them.
struct DirectoryEntry {
  std::uint64_t inode;
  std::int64_t offset;
  unsigned short length;
  unsigned char type;
  char name[1];
};

constexpr int kMaxDepth = 32;

/// Calls visit(name) for each entry but . and .. until it says false.
template <class Visit>
void for_each_entry(int directory, Visit&& visit) {
  alignas(8) char buffer[8192];
  for (;;) {
    const long size = call(SYS_getdents64, directory, buffer, sizeof(buffer));
    if (size <= 0) return;
    for (long at = 0; at < size;) {
      const auto* entry = reinterpret_cast<const DirectoryEntry*>(buffer + at);
      at += entry->length;
      if (std::strcmp(entry->name, ".") == 0 || std::strcmp(entry->name, "..") == 0) continue;
      if (!visit(entry->name)) return;
    }
  }
}

/// Digits up to something else; -1: none.
int number_at(const char*& text) {
  if (*text < '0' || *text > '9') return -1;
  int value = 0;
  for (; *text >= '0' && *text <= '9'; ++text) value = value * 10 + (*text - '0');
  return value;
}

/// "/proc/PID/NAME" in `path`.
void proc_path(char* path, const char* pid, const char* name) {
  std::strcpy(path, "/proc/");
  std::strncat(path, pid, 16);
  std::strcat(path, "/");
  std::strcat(path, name);
}

void remove_entries(int directory, int depth) {
  for_each_entry(directory, [&](const char* name) {
    if (call(SYS_unlinkat, directory, name, 0) == 0 || depth == kMaxDepth) return true;
    const int inner = open_at(directory, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW);
    if (inner >= 0) {
      remove_entries(inner, depth + 1);
      close_fd(inner);
      call(SYS_unlinkat, directory, name, AT_REMOVEDIR);
    }
    return true;
  });
}

}  // namespace

void for_each_child(int parent, void (*found)(const ProcEntry& entry, void* context),
                    void* context) {
  const int proc = open_at(AT_FDCWD, "/proc", O_RDONLY | O_DIRECTORY);
  if (proc < 0) return;
  for_each_entry(proc, [&](const char* name) {
    const char* digits = name;
    const int pid = number_at(digits);
    if (pid < 0 || *digits != '\0') return true;
    char path[64], text[512];
    proc_path(path, name, "stat");
    const int file = open_at(AT_FDCWD, path, O_RDONLY);
    if (file < 0) return true;
    const long size = read_fd(file, text, sizeof(text) - 1);
    close_fd(file);
    if (size <= 0) return true;
    text[size] = '\0';
    // PID (NAME) STATE PARENT GROUP; the name may hold anything, parentheses too.
    const char* at = std::strrchr(text, ')');
    if (at == nullptr || std::strlen(at) < 5) return true;
    at += 4;
    if (number_at(at) != parent || *at != ' ') return true;
    ++at;
    found({pid, number_at(at)}, context);
    return true;
  });
  close_fd(proc);
}

std::uint64_t tag_of(int pid, int owner) {
  char digits[16];
  int count = 0;
  for (int rest = pid; rest > 0; rest /= 10) digits[count++] = static_cast<char>('0' + rest % 10);
  for (int i = 0; i < count / 2; ++i) {
    const char swapped = digits[i];
    digits[i] = digits[count - 1 - i];
    digits[count - 1 - i] = swapped;
  }
  digits[count] = '\0';
  char path[64];
  proc_path(path, digits, "environ");
  const int file = open_at(AT_FDCWD, path, O_RDONLY);
  if (file < 0) return 0;
  // The variable is the first that a child is given; a program may have added some before it.
  char text[16384];
  const long size = read_fd(file, text, sizeof(text) - 1);
  close_fd(file);
  if (size <= 0) return 0;
  text[size] = '\0';
  constexpr std::size_t kLength = sizeof(kTagVariable) - 1;
  for (const char* at = text; at < text + size; at += std::strlen(at) + 1) {
    if (std::strncmp(at, kTagVariable, kLength) != 0) continue;
    const char* value = at + kLength;
    if (number_at(value) != owner || *value != '.') return 0;
    std::uint64_t tag = 0;
    for (++value; *value >= '0' && *value <= '9'; ++value) {
      tag = tag * 10 + static_cast<std::uint64_t>(*value - '0');
    }
    return tag;
  }
  return 0;
}

void remove_tree(const char* path) {
  const int directory = open_at(AT_FDCWD, path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW);
  if (directory < 0) return;
  remove_entries(directory, 0);
  close_fd(directory);
  call(SYS_unlinkat, AT_FDCWD, path, AT_REMOVEDIR);
}

}  // namespace epsfree::nursery
