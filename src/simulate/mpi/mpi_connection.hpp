// Messages between the ranks of one run.
#pragma once

#include <chrono>
#include <optional>
#include <string>

namespace epsfree {

enum class MessageKind : int {
  ready = 1,      ///< a rank can simulate; with text: it cannot, and why
  work = 2,       ///< a Chunk
  outcome = 3,    ///< a ChunkOutcome
  abandon = 4,    ///< end what runs, forget what waits
  abandoned = 5,  ///< done so
  finish = 6,     ///< there will be no more work
};

struct Message {
  int rank = 0;
  MessageKind kind = MessageKind::finish;
  std::string bytes;
};

/// The one place that speaks MPI, from one thread. Nothing in it waits: Open MPI's own waiting
/// spins, which takes the core from the simulations where ranks are more than cores.
class MpiConnection {
 public:
  /// Starts MPI.
  MpiConnection();
  MpiConnection(const MpiConnection&) = delete;
  MpiConnection& operator=(const MpiConnection&) = delete;
  /// Ends MPI once all that was sent has been taken.
  ~MpiConnection();

  int rank() const { return rank_; }
  int size() const { return size_; }
  /// Returns at once; the bytes are kept until they have been taken.
  void send(int rank, MessageKind kind, std::string bytes = {});
  std::optional<Message> receive();

 private:
  struct Outbox;

  void reap();

  int rank_ = 0;
  int size_ = 1;
  Outbox* outbox_;
};

/// Longer and longer pauses while nothing happens.
class Pause {
 public:
  void reset() { length_ = kShortest; }
  std::chrono::microseconds next() {
    const auto length = length_;
    length_ = length_ * 2 < kLongest ? length_ * 2 : kLongest;
    return length;
  }

 private:
  static constexpr std::chrono::microseconds kShortest{20};
  static constexpr std::chrono::microseconds kLongest{1000};
  std::chrono::microseconds length_ = kShortest;
};

}  // namespace epsfree
