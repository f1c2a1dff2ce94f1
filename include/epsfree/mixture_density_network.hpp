// The mixture density network of appendix B and its Bayesian form of appendix D.
#pragma once

#include <Eigen/Core>
#include <memory>
#include <string>
#include <vector>

#include "epsfree/conditional_density.hpp"
#include "epsfree/gaussian_mixture.hpp"

namespace epsfree {

enum class Activation { tanh, relu };
std::string to_string(Activation activation);

/// The shape of a mixture density network.
struct NetworkOptions {
  std::vector<int> hidden_units = {50};  ///< one entry per hidden layer; may be empty
  Activation activation = Activation::tanh;
  int num_components = 1;          ///< K
  bool variational = true;         ///< MDN-SVI (appendix D) instead of a plain MDN
  double weight_precision = 0.01;  ///< lambda, the precision of the weights' prior
  double initial_log_std = -3.0;   ///< start of the weights' log standard deviations
  /// Throws ErrorKind::input with field, value and constraint.
  void validate() const;
};

/// The kind of MixtureDensityNetwork.
inline constexpr const char* kMixtureDensityNetwork = "mixture-density-network";

/// q(target | context) = sum_k alpha_k N(m_k, (U_k^T U_k)^-1), all computed by one network.
/// The variational form keeps a mean and a log variance per weight; `parameters()` holds all means,
/// then all log variances. Predictions use the means.
template <class Scalar>
class MixtureDensityNetwork final : public ConditionalDensity<Scalar> {
 public:
  using typename ConditionalDensity<Scalar>::Vector;
  using typename ConditionalDensity<Scalar>::Matrix;

  /// Weights start at N(0, 1/fan-in), biases at zero.
  MixtureDensityNetwork(Index context_dim, Index target_dim, const NetworkOptions& options,
                        Stream& init);
  ~MixtureDensityNetwork() override;
  MixtureDensityNetwork(const MixtureDensityNetwork&);
  MixtureDensityNetwork& operator=(const MixtureDensityNetwork&) = delete;

  const NetworkOptions& options() const;
  std::string kind() const override { return kMixtureDensityNetwork; }
  Index target_dim() const override;
  Index context_dim() const override;
  std::span<Scalar> parameters() override;
  std::span<const Scalar> parameters() const override;
  Scalar loss(const Examples<Scalar>& examples, std::span<const Index> batch, Index num_examples,
              Stream& noise, std::span<Scalar> gradient) override;
  Vector log_probs(const Matrix& targets, const Matrix& contexts) const override;
  void input_gradients(const Matrix& targets, const Matrix& contexts, Matrix& d_targets,
                       Matrix& d_contexts) const override;
  Matrix sample_each(const Matrix& contexts, Index count, Stream& stream) const override;
  std::optional<GaussianMixture> closed_form(
      const Eigen::Ref<const Eigen::VectorXd>& context) const override;
  /// Weights drawn from their variational posterior; null from a plain network.
  std::unique_ptr<ConditionalDensity<Scalar>> draw_parameters(Stream& stream) const override;
  std::unique_ptr<ConditionalDensity<Scalar>> clone() const override;

  /// The mixture at one context, in double precision: what closed_form gives.
  GaussianMixture mixture_at(const Eigen::Ref<const Eigen::VectorXd>& context) const;
  /// The same network with K copies of its one component: mixing weights start at zero, and the
  /// means' biases get noise of standard deviation `noise` (section 2.4; the authors use 1e-6).
  std::unique_ptr<MixtureDensityNetwork> replicate(int num_components, double noise,
                                                   Stream& init) const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

extern template class MixtureDensityNetwork<float>;
extern template class MixtureDensityNetwork<double>;

}  // namespace epsfree
