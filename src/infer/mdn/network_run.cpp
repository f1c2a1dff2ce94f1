#include "infer/mdn/network_run.hpp"

namespace epsfree {

std::unique_ptr<Network> make_network(const InferenceRun& run, const NetworkOptions& options,
                                      Direction direction) {
  Stream init(run.options().seed, {.purpose = Purpose::network_init});
  const Index num_statistics = run.problem().observed.size(), dim = run.prior().dim();
  if (direction == Direction::likelihood) {
    return std::make_unique<Network>(dim, num_statistics, options, init);
  }
  return std::make_unique<Network>(num_statistics, dim, options, init);
}

}  // namespace epsfree
