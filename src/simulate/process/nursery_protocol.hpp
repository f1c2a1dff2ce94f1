// What this process and the nursery say to each other. Both are the same program, so plain structs
// pass over the sockets.
#pragma once

#include <cstddef>
#include <cstdint>

namespace epsfree::nursery {

/// Over the nursery's socket, which keeps messages apart (SOCK_SEQPACKET).
enum class Order : std::uint32_t {
  spawn,             ///< with five descriptors: control, image, standard input, output, error
  remember_scratch,  ///< a directory to remove when all has ended; its path follows
  forget_scratch,
};

struct OrderHeader {
  Order order;
  std::uint32_t grace_milliseconds;
  std::uint64_t tag;  ///< of the child; also in its environment, so that strays are recognised
};

inline constexpr std::size_t kMaxPath = 4096;
inline constexpr int kNumSpawnDescriptors = 5;

/// The environment variable that marks a child and whatever it starts: PID.TAG, the process of
/// `Nursery` and the tag.
inline constexpr char kTagVariable[] = "EPSFREE_CHILD=";

/// The start of an image: a memory file with all that execve needs, made so that the nursery has to
/// allocate nothing. Offsets are from its start; the nursery turns those of the two arrays into
/// pointers in place.
struct ImageHeader {
  std::uint64_t size;
  std::uint64_t program, directory;      ///< offsets of strings
  std::uint64_t arguments, environment;  ///< offsets of arrays that end with 0
  std::uint64_t memory_bytes;            ///< that it may take; 0: any
};

/// Over a child's control socket, from the nursery.
enum class Event : std::uint32_t {
  not_started,  ///< value: errno; it is gone as well
  exited,       ///< value: the status that wait() gave; its group may still have members
  gone,         ///< nothing of its group is left
};
struct EventMessage {
  Event event;
  std::int32_t value;
};

/// Over a child's control socket, to the nursery. Closing it means the same.
inline constexpr char kEndIt = 'T';

/// What the nursery does, to its end.
[[noreturn]] void run(int socket, int parent_pid);

}  // namespace epsfree::nursery
