// Densities fitted to posteriors that are known by samples.
#include <algorithm>

#include "epsfree/divergence.hpp"

namespace epsfree {
namespace {

constexpr double kSamplesPerComponent = 20;
// Samples that are drawn of a posterior which is not samples itself.
constexpr Index kDrawsToFit = 5000;

WeightedSamples in_coordinates(const WeightedSamples& samples, const Prior& prior) {
  Eigen::MatrixXd z = samples.points();
  for (Index i = 0; i < z.cols(); ++i) z.col(i) = prior.to_coordinates(z.col(i));
  return {std::move(z), samples.weights().array().log()};
}

WeightedSamples samples_of(const Posterior& posterior, Stream& stream) {
  if (const WeightedSamples* own = posterior.weighted_samples()) return *own;
  return WeightedSamples(posterior.sample(kDrawsToFit, stream));
}

}  // namespace

std::shared_ptr<const MixturePosterior> fit_density(const Posterior& posterior,
                                                    const EmOptions& options, Stream& stream) {
  options.validate();
  const WeightedSamples samples = in_coordinates(samples_of(posterior, stream), posterior.prior());
  const auto most = static_cast<int>(samples.effective_size() / kSamplesPerComponent);
  EmOptions affordable = options;
  affordable.num_components = std::clamp(most, 1, options.num_components);
  GaussianMixture mixture =
      affordable.num_components == 1
          ? GaussianMixture(Gaussian::from_covariance(samples.mean(), samples.covariance()))
          : fit_mixture(samples, affordable, stream).mixture;
  return std::make_shared<MixturePosterior>(posterior.prior_ptr(), posterior.names(),
                                            std::move(mixture));
}

}  // namespace epsfree
