// Densities fitted to posteriors that are known by samples.
#include <algorithm>

#include "epsfree/divergence.hpp"

namespace epsfree {
namespace {

constexpr double kSamplesPerComponent = 20;

WeightedSamples in_coordinates(const SamplesPosterior& posterior) {
  Eigen::MatrixXd z = posterior.samples().points();
  for (Index i = 0; i < z.cols(); ++i) z.col(i) = posterior.prior().to_coordinates(z.col(i));
  return {std::move(z), posterior.samples().weights().array().log()};
}

}  // namespace

std::shared_ptr<const MixturePosterior> fit_density(const SamplesPosterior& posterior,
                                                    const EmOptions& options, Stream& stream) {
  options.validate();
  const WeightedSamples samples = in_coordinates(posterior);
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
