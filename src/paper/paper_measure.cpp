// Making one inference of the reproduction and measuring its answer.
#include <cmath>
#include <limits>

#include "base/stopwatch.hpp"
#include "epsfree/divergence.hpp"
#include "epsfree/error.hpp"
#include "infer/mdn/mdn_options.hpp"
#include "paper/paper_part.hpp"

namespace epsfree {
namespace {

constexpr double kNotMeasured = std::numeric_limits<double>::quiet_NaN();
constexpr Index kCurvePoints = 401;
constexpr Index kEntropyBins = 60;
constexpr Index kMostPoints = 5000;  // that a mixture is fitted to

/// Components of the mixtures that are fitted to the samples of ABC methods, as in the paper.
int fitted_components(const std::string& model) { return model == "mg1-queue" ? 8 : 1; }

/// Where the marginal of the figure's parameter is drawn.
std::pair<double, double> drawn_range(const PaperTarget& target) {
  if (target.model == "mixture") return {-3, 3};
  const auto row = target.samples.row(target.parameter);
  const double mean = row.mean();
  const double deviation = std::sqrt((row.array() - mean).square().mean());
  return {mean - 8 * deviation, mean + 8 * deviation};
}

Curve histogram(const WeightedSamples& samples, Index parameter, double low, double high) {
  const double width = (high - low) / static_cast<double>(kEntropyBins);
  Curve curve{Eigen::VectorXd::LinSpaced(kEntropyBins, low + width / 2, high - width / 2),
              Eigen::VectorXd::Zero(kEntropyBins)};
  for (Index i = 0; i < samples.size(); ++i) {
    const double place = std::floor((samples.points()(parameter, i) - low) / width);
    if (place < 0 || place >= static_cast<double>(kEntropyBins)) continue;
    curve.y[static_cast<Index>(place)] += samples.weights()[i] / width;
  }
  return curve;
}

/// As many samples as a fit can use: chains return every state.
SamplesPosterior thinned(const Posterior& posterior, const WeightedSamples& all) {
  const Index stride = (all.size() + kMostPoints - 1) / kMostPoints;
  const Index count = (all.size() + stride - 1) / stride;
  Eigen::MatrixXd points(all.dim(), count);
  Eigen::VectorXd weights(count);
  for (Index i = 0; i < count; ++i) {
    points.col(i) = all.points().col(i * stride);
    weights[i] = all.weights()[i * stride];
  }
  return {posterior.prior_ptr(), posterior.names(),
          WeightedSamples(std::move(points), weights.array().log())};
}

}  // namespace

Curve paper_marginal(const Posterior& posterior, const PaperTarget& target) {
  const auto [low, high] = drawn_range(target);
  if (const WeightedSamples* samples = posterior.weighted_samples()) {
    return histogram(*samples, target.parameter, low, high);
  }
  Curve curve{Eigen::VectorXd::LinSpaced(kCurvePoints, low, high), Eigen::VectorXd(kCurvePoints)};
  if (posterior.dim() == 1) {
    for (Index i = 0; i < kCurvePoints; ++i) {
      curve.y[i] = std::exp(posterior.log_prob(Eigen::VectorXd::Constant(1, curve.x[i])));
    }
    return curve;
  }
  // Only drawn for linear regression, whose prior is Gaussian: nothing is cut off.
  const TruncatedMixture* joint = posterior.mixture();
  if (joint == nullptr) {
    Stream stream(1, {.purpose = Purpose::posterior_sample});
    return histogram(WeightedSamples(posterior.sample(kMostPoints, stream)), target.parameter, low,
                     high);
  }
  const Index dims[] = {target.parameter};
  const GaussianMixture marginal = joint->mixture().marginal(dims);
  curve.y = marginal.log_probs(curve.x.transpose()).array().exp();
  return curve;
}

namespace {

double active_components(const Posterior& posterior) {
  const TruncatedMixture* mixture = posterior.mixture();
  if (mixture == nullptr) return kNotMeasured;
  const Eigen::VectorXd weights = mixture->mixture().weights();
  double entropy = 0;
  for (const double weight : weights) entropy -= weight > 0 ? weight * std::log(weight) : 0;
  return std::exp(entropy);
}

/// p(theta | x) on a grid of theta, normalised there: q(theta | x) divided by the proposal.
Eigen::VectorXd on_grid(const GaussianMixture& q, const std::optional<Gaussian>& proposal,
                        const Eigen::VectorXd& theta) {
  Eigen::VectorXd log_density = q.log_probs(theta.transpose());
  if (proposal) log_density -= proposal->log_probs(theta.transpose());
  Eigen::VectorXd density = (log_density.array() - log_density.maxCoeff()).exp();
  return density / (density.sum() * (theta[1] - theta[0]));
}

/// KL between densities on a grid; what q misses altogether counts as 1e-300.
double divergence_on_grid(const Eigen::VectorXd& p, const Eigen::VectorXd& q, double step) {
  double sum = 0;
  for (Index i = 0; i < p.size(); ++i) {
    if (p[i] > 0) sum += step * p[i] * (std::log(p[i]) - std::log(std::max(q[i], 1e-300)));
  }
  return sum;
}

/// What the mixture's networks say at other observations.
void measure_conditional(const Estimator& estimator, PaperRecord& record) {
  const std::shared_ptr<const Model> mixture = model("mixture");
  record.x_grid = Eigen::VectorXd::LinSpaced(81, -8, 8);
  record.theta_grid = Eigen::VectorXd::LinSpaced(121, -10, 10);
  record.conditional.resize(record.theta_grid.size(), record.x_grid.size());
  record.divergence_by_x.resize(record.x_grid.size());
  const Eigen::VectorXd fine = Eigen::VectorXd::LinSpaced(20001, -10, 10);
  for (Index j = 0; j < record.x_grid.size(); ++j) {
    const Eigen::VectorXd x = Eigen::VectorXd::Constant(1, record.x_grid[j]);
    const GaussianMixture q = estimator.density(x);
    record.conditional.col(j) = q.log_probs(record.theta_grid.transpose()).array().exp();
    const Eigen::VectorXd exact =
        mixture->exact_posterior(x)->log_probs(fine.transpose()).array().exp();
    record.divergence_by_x[j] =
        divergence_on_grid(exact, on_grid(q, estimator.parts().proposal, fine), fine[1] - fine[0]);
  }
}

void count_rounds(const Summary& summary, const NetworkOptions& network, PaperRecord& record) {
  for (const RoundSummary& round : summary.rounds) {
    const bool is_round = round.phase == "round";
    record.num_rounds += is_round ? 1 : 0;
    // The first round draws from the prior itself: there is nothing to divide by.
    if (is_round && round.round == 1) continue;
    record.num_corrections += is_round ? 1 : network.num_components;
    record.num_improper += round.components_improper;
    record.num_damped +=
        round.components_damped + round.components_dropped - round.components_improper;
  }
}

void measure(const PaperPart& part, const PaperTarget& target, const InferResult& result,
             PaperRecord& record) {
  const Posterior& answer = *result.posterior;
  const Summary& summary = result.summary;
  record.num_simulations = summary.simulations.total();
  for (const RoundSummary& round : summary.rounds) {
    if (round.phase == "start") record.num_start_simulations += round.simulations.total();
  }
  record.mean = answer.mean();
  record.standard_deviation = answer.standard_deviation();
  PosteriorPtr density = result.posterior;
  if (const WeightedSamples* samples = answer.weighted_samples()) {
    record.epsilon = summary.epsilon;
    record.effective_samples = summary.effective_sample_size;
    Stream stream(part.options.seed, {.purpose = Purpose::expectation_maximisation});
    density = fit_density(thinned(answer, *samples),
                          {.num_components = fitted_components(part.model)}, stream);
  }
  record.divergence = target.divergence(*density).value;
  record.truth_score = -density->log_prob(target.problem.truth.value());
  record.active_components = active_components(answer);
  const bool is_drawn = part.topic == PaperTopic::figure &&
                        (part.model == "mixture" || part.model == "linear-regression");
  if (is_drawn) record.marginal = paper_marginal(answer, target);
  const auto settings = mdn_settings(part.options.method);
  if (settings && settings->rounds != nullptr) count_rounds(summary, settings->network, record);
  const bool is_network = settings && settings->training != nullptr;
  if (part.topic == PaperTopic::figure && part.model == "mixture" && is_network) {
    measure_conditional(*result.estimator, record);
  }
}

}  // namespace

PaperRecord run_part(const PaperPart& part, const PaperTarget& target, Observer& observer) {
  PaperRecord record;
  record.effective_samples = record.epsilon = record.active_components = kNotMeasured;
  record.divergence = record.truth_score = kNotMeasured;
  const Stopwatch stopwatch;
  try {
    ThreadRunner runner(1);  // parts run side by side
    measure(part, target, infer(target.problem, part.options, runner, &observer), record);
  } catch (const Error& error) {
    if (error.kind() == ErrorKind::interrupted) throw;
    record.error = error.what();
  }
  record.seconds = stopwatch.seconds();
  return record;
}

}  // namespace epsfree
