#include "diagnose/two_sample/classifier.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "base/gemm.hpp"
#include "base/interruption.hpp"
#include "base/require.hpp"
#include "nn/kernel_choice.hpp"

namespace epsfree {
namespace {

using Matrix = Eigen::MatrixXf;

MatrixView<float> view(const float* data, Index stride) { return {data, stride}; }

/// log(1 + exp(x)) without overflow.
float softplus(float x) { return std::max(x, 0.0f) + std::log1p(std::exp(-std::abs(x))); }

/// The mean cross-entropy of log odds, and in their place its gradient times the number of points.
double loss_and_gradient(Matrix& log_odds, const Eigen::VectorXf& labels) {
  double sum = 0;
  for (Index i = 0; i < labels.size(); ++i) {
    const float x = log_odds(0, i);
    sum += static_cast<double>(softplus(x) - labels[i] * x);
    log_odds(0, i) = 1 / (1 + std::exp(-x)) - labels[i];
  }
  return sum / static_cast<double>(labels.size());
}

}  // namespace

void ClassifierOptions::validate() const {
  require_between(0, 10, "classifier.num_layers", num_layers);
  require_between(1, 1000, "classifier.units_per_dimension", units_per_dimension);
  require_between(0, 100'000, "classifier.num_units", num_units);
  require(learning_rate > 0, "classifier.learning_rate", learning_rate, "positive");
  require(batch_size >= 1, "classifier.batch_size", batch_size, "at least 1");
  require(weight_penalty >= 0, "classifier.weight_penalty", weight_penalty, "at least 0");
  require(max_epochs >= 1, "classifier.max_epochs", max_epochs, "at least 1");
  require(tolerance >= 0, "classifier.tolerance", tolerance, "at least 0");
  require(patience >= 1, "classifier.patience", patience, "at least 1");
}

Classifier::Classifier(const Eigen::Ref<const Eigen::MatrixXf>& points,
                       const Eigen::Ref<const Eigen::VectorXf>& labels,
                       const ClassifierOptions& options, Stream& stream) {
  options.validate();
  const SingleThreadedGemm single;
  const Index units =
      options.num_units > 0 ? options.num_units : options.units_per_dimension * points.rows();
  Index inputs = points.rows();
  for (int i = 0; i < options.num_layers; ++i) {
    add_layer(inputs, units);
    inputs = units;
  }
  add_layer(inputs, 1);
  initialise(stream);
  train(points, labels, options, stream);
}

void Classifier::add_layer(Index inputs, Index outputs) {
  const std::size_t weights = parameters_.size();
  const std::size_t biases = weights + static_cast<std::size_t>(inputs * outputs);
  layers_.push_back({inputs, outputs, weights, biases});
  parameters_.resize(biases + static_cast<std::size_t>(outputs));
}

void Classifier::initialise(Stream& stream) {
  // Uniform as Glorot & Bengio (2010) have it, biases too.
  for (const Layer& layer : layers_) {
    const double bound = std::sqrt(6.0 / static_cast<double>(layer.inputs + layer.outputs));
    const std::size_t end = layer.biases + static_cast<std::size_t>(layer.outputs);
    for (std::size_t i = layer.weights; i < end; ++i) {
      parameters_[i] = static_cast<float>(stream.uniform(-bound, bound));
    }
  }
}

void Classifier::forward(const Eigen::Ref<const Eigen::MatrixXf>& inputs,
                         std::vector<Matrix>& activations) const {
  activations.resize(layers_.size());
  const float* from = inputs.data();
  Index stride = inputs.outerStride();
  for (std::size_t l = 0; l < layers_.size(); ++l) {
    const Layer& layer = layers_[l];
    Matrix& to = activations[l];
    // The biases first, onto which the product is added.
    to = Eigen::Map<const Eigen::VectorXf>(parameters_.data() + layer.biases, layer.outputs)
             .replicate(1, inputs.cols());
    gemm(layer.outputs, inputs.cols(), layer.inputs,
         view(parameters_.data() + layer.weights, layer.outputs), view(from, stride), 1.0f,
         to.data(), to.outerStride());
    if (l + 1 < layers_.size()) to = to.cwiseMax(0.0f);
    from = to.data();
    stride = to.outerStride();
  }
}

void Classifier::backward(const Eigen::Ref<const Eigen::MatrixXf>& inputs,
                          const std::vector<Matrix>& activations, Matrix& d_outputs,
                          Matrix& scratch, std::vector<float>& gradient) const {
  const Index count = inputs.cols();
  for (std::size_t l = layers_.size(); l-- > 0;) {
    const Layer& layer = layers_[l];
    const float* from = l == 0 ? inputs.data() : activations[l - 1].data();
    const Index stride = l == 0 ? inputs.outerStride() : activations[l - 1].outerStride();
    gemm(layer.outputs, layer.inputs, count, view(d_outputs.data(), d_outputs.outerStride()),
         view(from, stride).transpose(), 0.0f, gradient.data() + layer.weights, layer.outputs);
    Eigen::Map<Eigen::VectorXf>(gradient.data() + layer.biases, layer.outputs) =
        d_outputs.rowwise().sum();
    if (l == 0) return;
    scratch.resize(layer.inputs, count);
    gemm(layer.inputs, count, layer.outputs,
         view(parameters_.data() + layer.weights, layer.outputs).transpose(),
         view(d_outputs.data(), d_outputs.outerStride()), 0.0f, scratch.data(),
         scratch.outerStride());
    kernels<float>().relu_backward(activations[l - 1].data(), scratch.data(), scratch.size());
    d_outputs.swap(scratch);
  }
}

void Classifier::train(const Eigen::Ref<const Eigen::MatrixXf>& points,
                       const Eigen::Ref<const Eigen::VectorXf>& labels,
                       const ClassifierOptions& options, Stream& stream) {
  const Index count = points.cols();
  const Index batch_size = std::min<Index>(options.batch_size, count);
  std::vector<Index> order(static_cast<std::size_t>(count));
  std::iota(order.begin(), order.end(), Index{0});
  std::vector<float> gradient(parameters_.size()), mean(parameters_.size()),
      square(parameters_.size());
  std::vector<Matrix> activations;
  Matrix inputs, d_outputs, scratch;
  Eigen::VectorXf targets;
  AdamStep step{.rate = options.learning_rate,
                .mean_decay = 0.9,
                .square_decay = 0.999,
                .mean_correction = 1,
                .square_correction = 1,
                // Inside the root: what scikit-learn's 1e-8 outside of it is for tiny gradients.
                .epsilon = 1e-16,
                .gradient_scale = 1};
  double mean_power = 1, square_power = 1, best = std::numeric_limits<double>::infinity();
  int without_gain = 0;
  while (num_epochs_ < options.max_epochs) {
    ++num_epochs_;
    stream.shuffle(std::span(order));
    double epoch_loss = 0;
    for (Index begin = 0; begin < count; begin += batch_size) {
      check_interruption();
      const Index size = std::min(batch_size, count - begin);
      inputs.resize(points.rows(), size);
      targets.resize(size);
      for (Index i = 0; i < size; ++i) {
        const Index at = order[static_cast<std::size_t>(begin + i)];
        inputs.col(i) = points.col(at);
        targets[i] = labels[at];
      }
      forward(inputs, activations);
      d_outputs = activations.back();
      const double loss = loss_and_gradient(d_outputs, targets);
      backward(inputs, activations, d_outputs, scratch, gradient);
      double squares = 0;
      for (const Layer& layer : layers_) {
        const std::size_t size_of = layer.biases - layer.weights;
        squares += kernels<float>().squared_norm(parameters_.data() + layer.weights,
                                                 static_cast<Index>(size_of));
        for (std::size_t i = layer.weights; i < layer.biases; ++i) {
          gradient[i] += static_cast<float>(options.weight_penalty) * parameters_[i];
        }
      }
      epoch_loss += loss * static_cast<double>(size) + 0.5 * options.weight_penalty * squares;
      mean_power *= step.mean_decay;
      square_power *= step.square_decay;
      step.mean_correction = 1 / (1 - mean_power);
      step.square_correction = 1 / (1 - square_power);
      step.gradient_scale = 1 / static_cast<double>(size);
      kernels<float>().adam(step, parameters_.data(), gradient.data(), mean.data(), square.data(),
                            static_cast<Index>(parameters_.size()));
    }
    loss_ = epoch_loss / static_cast<double>(count);
    without_gain = loss_ > best - options.tolerance ? without_gain + 1 : 0;
    best = std::min(best, loss_);
    if (without_gain > options.patience) break;
  }
}

Eigen::VectorXf Classifier::log_odds(const Eigen::Ref<const Eigen::MatrixXf>& points) const {
  std::vector<Matrix> activations;
  const SingleThreadedGemm single;
  forward(points, activations);
  return activations.back().row(0).transpose();
}

}  // namespace epsfree
