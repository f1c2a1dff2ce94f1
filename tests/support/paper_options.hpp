// Options of the paper's strategies by their parts, so that a test can try all three with the same.
#pragma once

#include <string>

#include "epsfree/infer.hpp"

namespace epsfree {

struct PaperOptions {
  std::string method = "mdn-with-proposal";
  std::uint64_t seed = 1;
  Index num_simulations = 2000;  ///< of the final training alone
  NetworkOptions network = {};
  TrainingOptions training = MdnWithProposalOptions{}.training;
  RoundsOptions rounds = {.num_simulations = 400};
  PilotOptions pilot = {};
  bool standardise_parameters = true;
  double min_weight = 1e-3;
  double replica_noise = 1e-6;

  /// With the budget of all parts together.
  operator InferOptions() const {
    InferOptions options{.method = method_by_name(method), .seed = seed};
    options.num_simulations = pilot.planned();
    std::visit(
        [&]<class Options>(Options& o) {
          if constexpr (requires { o.min_weight; }) {
            o.network = network;
            o.pilot = pilot;
            o.standardise_parameters = standardise_parameters;
            o.min_weight = min_weight;
            if constexpr (requires { o.training; }) {
              o.training = training;
              options.num_simulations += num_simulations;
            }
            if constexpr (requires { o.rounds; }) {
              o.rounds = rounds;
              options.num_simulations += rounds.max_rounds * rounds.num_simulations;
            }
            if constexpr (requires { o.replica_noise; }) o.replica_noise = replica_noise;
          }
        },
        options.method);
    return options;
  }
  void validate() const { InferOptions(*this).validate(); }
};

}  // namespace epsfree
