// Which inferences the reproduction of the paper consists of.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "paper/paper_part.hpp"

namespace epsfree {

/// The authors' settings, or something like them that takes minutes.
struct PaperScale {
  bool full = false;
  std::uint64_t seed = 1;

  int num_seeds() const { return full ? 5 : 3; }
  /// What was made smaller, for people; empty if nothing was.
  std::string describe() const;
};

/// "mdn-with-prior", "proposal-prior", "mdn-with-proposal": the paper's own, in its order.
const std::vector<std::string>& paper_strategies();
/// "rejection-abc", "mcmc-abc", "smc-abc".
const std::vector<std::string>& paper_rivals();
/// The strategies and the project's own default method.
const std::vector<std::string>& neural_methods();

/// The authors' options of a strategy for a built-in model (examples/paper), scaled.
InferOptions paper_options(const std::string& model_name, const std::string& strategy,
                           const PaperScale& scale);

/// All inferences of a model, in the order of topics, methods, settings and seeds.
std::vector<PaperPart> plan_paper(const std::string& model_name, const PaperScale& scale);

}  // namespace epsfree
