#include "epsfree/estimator.hpp"

#include <algorithm>
#include <limits>
#include <utility>

#include "base/dense_solvers.hpp"
#include "base/interruption.hpp"
#include "base/require.hpp"
#include "epsfree/error.hpp"
#include "infer/coordinates.hpp"
#include "infer/standardised.hpp"

namespace epsfree {
namespace {

constexpr double kMinusInfinity = -std::numeric_limits<double>::infinity();
// Points that are evaluated at a time: all at once would take three times their memory.
constexpr Index kPointsAtATime = 4096;
// A draw outside of the prior's support is replaced this many times before sampling gives up.
constexpr int kMostRedraws = 1000;

bool on_support_of(const Prior& prior, const Support& support,
                   const Eigen::Ref<const Eigen::VectorXd>& z) {
  return z.allFinite() && support.contains(z) && prior.contains(prior.from_coordinates(z));
}

void check_points(const Eigen::Ref<const Eigen::MatrixXd>& points, Index dim,
                  const std::string& name) {
  require(points.rows() == dim, "the dimension of the " + name, points.rows(), std::to_string(dim));
  if (!points.allFinite()) {
    throw Error(ErrorKind::input, "the " + name + " hold a value that is not a finite number");
  }
}

/// theta as a density that is given theta sees it.
Eigen::MatrixXf parameters_as_contexts(const Estimator::Parts& parts,
                                       const Eigen::Ref<const Eigen::MatrixXd>& thetas) {
  for (Index i = 0; i < thetas.cols(); ++i) {
    if (parts.prior->contains(thetas.col(i))) continue;
    throw Error(ErrorKind::input, "column " + std::to_string(i + 1) +
                                      " of the contexts lies outside of the prior's support, where "
                                      "nothing was learnt");
  }
  const Eigen::MatrixXd z = coordinates_of(*parts.prior, thetas);
  Eigen::MatrixXf contexts = standardised_parameters(parts.parameters, z);
  if (!contexts.allFinite()) {
    throw Error(ErrorKind::input, "the contexts hold a value beyond single precision");
  }
  return contexts;
}

Eigen::MatrixXf contexts_as_seen(const Estimator::Parts& parts,
                                 const Eigen::Ref<const Eigen::MatrixXd>& contexts) {
  return parts.direction == Direction::posterior
             ? standardised_statistics(parts.statistics, contexts)
             : parameters_as_contexts(parts, contexts);
}

/// Targets as the density sees them, and what is added to its log density for the change of units.
struct SeenTargets {
  Eigen::MatrixXf points;
  Eigen::VectorXd log_scales;  ///< minus infinity where q is zero
};

SeenTargets targets_as_seen(const Estimator::Parts& parts, double log_determinant,
                            const Eigen::Ref<const Eigen::MatrixXd>& targets) {
  SeenTargets seen{{}, Eigen::VectorXd::Constant(targets.cols(), log_determinant)};
  if (parts.direction == Direction::likelihood) {
    seen.points = standardised_statistics(parts.statistics, targets);
    return seen;
  }
  Eigen::MatrixXd z = Eigen::MatrixXd::Zero(targets.rows(), targets.cols());
  for (Index i = 0; i < targets.cols(); ++i) {
    if (parts.prior->contains(targets.col(i))) {
      z.col(i) = parts.prior->to_coordinates(targets.col(i));
      seen.log_scales[i] -= parts.prior->log_jacobian(z.col(i));
    } else {
      seen.log_scales[i] = kMinusInfinity;
    }
  }
  seen.points = standardised_parameters(parts.parameters, z);
  for (Index i = 0; i < targets.cols(); ++i) {
    if (seen.points.col(i).allFinite()) continue;
    seen.points.col(i).setZero();
    seen.log_scales[i] = kMinusInfinity;
  }
  return seen;
}

/// Columns begin to begin + count - 1; a single column stands for all.
Eigen::MatrixXd at_turn(const Eigen::Ref<const Eigen::MatrixXd>& points, Index begin, Index count) {
  if (points.cols() == 1) return points;
  return points.middleCols(begin, count);
}

/// A single column `count` times, or the columns as they are.
Eigen::MatrixXf repeated(const Eigen::MatrixXf& points, Index count) {
  if (points.cols() == 1) return points.replicate(1, count);
  return points;
}

/// Replaces the columns of z that lie outside of the prior's support by other draws.
void redraw_outside(const Estimator::Parts& parts, const Eigen::MatrixXf& contexts, Index count,
                    Stream& stream, Eigen::MatrixXd& z) {
  const Support support = parts.prior->coordinate_support();
  std::vector<Index> outside;
  for (Index i = 0; i < z.cols(); ++i) {
    if (!on_support_of(*parts.prior, support, z.col(i))) outside.push_back(i);
  }
  for (int turn = 0; turn < kMostRedraws && !outside.empty(); ++turn) {
    check_interruption();
    Eigen::MatrixXf own(contexts.rows(), static_cast<Index>(outside.size()));
    for (std::size_t i = 0; i < outside.size(); ++i) {
      own.col(static_cast<Index>(i)) = contexts.col(outside[i] / count);
    }
    const Eigen::MatrixXd drawn =
        parts.parameters.invert(parts.conditional->sample_each(own, 1, stream).cast<double>());
    std::vector<Index> still;
    for (std::size_t i = 0; i < outside.size(); ++i) {
      const auto draw = drawn.col(static_cast<Index>(i));
      if (on_support_of(*parts.prior, support, draw)) {
        z.col(outside[i]) = draw;
      } else {
        still.push_back(outside[i]);
      }
    }
    outside = std::move(still);
  }
  if (outside.empty()) return;
  throw Error(ErrorKind::stopped,
              "next to nothing of the density learnt at context " +
                  std::to_string(outside.front() / count + 1) +
                  " lies in the prior's support: the context is unlike anything that the density "
                  "was trained on. Check it, or raise num_simulations.");
}

}  // namespace

std::string to_string(Direction direction) {
  return direction == Direction::posterior ? "posterior" : "likelihood";
}

Estimator::Estimator(Parts parts) : parts_(std::move(parts)) {
  if (!parts_.prior || !parts_.conditional) {
    throw Error(ErrorKind::input, "an estimator needs a prior and a conditional density");
  }
  require(parts_.parameters.dim() == parts_.prior->dim(), "the dimension of Estimator::parameters",
          parts_.parameters.dim(), std::to_string(parts_.prior->dim()));
  require(parts_.conditional->target_dim() == targets().dim(), "the density's target dimension",
          parts_.conditional->target_dim(), std::to_string(targets().dim()));
  require(parts_.conditional->context_dim() == contexts().dim(), "the density's context dimension",
          parts_.conditional->context_dim(), std::to_string(contexts().dim()));
}

const Standardiser& Estimator::targets() const {
  return parts_.direction == Direction::posterior ? parts_.parameters : parts_.statistics;
}

const Standardiser& Estimator::contexts() const {
  return parts_.direction == Direction::posterior ? parts_.statistics : parts_.parameters;
}

bool Estimator::amortised() const {
  return parts_.direction == Direction::likelihood || !parts_.proposal.has_value();
}

Eigen::VectorXd Estimator::log_probs(const Eigen::Ref<const Eigen::MatrixXd>& targets,
                                     const Eigen::Ref<const Eigen::MatrixXd>& contexts) const {
  check_points(targets, this->targets().dim(), "targets");
  check_points(contexts, this->contexts().dim(), "contexts");
  require(contexts.cols() == targets.cols() || contexts.cols() == 1 || targets.cols() == 1,
          "the number of contexts", contexts.cols(),
          "1 or the number of targets, " + std::to_string(targets.cols()));
  const Index total = targets.cols() == 1 ? contexts.cols() : targets.cols();
  const double log_determinant = log_abs_determinant(this->targets().matrix());
  Eigen::VectorXd result(total);
  for (Index begin = 0; begin < total; begin += kPointsAtATime) {
    check_interruption();
    const Index count = std::min(kPointsAtATime, total - begin);
    const SeenTargets seen =
        targets_as_seen(parts_, log_determinant, at_turn(targets, begin, count));
    const Eigen::MatrixXf given = contexts_as_seen(parts_, at_turn(contexts, begin, count));
    const Eigen::VectorXf log_q =
        parts_.conditional->log_probs(repeated(seen.points, count), repeated(given, count));
    for (Index i = 0; i < count; ++i) {
      const double log_scale = seen.log_scales[seen.log_scales.size() == 1 ? 0 : i];
      result[begin + i] =
          log_scale == kMinusInfinity ? kMinusInfinity : static_cast<double>(log_q[i]) + log_scale;
    }
  }
  return result;
}

Eigen::MatrixXd Estimator::sample_each(const Eigen::Ref<const Eigen::MatrixXd>& contexts,
                                       Index count, Stream& stream) const {
  check_points(contexts, this->contexts().dim(), "contexts");
  require(count >= 0, "the number of samples", count, "not negative");
  const Eigen::MatrixXf given = contexts_as_seen(parts_, contexts);
  Eigen::MatrixXd samples =
      targets().invert(parts_.conditional->sample_each(given, count, stream).cast<double>());
  if (parts_.direction == Direction::likelihood) return samples;
  redraw_outside(parts_, given, count, stream, samples);
  return thetas_of(*parts_.prior, samples);
}

GaussianMixture Estimator::density(const Eigen::Ref<const Eigen::VectorXd>& context) const {
  const bool is_posterior = parts_.direction == Direction::posterior;
  const std::string what = is_posterior ? "the observation has " : "theta has ";
  if (context.size() != contexts().dim()) {
    throw Error(ErrorKind::input, what + std::to_string(context.size()) +
                                      " values, but the estimator was trained on " +
                                      std::to_string(contexts().dim()) +
                                      (is_posterior ? " statistics" : " parameters"));
  }
  if (!context.allFinite()) {
    throw Error(ErrorKind::input, (is_posterior ? std::string("the observation") : "theta") +
                                      " holds a value that is not a finite number");
  }
  if (!is_posterior && !parts_.prior->contains(context)) {
    throw Error(ErrorKind::input,
                "theta lies outside of the prior's support, where nothing was learnt");
  }
  const Eigen::VectorXd seen =
      is_posterior ? context : coordinates_of(*parts_.prior, context).col(0);
  const std::optional<GaussianMixture> standardised =
      parts_.conditional->closed_form(contexts().apply(seen).col(0));
  if (!standardised) {
    throw Error(ErrorKind::usage, "a density of the kind \"" + parts_.conditional->kind() +
                                      "\" is no mixture of Gaussians; it can be evaluated "
                                      "(log_probs) and sampled (sample_each)");
  }
  // y = M (t - shift), so that U_t^T U_t = (U_y M)^T (U_y M). With M diagonal U_y M is upper
  // triangular already.
  const Eigen::MatrixXd& M = targets().matrix();
  const bool is_diagonal = M.isDiagonal(0);
  std::vector<Gaussian> components;
  for (const Gaussian& component : standardised->components()) {
    Eigen::MatrixXd factor =
        is_diagonal ? Eigen::MatrixXd(component.precision_factor() * M.diagonal().asDiagonal())
                    : upper_factor(component.precision_factor() * M);
    components.push_back(Gaussian::from_precision_factor(targets().invert(component.mean()).col(0),
                                                         std::move(factor)));
  }
  return GaussianMixture(std::move(components), standardised->log_weights());
}

}  // namespace epsfree
