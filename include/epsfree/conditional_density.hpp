// The interface of densities that are learnt: of a target given a context.
#pragma once

#include <Eigen/Core>
#include <memory>
#include <optional>
#include <string>

#include "epsfree/gaussian_mixture.hpp"
#include "epsfree/trainable.hpp"

namespace epsfree {

/// q(target | context). Parameters and statistics can take either role: a posterior is learnt with
/// the statistics as contexts, a likelihood with the parameters as contexts.
///
/// Its training loss is the mean of -weight log q. `loss` takes weights of either sign, so that
/// another loss of the same density (a Trainable of its own) can compute its coefficients from
/// `log_probs` and hand them to `loss` as weights.
///
/// Const functions may be called from several threads at once.
template <class Scalar>
class ConditionalDensity : public Trainable<Scalar> {
 public:
  using Vector = Eigen::Matrix<Scalar, Eigen::Dynamic, 1>;
  using Matrix = Eigen::Matrix<Scalar, Eigen::Dynamic, Eigen::Dynamic>;

  /// The word that names this kind of density in files: "mixture-density-network", ...
  virtual std::string kind() const = 0;

  /// log q of each column, without noise, normalised.
  virtual Vector log_probs(const Matrix& targets, const Matrix& contexts) const = 0;
  /// Gradients of the sum of log_probs with respect to targets and contexts.
  virtual void input_gradients(const Matrix& targets, const Matrix& contexts, Matrix& d_targets,
                               Matrix& d_contexts) const = 0;

  /// `count` targets for each column of `contexts`, one per column: those of context i are the
  /// columns i * count to (i + 1) * count - 1. The same numbers for the same stream, on any number
  /// of threads.
  virtual Matrix sample_each(const Matrix& contexts, Index count, Stream& stream) const = 0;
  /// `count` targets, one per column, given one context.
  Matrix sample(const Vector& context, Index count, Stream& stream) const;

  /// q at one context as a mixture of Gaussians in double precision, for densities that are one at
  /// every context; nothing from all others.
  virtual std::optional<GaussianMixture> closed_form(
      const Eigen::Ref<const Eigen::VectorXd>& context) const;
  /// The same density with parameters drawn from what training knows of them; null from densities
  /// that were trained to one best value.
  virtual std::unique_ptr<ConditionalDensity> draw_parameters(Stream& stream) const;

  virtual std::unique_ptr<ConditionalDensity> clone() const = 0;

  /// The mean of -weight log q.
  double held_out_loss(const Examples<Scalar>& examples, Stream noise) const override;
};

extern template class ConditionalDensity<float>;
extern template class ConditionalDensity<double>;

}  // namespace epsfree
