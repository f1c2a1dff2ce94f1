// A mixture density network on top of a linear regression.
#pragma once

#include <Eigen/Core>
#include <functional>
#include <memory>

#include "epsfree/mixture_density_network.hpp"
#include "epsfree/standardiser.hpp"
#include "epsfree/training.hpp"

namespace epsfree {

/// q(u | t) = q_net(u - A t - b | t): the network learns what a linear fit leaves over, as if a
/// skip connection had been started there. Chooses its size, steps and rate from the data.
class ResidualNetwork {
 public:
  /// Trains. `progress(step, num_steps, loss)` may stop it: throws ErrorKind::interrupted.
  ResidualNetwork(const Eigen::Ref<const Eigen::MatrixXd>& targets,
                  const Eigen::Ref<const Eigen::MatrixXd>& contexts,
                  const Eigen::Ref<const Eigen::VectorXd>& weights, std::uint64_t seed,
                  std::uint32_t round,
                  const std::function<Action(long step, long num_steps, double loss)>& progress);

  Eigen::VectorXd log_probs(const Eigen::Ref<const Eigen::MatrixXd>& targets,
                            const Eigen::Ref<const Eigen::MatrixXd>& contexts) const;
  GaussianMixture at(const Eigen::Ref<const Eigen::VectorXd>& context) const;
  const TrainingSummary& training() const { return training_; }

 private:
  Eigen::MatrixXf contexts_of(const Eigen::Ref<const Eigen::MatrixXd>& contexts) const;
  Eigen::MatrixXd residuals(const Eigen::Ref<const Eigen::MatrixXd>& targets,
                            const Eigen::Ref<const Eigen::MatrixXd>& contexts) const;

  Standardiser statistics_;
  Eigen::MatrixXd slope_;
  Eigen::VectorXd intercept_;
  Eigen::MatrixXd factor_;  // residual = factor * what the network sees
  std::unique_ptr<MixtureDensityNetwork<float>> network_;
  TrainingSummary training_;
};

}  // namespace epsfree
