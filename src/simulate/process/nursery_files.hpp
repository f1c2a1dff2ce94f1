// What the nursery reads and removes in the file system.
#pragma once

#include <cstdint>

namespace epsfree::nursery {

/// A child of the nursery, as /proc has it.
struct ProcEntry {
  int pid;
  int group;
};

/// Calls `found(entry, context)` for each process whose parent is `parent`.
void for_each_child(int parent, void (*found)(const ProcEntry& entry, void* context),
                    void* context);

/// The tag in the environment of a process, if it was given by process `owner`; else 0.
std::uint64_t tag_of(int pid, int owner);

/// Removes a directory with all that is in it.
void remove_tree(const char* path);

}  // namespace epsfree::nursery
