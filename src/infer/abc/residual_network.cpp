#include "infer/abc/residual_network.hpp"

#include <algorithm>
#include <cmath>

#include "base/dense_solvers.hpp"
#include "epsfree/error.hpp"
#include "prob/mixtures/joint_mixture.hpp"

namespace epsfree {
namespace {

constexpr double kRegressionRidge = 1e-6;
// In standard deviations of the statistics; beyond, a network only extrapolates.
constexpr double kLargestResidualContext = 10;
constexpr long kNumSteps = 1000;
constexpr double kLearningRate = 5e-3;

NetworkOptions network_for(double num_examples) {
  NetworkOptions options;
  options.hidden_units = {num_examples < 3000 ? 30 : 50};
  options.num_components = num_examples < 3000 ? 4 : 8;
  return options;
}

}  // namespace

ResidualNetwork::ResidualNetwork(const Eigen::Ref<const Eigen::MatrixXd>& targets,
                                 const Eigen::Ref<const Eigen::MatrixXd>& contexts,
                                 const Eigen::Ref<const Eigen::VectorXd>& weights,
                                 std::uint64_t seed, std::uint32_t round,
                                 const std::function<Action(long, long, double)>& progress)
    : statistics_(Standardiser::fit(contexts, Scaling::whiten)) {
  const Eigen::MatrixXd t = statistics_.apply(contexts);
  const Eigen::VectorXd w = weights / weights.sum();
  Eigen::MatrixXd design(t.rows() + 1, t.cols());
  design.row(0).setOnes();
  design.bottomRows(t.rows()) = t;
  const Eigen::MatrixXd weighted = design * w.asDiagonal();
  Eigen::MatrixXd gram = weighted * design.transpose();
  gram.diagonal().array() += kRegressionRidge;
  const Eigen::MatrixXd coefficients =
      Cholesky(gram).solve(weighted * targets.transpose()).transpose();
  intercept_ = coefficients.col(0);
  slope_ = coefficients.rightCols(t.rows());
  const Eigen::MatrixXd errors = targets - coefficients * design;
  Eigen::MatrixXd covariance = errors * w.asDiagonal() * errors.transpose();
  covariance.diagonal().array() += 1e-12;
  factor_ = Cholesky(covariance).lower();

  const NetworkOptions options = network_for(effective_size(weights));
  Stream init(seed, {.purpose = Purpose::network_init, .round = round});
  network_ =
      std::make_unique<MixtureDensityNetwork<float>>(t.rows(), targets.rows(), options, init);
  Examples<float> examples;
  examples.targets = residuals(targets, contexts).cast<float>();
  examples.contexts = contexts_of(contexts);
  examples.weights = (w * static_cast<double>(w.size())).cast<float>();
  TrainingOptions training;
  training.num_steps = kNumSteps;
  training.learning_rate = kLearningRate;
  training.schedule = Schedule::cosine;
  // The streams' index tells this from the fold assignment of the same round.
  training_ =
      train<float>(*network_, examples, training,
                   Stream(seed, {.purpose = Purpose::training_order, .round = round, .index = 1}),
                   Stream(seed, {.purpose = Purpose::training_noise, .round = round}),
                   [&](long step, double loss) {
                     return progress ? progress(step, training.num_steps, loss) : Action::proceed;
                   });
  if (training_.stopped_because == "interrupted") {
    throw Error(ErrorKind::interrupted, "interrupted while training");
  }
}

Eigen::MatrixXf ResidualNetwork::contexts_of(
    const Eigen::Ref<const Eigen::MatrixXd>& contexts) const {
  return statistics_.apply(contexts)
      .cwiseMax(-kLargestResidualContext)
      .cwiseMin(kLargestResidualContext)
      .cast<float>();
}

Eigen::MatrixXd ResidualNetwork::residuals(
    const Eigen::Ref<const Eigen::MatrixXd>& targets,
    const Eigen::Ref<const Eigen::MatrixXd>& contexts) const {
  const Eigen::MatrixXd errors =
      (targets - slope_ * statistics_.apply(contexts)).colwise() - intercept_;
  return factor_.triangularView<Eigen::Lower>().solve(errors);
}

Eigen::VectorXd ResidualNetwork::log_probs(
    const Eigen::Ref<const Eigen::MatrixXd>& targets,
    const Eigen::Ref<const Eigen::MatrixXd>& contexts) const {
  const Eigen::VectorXf log_probs =
      network_->log_probs(residuals(targets, contexts).cast<float>(), contexts_of(contexts));
  return log_probs.cast<double>().array() - factor_.diagonal().array().log().sum();
}

GaussianMixture ResidualNetwork::at(const Eigen::Ref<const Eigen::VectorXd>& context) const {
  const Eigen::VectorXd linear = intercept_ + slope_ * statistics_.apply(context).col(0);
  return network_->mixture_at(contexts_of(context).col(0).cast<double>()).affine(factor_, linear);
}

}  // namespace epsfree
