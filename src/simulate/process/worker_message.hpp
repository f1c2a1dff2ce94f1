// The lines that pass between us and a worker: docs/worker-protocol.md.
#pragma once

#include <Eigen/Core>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace epsfree {

inline constexpr std::int64_t kWorkerProtocol = 1;

/// Appends one request with its line end.
void append_request(std::string& text, std::int64_t id, std::uint64_t seed,
                    const Eigen::Ref<const Eigen::VectorXd>& theta);

/// What a worker wrote: its hello or an answer. Members that a line does not have are empty; those
/// that are not known are ignored.
struct WorkerLine {
  std::optional<std::int64_t> protocol, num_parameters, num_statistics, batch;  // hello
  std::optional<std::int64_t> id;
  bool has_x = false;
  std::vector<double> x;  ///< null, NaN and the like are NaN
  std::optional<std::string> invalid, error;

  /// Reads a line without its end. False: it is not an object of JSON, of which NaN and Infinity
  /// are taken as numbers too.
  bool read(std::string_view line);
};

}  // namespace epsfree
