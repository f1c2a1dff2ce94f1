// A small classifier that tells two sets of points apart: a multilayer perceptron with rectified
// linear units and a logistic output, trained as scikit-learn's MLPClassifier trains it.
#pragma once

#include <Eigen/Core>
#include <vector>

#include "epsfree/stream.hpp"
#include "epsfree/two_sample.hpp"

namespace epsfree {

/// Trained on construction. Adam with Kingma & Ba's decays minimises the mean cross-entropy plus
/// weight_penalty / 2 times the squared weights over the batch size, until the loss of an epoch has
/// not gained `tolerance` for `patience` epochs.
class Classifier {
 public:
  /// Points are columns; labels are 0 or 1, one per point.
  Classifier(const Eigen::Ref<const Eigen::MatrixXf>& points,
             const Eigen::Ref<const Eigen::VectorXf>& labels, const ClassifierOptions& options,
             Stream& stream);

  /// log p(1) - log p(0) at each point.
  Eigen::VectorXf log_odds(const Eigen::Ref<const Eigen::MatrixXf>& points) const;
  int num_epochs() const { return num_epochs_; }
  double loss() const { return loss_; }  ///< of the last epoch

 private:
  struct Layer {
    Index inputs, outputs;
    std::size_t weights, biases;  ///< where they begin among the parameters
  };
  void add_layer(Index inputs, Index outputs);
  void initialise(Stream& stream);
  void train(const Eigen::Ref<const Eigen::MatrixXf>& points,
             const Eigen::Ref<const Eigen::VectorXf>& labels, const ClassifierOptions& options,
             Stream& stream);
  /// Activations of every layer, the last the log odds.
  void forward(const Eigen::Ref<const Eigen::MatrixXf>& inputs,
               std::vector<Eigen::MatrixXf>& activations) const;
  /// The gradient from that of the log odds, which is overwritten.
  void backward(const Eigen::Ref<const Eigen::MatrixXf>& inputs,
                const std::vector<Eigen::MatrixXf>& activations, Eigen::MatrixXf& d_outputs,
                Eigen::MatrixXf& scratch, std::vector<float>& gradient) const;

  std::vector<Layer> layers_;
  std::vector<float> parameters_;
  int num_epochs_ = 0;
  double loss_ = 0;
};

}  // namespace epsfree
