#include "simulate/mpi/chunk.hpp"

#include <algorithm>

#include "base/archive.hpp"
#include "base/stopwatch.hpp"
#include "epsfree/error.hpp"
#include "simulate/batch_simulation.hpp"

namespace epsfree {

template <class Archive>
void exchange(Archive& archive, Chunk& chunk) {
  archive(chunk.run, chunk.begin, chunk.seed, chunk.first, chunk.offsets, chunk.thetas);
}

template <class Archive>
void exchange(Archive& archive, SimulationRecord& record) {
  archive(record.column, record.status, record.attempts, record.seconds, record.message,
          record.kind);
}

template <class Archive>
void exchange(Archive& archive, ChunkOutcome& outcome) {
  archive(outcome.run, outcome.begin, outcome.size, outcome.seconds, outcome.records,
          outcome.statistics);
}

Chunk cut(const SimulationRequest& request, std::uint64_t run, Index begin, Index count) {
  Chunk chunk{.run = run,
              .begin = begin,
              .seed = request.seed,
              .first = request.first,
              .offsets = {},
              .thetas = request.thetas.middleCols(begin, count)};
  if (request.offsets.empty()) {
    chunk.first.index += static_cast<std::uint64_t>(begin);
  } else {
    const auto offsets =
        request.offsets.subspan(static_cast<std::size_t>(begin), static_cast<std::size_t>(count));
    chunk.offsets.assign(offsets.begin(), offsets.end());
  }
  return chunk;
}

ChunkOutcome simulate(const Simulator& simulator, const Chunk& chunk, int retries,
                      const std::stop_token& stop) {
  const Stopwatch watch;
  ChunkOutcome outcome{.run = chunk.run,
                       .begin = chunk.begin,
                       .size = chunk.size(),
                       .records = {},
                       .statistics = {}};
  outcome.statistics.resize(simulator.num_statistics(), chunk.size());
  const SimulationRequest request{.simulator = simulator,
                                  .thetas = chunk.thetas,
                                  .seed = chunk.seed,
                                  .first = chunk.first,
                                  .offsets = chunk.offsets};
  BatchSimulation batch(request, retries);
  const Index step = std::max<Index>(1, simulator.preferred_batch());
  Index kept = 0;
  for (Index begin = 0; begin < chunk.size() && !stop.stop_requested(); begin += step) {
    const Index end = std::min(begin + step, chunk.size());
    Eigen::MatrixXd statistics(simulator.num_statistics(), end - begin);
    const auto records = batch.run(begin, end, statistics, stop);
    for (const SimulationRecord& record : records) {
      // What was ended on request has no outcome, but what finished before has one.
      if (record.status == SimStatus::lost && stop.stop_requested()) continue;
      outcome.statistics.col(kept++) = statistics.col(record.column - begin);
      outcome.records.push_back(record);
      outcome.records.back().column += chunk.begin;
    }
  }
  outcome.statistics.conservativeResize(Eigen::NoChange, kept);
  outcome.seconds = watch.seconds();
  return outcome;
}

std::string to_bytes(const Chunk& chunk) {
  ByteWriter writer;
  writer(chunk);
  return writer.bytes();
}

std::string to_bytes(const ChunkOutcome& outcome) {
  ByteWriter writer;
  writer(outcome);
  return writer.bytes();
}

Chunk chunk_from_bytes(std::string_view bytes) {
  Chunk chunk;
  ByteReader reader(bytes);
  reader(chunk);
  return chunk;
}

ChunkOutcome outcome_from_bytes(std::string_view bytes) {
  ChunkOutcome outcome;
  ByteReader reader(bytes);
  reader(outcome);
  // First of all, so that differences below stay within a whole number's range.
  bool is_whole = outcome.begin >= 0 && outcome.size >= 0 &&
                  outcome.statistics.cols() == static_cast<Index>(outcome.records.size());
  for (const SimulationRecord& record : outcome.records) {
    is_whole = is_whole && static_cast<int>(record.status) < kNumSimStatuses &&
               record.column >= outcome.begin && record.column - outcome.begin < outcome.size;
  }
  if (!is_whole) throw Error(ErrorKind::input, "an outcome of simulations contradicts itself");
  return outcome;
}

}  // namespace epsfree
