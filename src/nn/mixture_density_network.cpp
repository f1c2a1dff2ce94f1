#include "epsfree/mixture_density_network.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/gemm.hpp"
#include "base/noise.hpp"
#include "base/require.hpp"
#include "epsfree/error.hpp"
#include "nn/kernel_choice.hpp"
#include "nn/network_passes.hpp"

namespace epsfree {
namespace {

// Rows of a pass over many examples without gradients.
constexpr Index kPredictionRows = 256;

// Column example(row) of `points`, one per example, into row `row` of a matrix with a row per
// example, for all rows.
template <class T, class Example>
void scatter(const Eigen::Matrix<T, Eigen::Dynamic, Eigen::Dynamic>& points, Index num_rows,
             T* rows, Index stride, const Example& example) {
  const Index dim = points.rows();
  const T* const values = points.data();
  // Four rows at a time: one is mostly bookkeeping.
  Index row = 0;
  for (; row + 4 <= num_rows; row += 4) {
    const T* const a = values + example(row) * dim;
    const T* const b = values + example(row + 1) * dim;
    const T* const c = values + example(row + 2) * dim;
    const T* const d = values + example(row + 3) * dim;
    T* to = rows + row;
    for (Index i = 0; i < dim; ++i, to += stride) {
      to[0] = a[i];
      to[1] = b[i];
      to[2] = c[i];
      to[3] = d[i];
    }
  }
  for (; row < num_rows; ++row) {
    const T* const a = values + example(row) * dim;
    for (Index i = 0; i < dim; ++i) rows[i * stride + row] = a[i];
  }
}

}  // namespace

template <class Scalar>
struct MixtureDensityNetwork<Scalar>::Impl {
  Impl(Index context_dim, Index target_dim, const NetworkOptions& network_options)
      : options(network_options),
        layout(context_dim, target_dim, network_options),
        parameters(static_cast<std::size_t>(layout.num_weights * (options.variational ? 2 : 1))),
        variances(static_cast<std::size_t>(options.variational ? layout.num_weights : 0)) {}

  Scalar* log_variances() { return parameters.data() + layout.num_weights; }

  // Log variances at their start, everything else at zero.
  void clear() {
    const auto middle = parameters.begin() + layout.num_weights;
    std::fill(parameters.begin(), middle, Scalar(0));
    std::fill(middle, parameters.end(), static_cast<Scalar>(2 * options.initial_log_std));
  }

  void gather(const Examples<Scalar>& examples, std::span<const Index> batch);
  void predict(const Matrix& targets, const Matrix& contexts, Index begin, bool want_gradients,
               Workspace<Scalar>& space) const;

  NetworkOptions options;
  NetworkLayout layout;
  std::vector<Scalar> parameters;
  std::vector<Scalar> variances;  // exp(log variances)
  Workspace<Scalar> training;
};

template <class Scalar>
void MixtureDensityNetwork<Scalar>::Impl::gather(const Examples<Scalar>& examples,
                                                 std::span<const Index> batch) {
  const Index rows = static_cast<Index>(batch.size());
  Workspace<Scalar>& space = training;
  space.resize(layout, options.variational, rows);
  const bool weighted = examples.weights.size() > 0;
  Scalar* const contexts = space.layers.front().inputs;
  const auto example = [&](Index row) { return batch[static_cast<std::size_t>(row)]; };
  scatter(examples.contexts, rows, contexts, space.stride, example);
  scatter(examples.targets, rows, space.targets, space.stride, example);
  for (Index row = 0; row < rows; ++row) {
    const Scalar weight = weighted ? examples.weights[example(row)] : Scalar(1);
    space.coefficients[row] = -weight / static_cast<Scalar>(rows);
    if (weight != Scalar(0)) continue;
    // An ignored example may hold anything, NaN too.
    for (Index i = 0; i < examples.contexts.rows(); ++i) contexts[i * space.stride + row] = 0;
    for (Index i = 0; i < examples.targets.rows(); ++i) space.targets[i * space.stride + row] = 0;
  }
  if (options.variational) {
    kernels<Scalar>().square(contexts, space.layers.front().squares,
                             space.stride * layout.layers.front().inputs);
  }
}

// The rows of `space` from the columns at `begin`. Predictions have work space of their own, so
// that threads can share a network.
template <class Scalar>
void MixtureDensityNetwork<Scalar>::Impl::predict(const Matrix& targets, const Matrix& contexts,
                                                  Index begin, bool want_gradients,
                                                  Workspace<Scalar>& space) const {
  const Index rows = space.rows;
  const auto example = [&](Index row) { return begin + row; };
  scatter(contexts, rows, space.layers.front().inputs, space.stride, example);
  scatter(targets, rows, space.targets, space.stride, example);
  std::fill_n(space.coefficients, rows, Scalar(1));
  const NetworkWeights<Scalar> weights{parameters.data(), nullptr};
  forward(layout, options.activation, weights, space);
  evaluate_density(layout, space, want_gradients, want_gradients);
  if (want_gradients) {
    backward<Scalar>(layout, options.activation, weights, space, nullptr, nullptr, true);
  }
}

template <class Scalar>
MixtureDensityNetwork<Scalar>::MixtureDensityNetwork(Index context_dim, Index target_dim,
                                                     const NetworkOptions& options, Stream& init)
    : impl_(std::make_unique<Impl>(context_dim, target_dim, options)) {
  impl_->clear();
  for (const LayerLayout& layer : impl_->layout.layers) {
    const double scale = 1 / std::sqrt(static_cast<double>(layer.inputs));
    Scalar* weight = impl_->parameters.data() + layer.offset;
    for (Index unit = 0; unit < layer.outputs; ++unit, ++weight) {  // ++: past the bias
      for (Index i = 0; i < layer.inputs; ++i)
        *weight++ = static_cast<Scalar>(scale * init.normal());
    }
  }
}

template <class Scalar>
MixtureDensityNetwork<Scalar>::~MixtureDensityNetwork() = default;

template <class Scalar>
MixtureDensityNetwork<Scalar>::MixtureDensityNetwork(const MixtureDensityNetwork& other)
    : ConditionalDensity<Scalar>(other),
      impl_(std::make_unique<Impl>(other.context_dim(), other.target_dim(), other.options())) {
  impl_->parameters = other.impl_->parameters;
}

template <class Scalar>
const NetworkOptions& MixtureDensityNetwork<Scalar>::options() const {
  return impl_->options;
}

template <class Scalar>
Index MixtureDensityNetwork<Scalar>::target_dim() const {
  return impl_->layout.head.target_dim;
}

template <class Scalar>
Index MixtureDensityNetwork<Scalar>::context_dim() const {
  return impl_->layout.layers.front().inputs;
}

template <class Scalar>
std::span<Scalar> MixtureDensityNetwork<Scalar>::parameters() {
  return impl_->parameters;
}

template <class Scalar>
std::span<const Scalar> MixtureDensityNetwork<Scalar>::parameters() const {
  return impl_->parameters;
}

template <class Scalar>
Scalar MixtureDensityNetwork<Scalar>::loss(const Examples<Scalar>& examples,
                                           std::span<const Index> batch, Index num_examples,
                                           Stream& noise, std::span<Scalar> gradient) {
  Impl& self = *impl_;
  const std::size_t num_weights = static_cast<std::size_t>(self.layout.num_weights);
  require(!batch.empty(), "the batch's size", 0, "at least 1");
  require(num_examples > 0, "num_examples", num_examples, "at least 1");
  require(gradient.size() == self.parameters.size(), "the gradient's size",
          static_cast<Index>(gradient.size()), std::to_string(self.parameters.size()));
  const SingleThreadedGemm single;
  const Kernels<Scalar>& kernel = kernels<Scalar>();
  Workspace<Scalar>& space = self.training;
  self.gather(examples, batch);

  NetworkWeights<Scalar> weights{self.parameters.data(), nullptr};
  double sums[3] = {0, 0, 0};
  Scalar* d_variances = nullptr;
  if (self.options.variational) {
    kernel.variances(self.parameters.data(), self.log_variances(), self.variances.data(),
                     self.layout.num_weights, sums);
    fill_noise(noise,
               std::span<Scalar>(space.all_noise, static_cast<std::size_t>(space.noise_size)));
    weights.variances = self.variances.data();
    d_variances = gradient.data() + num_weights;
  }
  forward(self.layout, self.options.activation, weights, space);
  evaluate_density(self.layout, space, true, false);
  backward(self.layout, self.options.activation, weights, space, gradient.data(), d_variances,
           false);

  double loss = 0;
  for (Index row = 0; row < space.rows; ++row) {
    loss +=
        static_cast<double>(space.coefficients[row]) * static_cast<double>(space.log_probs[row]);
  }
  if (self.options.variational) {
    // KL(q || prior) of appendix D, its constant included.
    const double precision = self.options.weight_precision;
    const double count = static_cast<double>(self.layout.num_weights);
    const double kl =
        0.5 * (precision * (sums[0] + sums[1]) - sums[2] - count * (1 + std::log(precision)));
    const double scale = 1 / static_cast<double>(num_examples);
    loss += kl * scale;
    kernel.add_kl_gradient(self.parameters.data(), self.variances.data(),
                           static_cast<Scalar>(scale), static_cast<Scalar>(precision),
                           gradient.data(), d_variances, self.layout.num_weights);
  }
  return static_cast<Scalar>(loss);
}

template <class Scalar>
typename MixtureDensityNetwork<Scalar>::Vector MixtureDensityNetwork<Scalar>::log_probs(
    const Matrix& targets, const Matrix& contexts) const {
  require(targets.rows() == target_dim(), "the targets' dimension", targets.rows(),
          std::to_string(target_dim()));
  require(contexts.rows() == context_dim(), "the contexts' dimension", contexts.rows(),
          std::to_string(context_dim()));
  require(contexts.cols() == targets.cols(), "the number of contexts", contexts.cols(),
          "the number of targets, " + std::to_string(targets.cols()));
  const SingleThreadedGemm single;
  const Index count = targets.cols();
  Vector result(count);
  const Index rows = std::min(count, kPredictionRows);
  Workspace<Scalar> space;
  space.resize(impl_->layout, false, rows);
  for (Index done = 0; done < count; done += rows) {
    // The last batch overlaps the one before it, so that all have the same size.
    const Index begin = std::min(done, count - rows);
    impl_->predict(targets, contexts, begin, false, space);
    std::copy_n(space.log_probs, rows, result.data() + begin);
  }
  return result;
}

template <class Scalar>
void MixtureDensityNetwork<Scalar>::input_gradients(const Matrix& targets, const Matrix& contexts,
                                                    Matrix& d_targets, Matrix& d_contexts) const {
  require(targets.rows() == target_dim(), "the targets' dimension", targets.rows(),
          std::to_string(target_dim()));
  require(contexts.rows() == context_dim(), "the contexts' dimension", contexts.rows(),
          std::to_string(context_dim()));
  require(contexts.cols() == targets.cols(), "the number of contexts", contexts.cols(),
          "the number of targets, " + std::to_string(targets.cols()));
  const SingleThreadedGemm single;
  const Index count = targets.cols();
  d_targets.resize(targets.rows(), count);
  d_contexts.resize(contexts.rows(), count);
  const Index rows = std::min(count, kPredictionRows);
  Workspace<Scalar> space;
  space.resize(impl_->layout, false, rows);
  for (Index done = 0; done < count; done += rows) {
    const Index begin = std::min(done, count - rows);
    impl_->predict(targets, contexts, begin, true, space);
    for (Index row = 0; row < rows; ++row) {
      for (Index i = 0; i < targets.rows(); ++i) {
        d_targets(i, begin + row) = space.d_targets[i * space.stride + row];
      }
      for (Index i = 0; i < contexts.rows(); ++i) {
        d_contexts(i, begin + row) = space.d_contexts[i * space.stride + row];
      }
    }
  }
}

template <class Scalar>
typename MixtureDensityNetwork<Scalar>::Matrix MixtureDensityNetwork<Scalar>::sample_each(
    const Matrix& contexts, Index count, Stream& stream) const {
  Matrix samples(target_dim(), contexts.cols() * count);
  for (Index i = 0; i < contexts.cols(); ++i) {
    samples.middleCols(i * count, count) = mixture_at(contexts.col(i).template cast<double>())
                                               .sample(count, stream)
                                               .template cast<Scalar>();
  }
  return samples;
}

template <class Scalar>
std::optional<GaussianMixture> MixtureDensityNetwork<Scalar>::closed_form(
    const Eigen::Ref<const Eigen::VectorXd>& context) const {
  return mixture_at(context);
}

template <class Scalar>
std::unique_ptr<ConditionalDensity<Scalar>> MixtureDensityNetwork<Scalar>::draw_parameters(
    Stream& stream) const {
  if (!options().variational) return nullptr;
  auto drawn = std::make_unique<MixtureDensityNetwork>(*this);
  // Predictions use the means.
  Scalar* const means = drawn->impl_->parameters.data();
  const Scalar* const log_variances = drawn->impl_->log_variances();
  for (Index i = 0; i < impl_->layout.num_weights; ++i) {
    means[i] += std::exp(Scalar(0.5) * log_variances[i]) * static_cast<Scalar>(stream.normal());
  }
  return drawn;
}

template <class Scalar>
std::unique_ptr<ConditionalDensity<Scalar>> MixtureDensityNetwork<Scalar>::clone() const {
  return std::make_unique<MixtureDensityNetwork>(*this);
}

template <class Scalar>
GaussianMixture MixtureDensityNetwork<Scalar>::mixture_at(
    const Eigen::Ref<const Eigen::VectorXd>& context) const {
  require(context.size() == context_dim(), "the context's dimension", context.size(),
          std::to_string(context_dim()));
  const HeadLayout& head = impl_->layout.head;
  Eigen::VectorXd outputs = context;
  for (const LayerLayout& layer : impl_->layout.layers) {
    if (&layer != &impl_->layout.layers.front()) {
      if (impl_->options.activation == Activation::tanh) {
        outputs = outputs.array().tanh().eval();
      } else {
        outputs = outputs.cwiseMax(0.0).eval();
      }
    }
    const Eigen::Map<const Matrix> weights(impl_->parameters.data() + layer.offset, layer.rows(),
                                           layer.outputs);
    outputs = (weights.topRows(layer.inputs).template cast<double>().transpose() * outputs +
               weights.row(layer.inputs).template cast<double>().transpose())
                  .eval();
  }
  std::vector<Gaussian> components;
  for (int k = 0; k < head.num_components; ++k) {
    const Index dim = head.target_dim;
    Index next = head.component(k);
    const Eigen::VectorXd mean = outputs.segment(next, dim);
    next += dim;
    Eigen::MatrixXd U = Eigen::MatrixXd::Zero(dim, dim);
    for (Index i = 0; i < dim; ++i) {
      U(i, i) = std::exp(std::clamp(outputs[next++], -kLogDiagonalLimit, kLogDiagonalLimit));
    }
    for (Index i = 0; i < dim; ++i) {
      for (Index j = i + 1; j < dim; ++j) U(i, j) = outputs[next++];
    }
    components.push_back(Gaussian::from_precision_factor(mean, U));
  }
  if (head.num_components == 1) return GaussianMixture(components.front());
  return GaussianMixture(std::move(components), outputs.head(head.num_logits()));
}

template <class Scalar>
std::unique_ptr<MixtureDensityNetwork<Scalar>> MixtureDensityNetwork<Scalar>::replicate(
    int num_components, double noise, Stream& init) const {
  require(options().num_components == 1, "num_components of a network to be replicated",
          options().num_components, "1");
  NetworkOptions replica_options = options();
  replica_options.num_components = num_components;
  auto replica =
      std::make_unique<MixtureDensityNetwork>(context_dim(), target_dim(), replica_options, init);
  replica->impl_->clear();
  const NetworkLayout& from = impl_->layout;
  const NetworkLayout& to = replica->impl_->layout;
  const LayerLayout& heads = to.layers.back();
  // Means, then log variances where there are any: both are laid out alike.
  const Index parts = options().variational ? 2 : 1;
  for (Index part = 0; part < parts; ++part) {
    const Scalar* const source = impl_->parameters.data() + part * from.num_weights;
    Scalar* const copy = replica->impl_->parameters.data() + part * to.num_weights;
    std::copy_n(source, heads.offset, copy);  // hidden layers
    for (int k = 0; k < num_components; ++k) {
      Scalar* const first = copy + heads.offset + to.head.component(k) * heads.rows();
      std::copy_n(source + heads.offset, from.layers.back().size(), first);
      for (Index i = 0; part == 0 && i < to.head.target_dim; ++i) {
        first[i * heads.rows() + heads.inputs] += static_cast<Scalar>(noise * init.normal());
      }
    }
  }
  return replica;
}

template class MixtureDensityNetwork<float>;
template class MixtureDensityNetwork<double>;

}  // namespace epsfree
