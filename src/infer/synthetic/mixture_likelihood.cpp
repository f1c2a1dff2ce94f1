#include "infer/synthetic/mixture_likelihood.hpp"

#include <cmath>
#include <utility>

#include "epsfree/error.hpp"
#include "prob/mixtures/joint_mixture.hpp"

namespace epsfree {
namespace {

// One in so many simulations is held out to choose the number of components.
constexpr Index kHoldOut = 5;
// Fewer examples than this for each dimension of a component's regression only fit noise.
constexpr double kPairsPerDimension = 5;

Eigen::MatrixXd stack(const Eigen::MatrixXd& top, const Eigen::MatrixXd& bottom) {
  Eigen::MatrixXd result(top.rows() + bottom.rows(), top.cols());
  result << top, bottom;
  return result;
}

/// How many components, doubled from one on, predict the held-out statistics best.
int choose_components(const Eigen::MatrixXd& points, const Eigen::VectorXd& weights,
                      Index num_statistics, int max_components) {
  const double enough = kPairsPerDimension * static_cast<double>(points.rows() + 1);
  Eigen::VectorXd seen = weights, held_out = weights;
  for (Index i = 0; i < weights.size(); ++i) (i % kHoldOut == 0 ? seen : held_out)[i] = 0;
  if (!(seen.sum() > 0) || !(held_out.sum() > 0)) return 1;
  const double size = effective_size(seen);
  JointMixtureFit trial(points, num_statistics, seen);
  int best = 1;
  double highest = 0;
  for (int k = 1; k <= max_components && (k == 1 || size >= k * enough); k *= 2) {
    if (k > 1) trial.grow();
    const double score = MixtureRegression(trial.mixture(), num_statistics)
                             .log_probs(points.topRows(num_statistics),
                                        points.bottomRows(points.rows() - num_statistics))
                             .dot(held_out);
    if (k > 1 && !(score > highest)) break;
    best = k;
    highest = score;
  }
  return best;
}

}  // namespace

MixtureLikelihood::MixtureLikelihood(StatisticsMap statistics, MixtureRegression regression,
                                     int num_components, Eigen::VectorXd centre,
                                     Eigen::VectorXd scale, Gaussian first_idea)
    : statistics_(std::move(statistics)),
      regression_(std::move(regression)),
      num_components_(num_components),
      centre_(std::move(centre)),
      scale_(std::move(scale)),
      first_idea_(std::move(first_idea)) {}

MixtureLikelihood MixtureLikelihood::fit(const SimulationPool& pool, const Eigen::VectorXd& weights,
                                         const Eigen::VectorXd& observed, int max_components) {
  StatisticsMap statistics(pool.statistics(), weights, observed, false);
  if (statistics.dim() == 0) {
    throw Error(ErrorKind::stopped,
                "no statistic varies between simulations: there is nothing to learn from");
  }
  const Eigen::MatrixXd& z = pool.coordinates();
  const Eigen::VectorXd shares = weights / weights.sum();
  const Eigen::VectorXd centre = z * shares;
  Eigen::VectorXd scale = ((z.colwise() - centre).cwiseAbs2() * shares).cwiseSqrt();
  scale = (scale.array() > 0).select(scale, 1.0).eval();
  const Eigen::MatrixXd u = scale.cwiseInverse().asDiagonal() * (z.colwise() - centre);
  const Eigen::MatrixXd t = statistics.apply(pool.statistics());

  const Eigen::MatrixXd points = stack(t, u);
  const int num_components = choose_components(points, weights, t.rows(), max_components);
  JointMixtureFit fit(points, t.rows(), weights);
  for (int k = 1; k < num_components; k *= 2) fit.grow();
  MixtureRegression regression(fit.mixture(), t.rows());

  const MixtureRegression inverse(JointMixtureFit(stack(u, t), u.rows(), weights).mixture(),
                                  u.rows());
  const Gaussian idea = inverse.at(Eigen::VectorXd::Zero(t.rows())).mixture.component(0);
  return {std::move(statistics),
          std::move(regression),
          num_components,
          centre,
          scale,
          idea.affine(scale.asDiagonal().toDenseMatrix(), centre)};
}

double MixtureLikelihood::operator()(const Eigen::Ref<const Eigen::VectorXd>& z) const {
  const Eigen::VectorXd u = (z - centre_).cwiseQuotient(scale_);
  return regression_.log_probs(Eigen::VectorXd::Zero(statistics_.dim()), u)[0];
}

}  // namespace epsfree
