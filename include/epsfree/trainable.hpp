// What the training loop needs to know of a model.
#pragma once

#include <Eigen/Core>
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

/// A model with one flat vector of parameters and a loss: all that `train` knows. Densities are one
/// kind (ConditionalDensity); ratio estimators and vector fields, which are no densities, are
/// others, and so is any other loss of a density, as a class that holds the density.
///
/// The parameters are the whole state that training changes: checkpoints hold nothing else.
template <class Scalar>
class Trainable {
 public:
  virtual ~Trainable() = default;
  virtual Index target_dim() const = 0;
  virtual Index context_dim() const = 0;
  /// The same memory for as long as the object lives.
  virtual std::span<Scalar> parameters() = 0;
  virtual std::span<const Scalar> parameters() const = 0;

  /// The loss on the examples `batch` of `examples`, and its gradient: the mean over the batch,
  /// plus a penalty (a variational KL, or nothing) divided by `num_examples`, the size of the whole
  /// training set. `noise` feeds stochastic losses. An example of weight zero may hold anything.
  /// Not thread-safe: an object keeps its work space.
  virtual Scalar loss(const Examples<Scalar>& examples, std::span<const Index> batch,
                      Index num_examples, Stream& noise, std::span<Scalar> gradient) = 0;

  /// The mean loss on all of the examples, without penalty. The training loop compares parameters
  /// by it, with the same `noise` each time; a loss that needs no random numbers ignores it. May be
  /// anything, NaN too, where the model breaks down.
  virtual double held_out_loss(const Examples<Scalar>& examples, Stream noise) const = 0;

 protected:
  Trainable() = default;
  Trainable(const Trainable&) = default;
  Trainable& operator=(const Trainable&) = default;
};

extern template class Trainable<float>;
extern template class Trainable<double>;

}  // namespace epsfree
