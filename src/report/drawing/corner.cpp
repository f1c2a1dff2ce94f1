#include "report/drawing/corner.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "base/number_text.hpp"
#include "base/order_statistics.hpp"
#include "report/markup.hpp"

namespace epsfree {
namespace {

constexpr Index kMostParameters = 8;
constexpr Index kMarginalPoints = 161;
constexpr Index kPairPoints = 61;
// Where each value is an integral over the parameters that are left out.
constexpr Index kMarginalIntegrals = 61;
constexpr Index kPairIntegrals = 41;
constexpr Index kSamples = 20000;
constexpr double kTail = 0.0005;
// Of the mass: so much on the support, and what is cut off cannot be seen.
constexpr double kWhole = 0.98;
// Parameters that an integral may run over: more take minutes.
constexpr Index kMostIntegrated = 2;
// How far an axis is stretched to show the truth, in widths of the posterior.
constexpr double kFarthestTruth = 2;

/// The posterior's parts, whether it has a density or only samples.
class View {
 public:
  explicit View(const PosteriorPtr& posterior) : posterior_(posterior) {
    Stream stream(1, {.purpose = Purpose::posterior_sample, .round = 1});
    samples_ = posterior->sample(kSamples, stream);
  }

  const Eigen::MatrixXd& samples() const { return samples_; }

  /// The part itself if it has a density that does not take long, else null.
  PosteriorPtr part(std::initializer_list<Index> dims) const {
    const std::vector<Index> list(dims);
    if (posterior_->dim() == static_cast<Index>(list.size())) return with_density(posterior_);
    const PosteriorPtr part = with_density(posterior_->marginal(list));
    if (!part || !is_integral(*part)) return part;
    const TruncatedMixture* joint = posterior_->mixture();
    if (joint != nullptr && joint->mass().value > kWhole) {
      // Next to nothing is cut off, so the others' bounds do not matter for a picture.
      return std::make_shared<MixturePosterior>(part->prior_ptr(), part->names(),
                                                joint->mixture().marginal(list));
    }
    return posterior_->dim() - part->dim() <= kMostIntegrated ? part : nullptr;
  }

  bool is_integral(const Posterior& part) const {
    return part.log_prob_is_integral() && posterior_->dim() - part.dim() > 1;
  }

  double quantile(Index d, double probability) const {
    std::vector<double> values(samples_.row(d).begin(), samples_.row(d).end());
    return lower_quantile(values, probability);
  }

 private:
  static PosteriorPtr with_density(const PosteriorPtr& posterior) {
    return posterior->has_log_prob() ? posterior : nullptr;
  }

  PosteriorPtr posterior_;
  Eigen::MatrixXd samples_;
};

Eigen::VectorXd grid(const CornerMarginal& of, Index count) {
  return Eigen::VectorXd::LinSpaced(count, of.low, of.high);
}

/// A running mean of each column with a Gaussian of about one cell.
void smooth_columns(Eigen::MatrixXd& values) {
  constexpr std::array<double, 4> kWeights = {0.3072, 0.2288, 0.0935, 0.0241};
  const Eigen::MatrixXd old = values;
  for (Index j = 0; j < values.cols(); ++j) {
    for (Index i = 0; i < values.rows(); ++i) {
      double sum = 0, weights = 0;
      for (Index k = -3; k <= 3; ++k) {
        if (i + k < 0 || i + k >= values.rows()) continue;
        const double weight = kWeights[static_cast<std::size_t>(std::abs(k))];
        sum += weight * old(i + k, j);
        weights += weight;
      }
      values(i, j) = sum / weights;
    }
  }
}

/// Samples counted around the points of two grids (of one, if the other has a single point), and
/// smoothed.
Eigen::MatrixXd smoothed(const Eigen::MatrixXd& samples, Index first, const Eigen::VectorXd& x,
                         Index second, const Eigen::VectorXd& y) {
  Eigen::MatrixXd counts = Eigen::MatrixXd::Zero(x.size(), y.size());
  const auto cell = [](double value, const Eigen::VectorXd& points) {
    if (points.size() == 1) return Index{0};
    const double step = points[1] - points[0];
    const double at = std::floor((value - points[0]) / step + 0.5);
    return at >= 0 && at < static_cast<double>(points.size()) ? static_cast<Index>(at) : Index{-1};
  };
  for (Index i = 0; i < samples.cols(); ++i) {
    const Index a = cell(samples(first, i), x), b = cell(samples(second, i), y);
    if (a >= 0 && b >= 0) ++counts(a, b);
  }
  const double area = (x[1] - x[0]) * (y.size() > 1 ? y[1] - y[0] : 1);
  counts /= area * static_cast<double>(samples.cols());
  smooth_columns(counts);
  if (y.size() > 1) {
    Eigen::MatrixXd turned = counts.transpose();
    smooth_columns(turned);
    counts = turned.transpose();
  }
  return counts;
}

Eigen::VectorXd prior_density(const PriorPtr& prior, Index d, const Eigen::VectorXd& x) {
  const std::array<Index, 1> dims = {d};
  const PriorPtr own = prior->dim() == 1 ? prior : prior->marginal(dims);
  if (!own->has_log_prob()) return {};
  Eigen::VectorXd density(x.size());
  for (Index i = 0; i < x.size(); ++i) {
    density[i] = std::exp(own->log_prob(Eigen::VectorXd::Constant(1, x[i])));
  }
  return density;
}

CornerMarginal marginal_of(const View& view, const Posterior& posterior, Index d,
                           const std::optional<Eigen::VectorXd>& truth, bool& exact) {
  CornerMarginal result{.name = posterior.names()[static_cast<std::size_t>(d)]};
  result.low = view.quantile(d, kTail);
  result.high = view.quantile(d, 1 - kTail);
  const double seen = result.high - result.low;
  if (truth && (*truth)[d] > result.low - kFarthestTruth * seen &&
      (*truth)[d] < result.high + kFarthestTruth * seen) {
    result.low = std::min(result.low, (*truth)[d]);
    result.high = std::max(result.high, (*truth)[d]);
  }
  const double width = result.high - result.low;
  const double margin = width > 0 ? 0.06 * width : 0.5 * std::max(1e-3, std::abs(result.low));
  result.low -= margin;
  result.high += margin;
  if (const PosteriorPtr part = view.part({d})) {
    result.x = grid(result, view.is_integral(*part) ? kMarginalIntegrals : kMarginalPoints);
    result.density = part->log_probs(result.x.transpose()).array().exp();
  } else {
    exact = false;
    result.x = grid(result, kMarginalIntegrals);
    result.density = smoothed(view.samples(), d, result.x, d, Eigen::VectorXd::Zero(1)).col(0);
  }
  result.prior = prior_density(posterior.prior_ptr(), d, result.x);
  return result;
}

CornerPair pair_of(const View& view, CornerPlot& plot, Index first, Index second) {
  CornerPair pair{.first = first, .second = second};
  const CornerMarginal& a = plot.marginals[static_cast<std::size_t>(first)];
  const CornerMarginal& b = plot.marginals[static_cast<std::size_t>(second)];
  if (const PosteriorPtr part = view.part({first, second})) {
    const Index count = view.is_integral(*part) ? kPairIntegrals : kPairPoints;
    pair.x = grid(a, count);
    pair.y = grid(b, count);
    Eigen::MatrixXd points(2, count * count);
    for (Index j = 0; j < count; ++j) {
      for (Index i = 0; i < count; ++i) points.col(j * count + i) << pair.x[i], pair.y[j];
    }
    pair.density = part->log_probs(points).array().exp().matrix().reshaped(count, count);
  } else {
    plot.exact = false;
    pair.x = grid(a, kPairPoints);
    pair.y = grid(b, kPairPoints);
    pair.density = smoothed(view.samples(), first, pair.x, second, pair.y);
  }
  return pair;
}

}  // namespace

CornerPlot corner_plot(const PosteriorPtr& posterior, const std::optional<Eigen::VectorXd>& truth) {
  CornerPlot plot;
  const View view(posterior);
  const Index shown = std::min(posterior->dim(), kMostParameters);
  plot.num_left_out = posterior->dim() - shown;
  for (Index d = 0; d < shown; ++d) {
    plot.marginals.push_back(marginal_of(view, *posterior, d, truth, plot.exact));
  }
  if (truth) plot.truth = truth->head(shown);
  const Eigen::MatrixXd covariance = posterior->covariance();
  for (Index second = 1; second < shown; ++second) {
    for (Index first = 0; first < second; ++first) {
      plot.pairs.push_back(pair_of(view, plot, first, second));
      plot.pairs.back().correlation =
          covariance(first, second) /
          std::sqrt(covariance(first, first) * covariance(second, second));
    }
  }
  return plot;
}

std::string corner_csv(const CornerPlot& plot) {
  std::string text = "parameter,x,density,prior\n";
  for (const CornerMarginal& each : plot.marginals) {
    for (Index i = 0; i < each.x.size(); ++i) {
      text += csv_text(each.name) + "," + number_text(each.x[i]) + "," +
              number_text(each.density[i]) + "," +
              (each.prior.size() > 0 ? number_text(each.prior[i]) : "") + "\n";
    }
  }
  return text;
}

}  // namespace epsfree
