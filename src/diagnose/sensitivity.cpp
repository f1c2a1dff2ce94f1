#include <algorithm>
#include <cmath>
#include <memory>

#include "base/order_statistics.hpp"
#include "base/require.hpp"
#include "diagnose/short_text.hpp"
#include "diagnose/two_sample/whitening.hpp"
#include "epsfree/diagnose.hpp"
#include "epsfree/error.hpp"

namespace epsfree {
namespace {

constexpr Index kSamples = 2000;
constexpr Index kBins = 40;

/// The marginal densities of all members as histograms over common bins: their 5%, 50% and 95%
/// quantiles in each bin.
DiagnosisTable band(const std::string& name, const std::vector<Eigen::MatrixXd>& samples,
                    Index dim) {
  std::vector<double> all;
  for (const Eigen::MatrixXd& each : samples)
    all.insert(all.end(), each.row(dim).begin(), each.row(dim).end());
  std::sort(all.begin(), all.end());
  const double low = interpolated_quantile(all, 0.001), high = interpolated_quantile(all, 0.999);
  const double width = std::max((high - low) / static_cast<double>(kBins), 1e-300);
  std::vector<std::vector<double>> heights(static_cast<std::size_t>(kBins));
  for (const Eigen::MatrixXd& each : samples) {
    Eigen::VectorXd counts = Eigen::VectorXd::Zero(kBins);
    for (const double value : each.row(dim)) {
      if (value < low || value > high) continue;
      counts[std::min(kBins - 1, static_cast<Index>((value - low) / width))] += 1;
    }
    for (Index b = 0; b < kBins; ++b) {
      heights[static_cast<std::size_t>(b)].push_back(counts[b] /
                                                     (static_cast<double>(each.cols()) * width));
    }
  }
  DiagnosisTable table{
      "marginal of " + name, {"parameter", "low", "median", "high"}, Eigen::MatrixXd(kBins, 4)};
  for (Index b = 0; b < kBins; ++b) {
    std::vector<double>& own = heights[static_cast<std::size_t>(b)];
    std::sort(own.begin(), own.end());
    table.values.row(b) << low + (static_cast<double>(b) + 0.5) * width,
        interpolated_quantile(own, 0.05), interpolated_quantile(own, 0.5),
        interpolated_quantile(own, 0.95);
  }
  return table;
}

}  // namespace

std::vector<PosteriorPtr> weight_draws(const Estimator& estimator,
                                       const Eigen::Ref<const Eigen::VectorXd>& observed, int count,
                                       std::uint64_t seed) {
  const Estimator::Parts& parts = estimator.parts();
  std::vector<PosteriorPtr> result;
  for (int i = 0; i < count; ++i) {
    Stream stream(seed, {.purpose = Purpose::weight_draw, .index = static_cast<std::uint64_t>(i)});
    std::shared_ptr<const ConditionalDensity<float>> drawn =
        parts.conditional->draw_parameters(stream);
    if (!drawn) return result;  // nothing is known of its weights but one value
    Estimator::Parts with_drawn = parts;
    with_drawn.conditional = std::move(drawn);
    try {
      result.push_back(Estimator(std::move(with_drawn)).posterior(observed));
    } catch (const Error&) {
      continue;  // a draw that cannot be corrected for its proposal is no posterior
    }
  }
  return result;
}

Diagnosis network_sensitivity(std::span<const PosteriorPtr> members, std::uint64_t seed) {
  require(members.size() >= 2, "the number of posteriors to compare", members.size(), "at least 2");
  const std::vector<std::string>& names = members.front()->names();
  const Index dim = members.front()->dim();
  std::vector<Eigen::MatrixXd> samples;
  for (std::size_t i = 0; i < members.size(); ++i) {
    require(members[i]->dim() == dim, "the dimension of a posterior", members[i]->dim(),
            "that of the first, " + std::to_string(dim));
    Stream stream(seed, {.purpose = Purpose::weight_draw, .round = 1, .index = i});
    samples.push_back(members[i]->sample(kSamples, stream));
  }
  const auto count = static_cast<Index>(members.size());
  Eigen::MatrixXd means(dim, count), deviations(dim, count);
  for (Index i = 0; i < count; ++i) {
    const Eigen::MatrixXd& own = samples[static_cast<std::size_t>(i)];
    means.col(i) = own.rowwise().mean();
    deviations.col(i) =
        ((own.colwise() - means.col(i)).rowwise().squaredNorm() / static_cast<double>(kSamples))
            .cwiseSqrt();
  }
  const Eigen::VectorXd centre = means.rowwise().mean(), width = deviations.rowwise().mean();
  DiagnosisTable spread{
      "spread", {"of the mean", "of the log standard deviation"}, Eigen::MatrixXd(dim, 2), names};
  for (Index d = 0; d < dim; ++d) {
    const Eigen::ArrayXd logs = deviations.row(d).transpose().array().max(1e-300).log();
    const double of_logs =
        std::sqrt((logs - logs.mean()).square().sum() / static_cast<double>(count - 1));
    const double of_means = std::sqrt((means.row(d).array() - centre[d]).square().sum() /
                                      static_cast<double>(count - 1));
    spread.values.row(d) << of_means / std::max(width[d], 1e-300), of_logs;
  }
  const double largest = spread.values.maxCoeff();
  Diagnosis result{
      .name = "network-sensitivity",
      .quantity = "spread",
      .value = largest,
      .bad = Bad::high,
      .warn_at = 0.3,
      .threshold = 1,
      .meaning = "Among " + std::to_string(count) +
                 " networks that fit the simulations about equally well, "
                 "the posterior's mean or log standard deviation varies by " +
                 short_text(largest) + " standard deviations.",
      .advice =
          "The answer depends on the network as much as on the data: raise the budget or average "
          "over "
          "several seeds.",
      .citation =
          "Papamakarios & Murray 2016, appendix D; Lakshminarayanan, Pritzel & Blundell 2017",
      .tables = {std::move(spread)}};
  for (Index d = 0; d < dim; ++d) {
    result.tables.push_back(band(names[static_cast<std::size_t>(d)], samples, d));
  }
  judge_together(std::span(&result, 1));
  return result;
}

}  // namespace epsfree
