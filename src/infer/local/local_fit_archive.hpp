// A fit of the default method as bytes.
#pragma once

#include "base/archive.hpp"
#include "infer/local/local_fit.hpp"
#include "nn/training_state.hpp"

namespace epsfree {

template <class Archive>
void exchange(Archive& archive, StackMember& member) {
  archive(member.name, member.weight);
}

/// All but the posterior.
template <class Archive>
void exchange(Archive& archive, LocalFit& fit) {
  archive(fit.members, fit.effective_examples, fit.tempering, fit.components_damped,
          fit.components_dropped, fit.importance, fit.importance_size, fit.training);
}

inline std::string to_bytes(const LocalFit& fit) {
  ByteWriter writer;
  writer(fit.posterior.log_weights());
  for (Index k = 0; k < fit.posterior.num_components(); ++k) {
    writer(fit.posterior.component(k).mean(), fit.posterior.component(k).precision_factor());
  }
  writer(fit);
  return writer.bytes();
}

/// Throws ErrorKind::input if the bytes are not those of a fit.
inline LocalFit local_fit_from_bytes(const std::string& bytes) {
  ByteReader reader(bytes);
  Eigen::VectorXd log_weights;
  reader(log_weights);
  std::vector<Gaussian> components;
  for (Index k = 0; k < log_weights.size(); ++k) {
    Eigen::VectorXd mean;
    Eigen::MatrixXd factor;
    reader(mean, factor);
    components.push_back(Gaussian::from_precision_factor(std::move(mean), std::move(factor)));
  }
  LocalFit fit(GaussianMixture(std::move(components), std::move(log_weights)));
  reader(fit);
  return fit;
}

}  // namespace epsfree
