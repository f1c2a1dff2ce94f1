#include "epsfree/conditional_density.hpp"

namespace epsfree {

template <class Scalar>
typename ConditionalDensity<Scalar>::Matrix ConditionalDensity<Scalar>::sample(
    const Vector& context, Index count, Stream& stream) const {
  return sample_each(context, count, stream);
}

template <class Scalar>
std::optional<GaussianMixture> ConditionalDensity<Scalar>::closed_form(
    const Eigen::Ref<const Eigen::VectorXd>&) const {
  return std::nullopt;
}

template <class Scalar>
std::unique_ptr<ConditionalDensity<Scalar>> ConditionalDensity<Scalar>::draw_parameters(
    Stream&) const {
  return nullptr;
}

template <class Scalar>
double ConditionalDensity<Scalar>::held_out_loss(const Examples<Scalar>& examples, Stream) const {
  const Vector log_probs = this->log_probs(examples.targets, examples.contexts);
  const bool weighted = examples.weights.size() > 0;
  double sum = 0;
  for (Index i = 0; i < log_probs.size(); ++i) {
    const Scalar weight = weighted ? examples.weights[i] : Scalar(1);
    sum -= static_cast<double>(weight) * static_cast<double>(log_probs[i]);
  }
  return sum / static_cast<double>(log_probs.size());
}

template class Trainable<float>;
template class Trainable<double>;
template class ConditionalDensity<float>;
template class ConditionalDensity<double>;

}  // namespace epsfree
