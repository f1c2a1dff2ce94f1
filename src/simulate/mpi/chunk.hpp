// Some simulations of a request, as they travel to where they are made and back.
#pragma once

#include <Eigen/Core>
#include <stop_token>
#include <string>
#include <vector>

#include "epsfree/runner.hpp"

namespace epsfree {

/// Needs nothing of the request it was cut from: it may be made in another process.
struct Chunk {
  std::uint64_t run = 0;  ///< which call of Runner::run it belongs to
  Index begin = 0;        ///< its first column in the request
  std::uint64_t seed = 0;
  Key first = {};
  std::vector<Index> offsets;
  Eigen::MatrixXd thetas;

  Index size() const { return thetas.cols(); }
};

/// The columns begin .. begin + count - 1 of a request.
Chunk cut(const SimulationRequest& request, std::uint64_t run, Index begin, Index count);

/// How a chunk's simulations ended. What was stopped is missing.
struct ChunkOutcome {
  std::uint64_t run = 0;
  Index begin = 0;
  Index size = 0;                         ///< of the chunk
  double seconds = 0;                     ///< for all of it
  std::vector<SimulationRecord> records;  ///< with columns of the request
  Eigen::MatrixXd statistics;             ///< one column per record
};

ChunkOutcome simulate(const Simulator& simulator, const Chunk& chunk, int retries,
                      const std::stop_token& stop);

std::string to_bytes(const Chunk& chunk);
std::string to_bytes(const ChunkOutcome& outcome);
/// Throw ErrorKind::input if the bytes are not whole.
Chunk chunk_from_bytes(std::string_view bytes);
ChunkOutcome outcome_from_bytes(std::string_view bytes);

}  // namespace epsfree
