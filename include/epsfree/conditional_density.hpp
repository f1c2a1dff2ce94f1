// The estimator interface: a trainable density of a target given a context.
#pragma once

#include <Eigen/Core>
#include <memory>
#include <span>

#include "epsfree/gaussian.hpp"
#include "epsfree/stream.hpp"

namespace epsfree {

/// Training examples, one per column.
template <class Scalar>
struct Examples {
  Eigen::Matrix<Scalar, Eigen::Dynamic, Eigen::Dynamic> targets;
  Eigen::Matrix<Scalar, Eigen::Dynamic, Eigen::Dynamic> contexts;
  Eigen::Matrix<Scalar, Eigen::Dynamic, 1> weights;  ///< empty: all one

  Index size() const { return targets.cols(); }
};

/// q(target | context) with one flat vector of parameters. Mixture density networks are the first
/// kind; the training loop knows only this. Not thread-safe: an object keeps its work space.
template <class Scalar>
class ConditionalDensity {
 public:
  using Vector = Eigen::Matrix<Scalar, Eigen::Dynamic, 1>;
  using Matrix = Eigen::Matrix<Scalar, Eigen::Dynamic, Eigen::Dynamic>;

  virtual ~ConditionalDensity() = default;
  virtual Index target_dim() const = 0;
  virtual Index context_dim() const = 0;
  virtual std::span<Scalar> parameters() = 0;
  virtual std::span<const Scalar> parameters() const = 0;

  /// The training loss on the examples `batch` of `examples`, and its gradient: the mean over the
  /// batch of -weight log q, plus the penalty (a variational KL, or nothing) divided by
  /// `num_examples`, the size of the whole training set. `noise` feeds stochastic estimators.
  virtual Scalar loss(const Examples<Scalar>& examples, std::span<const Index> batch,
                      Index num_examples, Stream& noise, std::span<Scalar> gradient) = 0;

  /// log q of each column, without noise.
  virtual Vector log_probs(const Matrix& targets, const Matrix& contexts) const = 0;
  /// Gradients of the sum of log_probs with respect to targets and contexts.
  virtual void input_gradients(const Matrix& targets, const Matrix& contexts, Matrix& d_targets,
                               Matrix& d_contexts) const = 0;
  /// `count` targets, one per column, given one context.
  virtual Matrix sample(const Vector& context, Index count, Stream& stream) const = 0;
  virtual std::unique_ptr<ConditionalDensity> clone() const = 0;
};

extern template class ConditionalDensity<float>;
extern template class ConditionalDensity<double>;

}  // namespace epsfree
