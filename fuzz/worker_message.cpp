// What other processes send: lines of workers, and chunks of simulations between ranks.
#include <cmath>

#include "base/number_text.hpp"
#include "fuzz/expect_error.hpp"
#include "fuzz/target.hpp"
#include "simulate/mpi/chunk.hpp"
#include "simulate/process/worker_message.hpp"

EPSFREE_FUZZ_TARGET(worker_message) {
  using namespace epsfree;
  const std::string text = text_of(data, size);
  WorkerLine line;
  if (line.read(text)) {
    for (const auto& whole : {line.id, line.protocol, line.batch}) {
      if (whole && std::abs(static_cast<double>(*whole)) > 0x1p53) __builtin_trap();
    }
  }
  expect_error([&] { to_bytes(chunk_from_bytes(text)); });
  expect_error([&] {
    const ChunkOutcome outcome = outcome_from_bytes(text);
    if (static_cast<Index>(outcome.records.size()) != outcome.statistics.cols()) __builtin_trap();
    for (const SimulationRecord& record : outcome.records) {
      if (static_cast<int>(record.status) >= kNumSimStatuses) __builtin_trap();
    }
  });
}
