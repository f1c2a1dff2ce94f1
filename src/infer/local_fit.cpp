#include "infer/local_fit.hpp"

#include <Eigen/Cholesky>
#include <algorithm>
#include <cmath>
#include <utility>

#include "epsfree/error.hpp"
#include "infer/correction.hpp"
#include "infer/local_examples.hpp"
#include "infer/residual_network.hpp"
#include "prob/linear_likelihood.hpp"
#include "prob/mixture_regression.hpp"
#include "prob/stacking.hpp"

namespace epsfree {
namespace {

// A component of a mixture needs so many effective examples, and one per dimension of (u, t).
constexpr double kExamplesPerComponent = 10;
// Members of the stack with less are left out.
constexpr double kNegligibleShare = 1e-3;
// A network is tried if the largest mixtures have at least this share, and there is enough to learn
// from.
constexpr double kUnsaturatedShare = 0.1;
constexpr double kFewestForNetwork = 400;
constexpr double kSmallestWeight = 1e-3;
// Mixtures of regressions are regularised, so that even small components may be damped: dropping
// them loses the tails of the posterior.
constexpr double kHandful = 3;

/// What one kind of candidates is made from: one map of the statistics.
struct View {
  std::string suffix;
  Eigen::MatrixXd contexts;      // of the fit's examples
  Eigen::MatrixXd all_contexts;  // of the whole pool
};

class Stack {
 public:
  Stack(const LocalExamples& examples, const LocalFitOptions& options)
      : examples_(examples), options_(options) {
    for (const bool squashed : {false, true}) {
      const StatisticsMap map = examples.statistics_map(squashed);
      views_.push_back({squashed ? ", squashed" : "", map.apply(examples.statistics()),
                        map.apply(examples.pool().statistics())});
    }
    const double dim = static_cast<double>(examples.dim() + views_[0].contexts.rows());
    for (Index K = 1; K <= options.max_components; K *= 2) {
      if (K > 1 && examples.size() < (kExamplesPerComponent + dim) * static_cast<double>(K)) break;
      components_.push_back(K);
    }
    if (examples.size() < 1.5 * dim) components_.clear();
  }

  LocalFit answer(const std::function<Action(long, long, double)>& progress);

 private:
  Index num_closed() const {
    return static_cast<Index>(views_.size() * (components_.size() + 1));
  }
  std::string name(Index candidate) const;
  std::vector<JointMixture> joint_mixtures(const View& view, const Eigen::VectorXd& weights) const;
  LinearLikelihood likelihood(const View& view, const std::vector<Index>& without) const;
  void predict_fold(int fold);
  Eigen::VectorXd weigh() const;
  bool mixtures_suffice(const Eigen::VectorXd& shares) const;
  void add_network(const Eigen::VectorXd& shares,
                   const std::function<Action(long, long, double)>& progress);

  const LocalExamples& examples_;
  const LocalFitOptions& options_;
  std::vector<View> views_;
  std::vector<Index> components_;   // K of the mixtures
  Eigen::MatrixXd log_densities_;   // of the examples held out so far
  std::vector<Index> held_out_;
  std::optional<ResidualNetwork> network_;
};

std::string Stack::name(Index candidate) const {
  if (candidate >= num_closed()) return "network";
  const Index per_view = static_cast<Index>(components_.size()) + 1;
  const View& view = views_[static_cast<std::size_t>(candidate / per_view)];
  const Index k = candidate % per_view;
  if (k + 1 == per_view) return "linear likelihood" + view.suffix;
  return "mixture of " + std::to_string(components_[static_cast<std::size_t>(k)]) + view.suffix;
}

std::vector<JointMixture> Stack::joint_mixtures(const View& view,
                                                const Eigen::VectorXd& weights) const {
  if (components_.empty()) return {};
  // Only those with a weight, so that held-out examples cost nothing.
  std::vector<Index> used;
  for (Index i = 0; i < weights.size(); ++i) {
    if (weights[i] > 0) used.push_back(i);
  }
  const Index D = examples_.dim(), p = view.contexts.rows();
  Eigen::MatrixXd joint(D + p, static_cast<Index>(used.size()));
  joint.topRows(D) = examples_.parameters()(Eigen::all, used);
  joint.bottomRows(p) = view.contexts(Eigen::all, used);
  JointMixtureOptions em;
  em.max_components = components_.back();
  return fit_joint_mixtures(joint, weights(used), em);
}

LinearLikelihood Stack::likelihood(const View& view, const std::vector<Index>& without) const {
  Eigen::VectorXd weights = Eigen::VectorXd::Ones(examples_.pool().size());
  for (const Index i : without) weights[examples_.in_pool(i)] = 0;
  return {examples_.all_parameters(), view.all_contexts, weights};
}

/// Fits everything without the examples of a fold and predicts them.
void Stack::predict_fold(int fold) {
  const std::vector<Index> test = examples_.fold(fold);
  if (test.empty()) return;
  Eigen::VectorXd weights = examples_.weights();
  for (const Index i : test) weights[i] = 0;
  const Eigen::MatrixXd targets = examples_.parameters()(Eigen::all, test);
  const Index row = static_cast<Index>(held_out_.size());
  log_densities_.conservativeResize(row + static_cast<Index>(test.size()), num_closed());
  held_out_.insert(held_out_.end(), test.begin(), test.end());
  Index candidate = 0;
  const auto put = [&](const Eigen::VectorXd& values) {
    log_densities_.col(candidate++).tail(values.size()) = values;
  };
  for (const View& view : views_) {
    const Eigen::MatrixXd contexts = view.contexts(Eigen::all, test);
    for (const JointMixture& joint : joint_mixtures(view, weights)) {
      put(MixtureRegression(joint, examples_.dim()).log_probs(targets, contexts));
    }
    put(likelihood(view, test).log_probs(targets, contexts, examples_.target()));
  }
}

Eigen::VectorXd Stack::weigh() const {
  return stacking_weights(log_densities_, examples_.nearness()(held_out_));
}

bool Stack::mixtures_suffice(const Eigen::VectorXd& shares) const {
  if (components_.empty()) return false;
  double largest = 0;
  const Index per_view = static_cast<Index>(components_.size()) + 1;
  for (Index view = 0; view < static_cast<Index>(views_.size()); ++view) {
    largest += shares[view * per_view + per_view - 2];
  }
  return components_.back() > 1 && largest < kUnsaturatedShare;
}

void Stack::add_network(const Eigen::VectorXd& shares,
                        const std::function<Action(long, long, double)>& progress) {
  const Index half = num_closed() / 2;
  const View& view = views_[shares.head(half).sum() >= shares.tail(half).sum() ? 0 : 1];
  const std::vector<Index> test = held_out_;
  std::vector<Index> rest;
  std::vector<bool> is_test(static_cast<std::size_t>(examples_.weights().size()), false);
  for (const Index i : test) is_test[static_cast<std::size_t>(i)] = true;
  for (Index i = 0; i < examples_.weights().size(); ++i) {
    if (!is_test[static_cast<std::size_t>(i)]) rest.push_back(i);
  }
  network_.emplace(examples_.parameters()(Eigen::all, rest), view.contexts(Eigen::all, rest),
                   examples_.weights()(rest), options_.seed, options_.round, progress);
  log_densities_.conservativeResize(Eigen::NoChange, num_closed() + 1);
  log_densities_.rightCols(1) = network_->log_probs(examples_.parameters()(Eigen::all, test),
                                                    view.contexts(Eigen::all, test));
}

LocalFit Stack::answer(const std::function<Action(long, long, double)>& progress) {
  const bool may_train = options_.final && options_.network && examples_.size() >= kFewestForNetwork;
  const int folds = may_train ? 1 : examples_.num_folds_used();
  for (int fold = 0; fold < folds; ++fold) predict_fold(fold);
  Eigen::VectorXd shares = weigh();
  if (may_train && !mixtures_suffice(shares)) {
    add_network(shares, progress);
    shares = weigh();
  }

  LocalFit fit(GaussianMixture(Gaussian::standard(examples_.dim())));
  std::vector<Gaussian> gaussians;
  std::vector<double> log_weights;
  const auto take = [&](Index candidate, const GaussianMixture& mixture) {
    fit.members.push_back({name(candidate), shares[candidate]});
    for (Index k = 0; k < mixture.num_components(); ++k) {
      gaussians.push_back(mixture.component(k));
      log_weights.push_back(mixture.log_weights()[k] + std::log(shares[candidate]));
    }
  };
  const Index per_view = static_cast<Index>(components_.size()) + 1;
  Index candidate = 0;
  for (const View& view : views_) {
    const Eigen::VectorXd observed = Eigen::VectorXd::Zero(view.contexts.rows());
    if (shares.segment(candidate, per_view - 1).sum() > kNegligibleShare) {
      Index at = candidate;
      for (const JointMixture& joint : joint_mixtures(view, examples_.weights())) {
        if (shares[at] > kNegligibleShare) {
          RegressionAnswer answer = MixtureRegression(joint, examples_.dim()).at(observed);
          take(at, answer.mixture);
          fit.tempering = std::max(fit.tempering, answer.tempering);
        }
        ++at;
      }
    }
    candidate += per_view;
    if (shares[candidate - 1] > kNegligibleShare) {
      take(candidate - 1, GaussianMixture(
                              likelihood(view, {}).posterior(observed, examples_.target())));
    }
  }
  if (network_ && shares[candidate] > kNegligibleShare) {
    take(candidate, network_->at(Eigen::VectorXd::Zero(views_[0].contexts.rows())));
    fit.training = network_->training();
  }
  fit.posterior = examples_.to_coordinates(
      GaussianMixture(std::move(gaussians),
                      Eigen::Map<const Eigen::VectorXd>(log_weights.data(),
                                                        static_cast<Index>(log_weights.size()))));
  return fit;
}

}  // namespace

LocalFit fit_locally(
    const SimulationPool& pool, const Eigen::VectorXd& observed, const LocalTarget& target,
    bool target_is_prior, const LocalFitOptions& options,
    const std::function<Action(long step, long num_steps, double loss)>& progress) {
  const LocalExamples examples(pool, observed, target, options.final, options.seed,
                               options.round);
  LocalFit fit = Stack(examples, options).answer(progress);
  fit.effective_examples = examples.size();
  if (target_is_prior) return fit;
  const Eigen::VectorXd mean =
      target.origin + target.log_density.precision.ldlt().solve(target.log_density.shift);
  const Gaussian proposal = Gaussian::from_precision(mean, target.log_density.precision);
  const GaussianMixture q = fit.posterior.prune(kSmallestWeight);
  const Index size = static_cast<Index>(examples.size());
  std::optional<Correction> analytic;
  if (!options.final) {
    analytic = correct_analytically(q, pool.prior(), proposal, size, kHandful);
    if (!analytic) throw Error(ErrorKind::stopped, "no component could be corrected");
  }
  Correction corrected =
      analytic ? std::move(*analytic) : correct(q, pool.prior(), proposal, size, kHandful);
  fit.posterior = std::move(corrected.mixture);
  fit.components_damped = corrected.components_damped;
  fit.components_dropped = corrected.components_dropped;
  fit.importance = corrected.importance;
  fit.importance_size = corrected.effective_size;
  return fit;
}

}  // namespace epsfree
