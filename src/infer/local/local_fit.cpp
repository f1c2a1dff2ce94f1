#include "infer/local/local_fit.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "base/dense_solvers.hpp"
#include "epsfree/error.hpp"
#include "infer/abc/residual_network.hpp"
#include "infer/local/local_examples.hpp"
#include "infer/mdn/correction.hpp"
#include "prob/regression/linear_likelihood.hpp"
#include "prob/regression/mixture_regression.hpp"
#include "prob/regression/stacking.hpp"

namespace epsfree {
namespace {

// A component of a mixture needs so many effective examples, and one per dimension of (u, t).
constexpr double kExamplesPerComponent = 10;
// And the smallest one so many per dimension.
constexpr double kExamplesForMixture = 1.5;
// Members of the stack with less are left out.
constexpr double kNegligibleShare = 1e-3;
// A network is tried if the largest mixtures have at least this share, and there is enough to learn
// from.
constexpr double kUnsaturatedShare = 0.25;
constexpr double kFewestForNetwork = 1500;
constexpr double kSmallestWeight = 1e-3;
// Mixtures of regressions are regularised, so that even small components may be damped: dropping
// them loses the tails of the posterior.
constexpr DampingOptions kDamping{.handful = 3, .least_precision = 0.5};

using TrainingReport = std::function<Action(long step, long num_steps, double loss)>;

/// The statistics through one map, and the mixtures fitted to them without each fold.
struct View {
  std::string suffix;
  Eigen::MatrixXd contexts;      // of the fit's examples
  Eigen::MatrixXd all_contexts;  // of the likelihood's simulations
  std::vector<JointMixtureFit> folds;
};

/// A density of u given t: where its held-out predictions stand, and how to ask it again.
struct Candidate {
  enum class Kind { mixture, likelihood, network };
  Kind kind;
  std::size_t view;
  JointMixture start;  // of a mixture: the one without the first fold
  double score;        // mean log density of what was held out

  std::string name(const std::string& suffix) const {
    switch (kind) {
      case Kind::likelihood:
        return "linear likelihood" + suffix;
      case Kind::network:
        return "network" + suffix;
      case Kind::mixture:
        break;
    }
    return "mixture of " + std::to_string(start.num_components()) + suffix;
  }
};

class Stack {
 public:
  Stack(const LocalExamples& examples, const LocalFitOptions& options);
  LocalFit answer(const TrainingReport& report);

 private:
  double dim() const { return static_cast<double>(examples_.dim() + views_[0].contexts.rows()); }
  bool affords(Index num_components) const;
  Eigen::MatrixXd joint(const View& view, const std::vector<Index>& examples) const;
  LinearLikelihood likelihood(const View& view, const std::vector<Index>& without) const;
  void add(Candidate candidate, const Eigen::VectorXd& log_densities);
  void add_mixtures(std::size_t view);
  void add_likelihood(std::size_t view);
  void grow_mixtures();
  bool unsaturated(const Eigen::VectorXd& shares) const;
  void add_network(std::size_t view, const TrainingReport& report);
  std::size_t best_view() const;
  RegressionAnswer ask(const Candidate& candidate) const;

  const LocalExamples& examples_;
  const LocalFitOptions& options_;
  bool may_train_;
  JointMixtureOptions em_;
  std::vector<View> views_;
  std::vector<std::vector<Index>> tests_;  // held out, by fold
  std::vector<std::vector<Index>> rests_;  // and the others
  std::vector<Index> held_out_;            // all of tests_, in order
  std::vector<Candidate> candidates_;
  Eigen::MatrixXd log_densities_;  // a row per example held out, a column per candidate
  std::optional<ResidualNetwork> network_;
};

Stack::Stack(const LocalExamples& examples, const LocalFitOptions& options)
    : examples_(examples),
      options_(options),
      may_train_(options.final && options.network && examples.size() >= kFewestForNetwork) {
  for (const bool squashed : {false, true}) {
    const StatisticsMap map = examples.statistics_map(squashed);
    views_.push_back({squashed ? ", squashed" : "",
                      map.apply(examples.statistics()),
                      map.apply(examples.likelihood_statistics()),
                      {}});
  }
  if (!options.final) {
    em_.max_work = 0;
    em_.try_all_splits = false;
    em_.tolerance = 1e-3;
  }
  const int num_folds = examples.num_folds_used();
  for (int fold = 0; fold < num_folds; ++fold) {
    std::vector<Index> test = examples.fold(fold);
    if (test.empty()) continue;
    std::vector<Index> rest;
    for (Index i = 0, t = 0; i < examples.weights().size(); ++i) {
      if (t < static_cast<Index>(test.size()) && test[static_cast<std::size_t>(t)] == i) {
        ++t;
      } else {
        rest.push_back(i);
      }
    }
    held_out_.insert(held_out_.end(), test.begin(), test.end());
    tests_.push_back(std::move(test));
    rests_.push_back(std::move(rest));
  }
}

bool Stack::affords(Index num_components) const {
  return num_components <= options_.max_components &&
         examples_.size() >= (kExamplesPerComponent + dim()) * static_cast<double>(num_components);
}

Eigen::MatrixXd Stack::joint(const View& view, const std::vector<Index>& examples) const {
  const Index D = examples_.dim(), p = view.contexts.rows();
  Eigen::MatrixXd points(D + p, static_cast<Index>(examples.size()));
  points.topRows(D) = examples_.parameters()(Eigen::all, examples);
  points.bottomRows(p) = view.contexts(Eigen::all, examples);
  return points;
}

LinearLikelihood Stack::likelihood(const View& view, const std::vector<Index>& without) const {
  Eigen::VectorXd weights = Eigen::VectorXd::Ones(view.all_contexts.cols());
  for (const Index i : without) weights[examples_.in_likelihood(i)] = 0;
  return {examples_.likelihood_parameters(), view.all_contexts, weights};
}

void Stack::add(Candidate candidate, const Eigen::VectorXd& log_densities) {
  const Eigen::VectorXd importance = examples_.nearness()(held_out_);
  candidate.score = importance.dot(log_densities) / importance.sum();
  if (!std::isfinite(candidate.score)) return;
  log_densities_.conservativeResize(log_densities.size(), log_densities_.cols() + 1);
  log_densities_.rightCols(1) = log_densities;
  candidates_.push_back(std::move(candidate));
}

/// The mixtures that each fold's fit now has, as one candidate.
void Stack::add_mixtures(std::size_t v) {
  const View& view = views_[v];
  Eigen::VectorXd log_densities(static_cast<Index>(held_out_.size()));
  Index row = 0;
  for (std::size_t fold = 0; fold < tests_.size(); ++fold) {
    const std::vector<Index>& test = tests_[fold];
    const Index count = static_cast<Index>(test.size());
    log_densities.segment(row, count) =
        MixtureRegression(view.folds[fold].mixture(), examples_.dim())
            .log_probs(examples_.parameters()(Eigen::all, test), view.contexts(Eigen::all, test));
    row += count;
  }
  add({Candidate::Kind::mixture, v, view.folds[0].mixture(), 0}, log_densities);
}

void Stack::add_likelihood(std::size_t v) {
  const View& view = views_[v];
  Eigen::VectorXd log_densities(static_cast<Index>(held_out_.size()));
  Index row = 0;
  for (const std::vector<Index>& test : tests_) {
    const Index count = static_cast<Index>(test.size());
    log_densities.segment(row, count) =
        likelihood(view, test)
            .log_probs(examples_.parameters()(Eigen::all, test), view.contexts(Eigen::all, test),
                       examples_.target());
    row += count;
  }
  add({Candidate::Kind::likelihood, v, {}, 0}, log_densities);
}

std::size_t Stack::best_view() const {
  const auto better = [](const Candidate& a, const Candidate& b) { return a.score < b.score; };
  return std::max_element(candidates_.begin(), candidates_.end(), better)->view;
}

/// One and two components on every map of the statistics; more on the better one, until twice as
/// many have not predicted better twice.
void Stack::grow_mixtures() {
  // What is linear over the whole pool is not when squashed.
  add_likelihood(0);
  for (std::size_t v = 0; v < views_.size(); ++v) {
    if (examples_.size() < kExamplesForMixture * dim()) continue;
    for (const std::vector<Index>& rest : rests_) {
      views_[v].folds.emplace_back(joint(views_[v], rest), examples_.dim(),
                                   examples_.weights()(rest), em_);
    }
    add_mixtures(v);
    if (!affords(2)) continue;
    for (JointMixtureFit& fold : views_[v].folds) fold.grow();
    add_mixtures(v);
  }
  const std::size_t v = best_view();
  if (views_[v].folds.empty()) return;
  double best = candidates_.back().score;
  for (const Candidate& each : candidates_) {
    if (each.view == v && each.kind == Candidate::Kind::mixture) best = std::max(best, each.score);
  }
  int in_vain = 0;
  for (Index K = 4; affords(K) && in_vain < 2; K *= 2) {
    for (JointMixtureFit& fold : views_[v].folds) fold.grow();
    add_mixtures(v);
    in_vain = candidates_.back().score > best ? 0 : in_vain + 1;
    best = std::max(best, candidates_.back().score);
  }
}

/// Whether a large share went to mixtures with as many components as there may be.
bool Stack::unsaturated(const Eigen::VectorXd& shares) const {
  Index most = 0;
  for (const Candidate& each : candidates_) most = std::max(most, each.start.num_components());
  double share = 0;
  for (std::size_t c = 0; c < candidates_.size(); ++c) {
    if (candidates_[c].start.num_components() == most) share += shares[static_cast<Index>(c)];
  }
  return most <= 1 ? !affords(2) : share >= kUnsaturatedShare;
}

void Stack::add_network(std::size_t v, const TrainingReport& report) {
  const View& view = views_[v];
  const std::vector<Index>& rest = rests_[0];
  network_.emplace(examples_.parameters()(Eigen::all, rest), view.contexts(Eigen::all, rest),
                   examples_.weights()(rest), options_.seed, options_.round, report);
  // It predicts the first fold only, and so from here on only that counts.
  held_out_ = tests_[0];
  log_densities_.conservativeResize(static_cast<Index>(held_out_.size()), Eigen::NoChange);
  add({Candidate::Kind::network, v, {}, 0},
      network_->log_probs(examples_.parameters()(Eigen::all, held_out_),
                          view.contexts(Eigen::all, held_out_)));
}

/// A candidate's answer at the observation, fitted to all examples.
RegressionAnswer Stack::ask(const Candidate& candidate) const {
  const View& view = views_[candidate.view];
  const Eigen::VectorXd observed = Eigen::VectorXd::Zero(view.contexts.rows());
  switch (candidate.kind) {
    case Candidate::Kind::likelihood:
      return {GaussianMixture(likelihood(view, {}).posterior(observed, examples_.target())), 1};
    case Candidate::Kind::network:
      return {network_->at(observed), 1};
    case Candidate::Kind::mixture:
      break;
  }
  std::vector<Index> all(static_cast<std::size_t>(examples_.weights().size()));
  std::iota(all.begin(), all.end(), Index{0});
  JointMixtureFit fit(joint(view, all), examples_.dim(), examples_.weights(), em_);
  fit.start_from(candidate.start);
  return MixtureRegression(fit.mixture(), examples_.dim()).at(observed);
}

LocalFit Stack::answer(const TrainingReport& report) {
  grow_mixtures();
  Eigen::VectorXd shares = stacking_weights(log_densities_, examples_.nearness()(held_out_));
  LocalFit fit(GaussianMixture(Gaussian::standard(examples_.dim())));
  if (may_train_ && unsaturated(shares)) {
    add_network(best_view(), report);
    fit.training = network_->training();
    shares = stacking_weights(log_densities_, examples_.nearness()(held_out_));
  }
  std::vector<Gaussian> gaussians;
  std::vector<double> log_weights;
  for (std::size_t c = 0; c < candidates_.size(); ++c) {
    const double share = shares[static_cast<Index>(c)];
    if (share < kNegligibleShare) continue;
    const RegressionAnswer answer = ask(candidates_[c]);
    fit.members.push_back({candidates_[c].name(views_[candidates_[c].view].suffix), share});
    fit.tempering = std::max(fit.tempering, answer.tempering);
    for (Index k = 0; k < answer.mixture.num_components(); ++k) {
      gaussians.push_back(answer.mixture.component(k));
      log_weights.push_back(answer.mixture.log_weights()[k] + std::log(share));
    }
  }
  fit.posterior = examples_.to_coordinates(GaussianMixture(
      std::move(gaussians), Eigen::Map<const Eigen::VectorXd>(
                                log_weights.data(), static_cast<Index>(log_weights.size()))));
  return fit;
}

}  // namespace

LocalFit fit_locally(
    const SimulationPool& pool, const Eigen::VectorXd& observed, const LocalTarget& target,
    bool target_is_prior, const LocalFitOptions& options,
    const std::function<Action(long step, long num_steps, double loss)>& progress) {
  const LocalExamples examples(pool, observed, target, options.final, options.seed, options.round);
  LocalFit fit = Stack(examples, options).answer(progress);
  fit.effective_examples = examples.size();
  if (target_is_prior) return fit;
  const Eigen::VectorXd mean =
      target.origin + solve_symmetric(target.log_density.precision, target.log_density.shift);
  const Gaussian proposal = Gaussian::from_precision(mean, target.log_density.precision);
  const GaussianMixture q = fit.posterior.prune(kSmallestWeight);
  const Index size = static_cast<Index>(examples.size());
  std::optional<Correction> analytic;
  if (!options.final) {
    analytic = correct_analytically(q, pool.prior(), proposal, size, kDamping);
    if (!analytic) throw Error(ErrorKind::stopped, "no component could be corrected");
  }
  Correction corrected =
      analytic ? std::move(*analytic) : correct(q, pool.prior(), proposal, size, kDamping);
  fit.posterior = std::move(corrected.mixture);
  fit.components_damped = corrected.components_damped;
  fit.components_dropped = corrected.components_dropped;
  fit.importance = corrected.importance;
  fit.importance_size = corrected.effective_size;
  return fit;
}

}  // namespace epsfree
