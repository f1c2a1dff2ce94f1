// A deterministic parallel loop.
#pragma once

#include <cstddef>
#include <functional>

namespace epsfree {

/// 0 means as many as the machine has.
int resolve_num_threads(int num_threads);

/// Calls body(begin, end) for consecutive chunks of 0 .. count-1, each exactly once, from up to
/// `num_threads` threads (this one included). The chunks do not depend on the number of threads, so
/// a body that writes only to its own range gives the same result for any. An exception from the
/// chunk that comes first in order is rethrown after all threads have ended. `poll`, if given, is
/// called from this thread between its chunks; when it answers false no further chunk is begun.
void parallel_for(int num_threads, std::size_t count, std::size_t chunk_size,
                  const std::function<void(std::size_t begin, std::size_t end)>& body,
                  const std::function<bool()>& poll = {});

}  // namespace epsfree
