#include "infer/local/auto_method.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "base/dense_solvers.hpp"
#include "base/fingerprint.hpp"
#include "base/number_text.hpp"
#include "epsfree/divergence.hpp"
#include "epsfree/error.hpp"
#include "infer/local/auto_options.hpp"
#include "infer/local/change_forecast.hpp"
#include "infer/local/local_fit.hpp"
#include "infer/local/local_fit_archive.hpp"
#include "infer/local/statistics_reduction.hpp"
#include "infer/statistics_map.hpp"
#include "prob/mixtures/joint_mixture.hpp"

namespace epsfree {
namespace {

// Mixtures of the rounds; the final fit may have more.
constexpr int kSearchComponents = 4;
// A target is as narrow as leaves this many effective examples, and so many per dimension of
// parameters and statistics together.
constexpr double kFewestExamples = 40;
constexpr double kExamplesPerDimension = 3;
// Fits a round, each on the target that the one before suggests.
// One is enough when proposals have settled.
constexpr int kFitsPerRound = 3;
// Where there is nothing more to simulate: so many times that.
constexpr int kSearchesOfPool = 4;
// Rounds double once the proposal moves by less than this KL divergence.
constexpr double kSettled = 0.1;
// A proposal of which nothing came is made wider by this factor.
constexpr double kWidenAfterFailure = 4;
constexpr Index kMomentSamples = 2000;
constexpr Index kFewestToBegin = 10;
// From so many simulations on, and while at least half of the budget is left, the posterior is
// fitted with all of them to see whether it has converged.
constexpr Index kWorthChecking = 4000;
constexpr Index kLargeBudget = 1000;
// Of a proposal, in volumes of the posterior.
constexpr double kProposalVolume = 5;
// While proposals still move, narrower ones get there sooner.
constexpr double kSearchWidening = 1.7;
// A reduction of the statistics is made again when the pool has grown by this factor.
constexpr double kReduceAgain = 1.3;

struct Shape {
  Eigen::VectorXd mean;
  Eigen::MatrixXd covariance;
};

/// Points of the mixture on the prior's support: those of a sample that lie there if they are
/// enough, which needs no integral.
Eigen::MatrixXd sample_on_support(const GaussianMixture& mixture, const Prior& prior,
                                  Stream& stream) {
  const Support support = prior.coordinate_support();
  const Eigen::MatrixXd z = mixture.sample(kMomentSamples, stream);
  std::vector<Index> inside;
  for (Index i = 0; i < z.cols(); ++i) {
    if (support.contains(z.col(i))) inside.push_back(i);
  }
  if (static_cast<Index>(inside.size()) >= kMomentSamples / 10) return z(Eigen::all, inside);
  return TruncatedMixture(mixture, support).sample(kMomentSamples / 2, stream);
}

class AutoRun {
 public:
  explicit AutoRun(InferenceRun& run) : AutoRun(run, SimulationPool(run.problem().prior)) {}
  AutoRun(InferenceRun& run, SimulationPool pool)
      : run_(run),
        options_(run.options()),
        own_(std::get<AutoOptions>(run.options().method)),
        pool_(std::move(pool)),
        target_(LocalTarget::of_prior(run.prior())),
        dim_(run.prior().dim() + run.problem().observed.size()) {}

  InferResult result() {
    for (const long earlier : own_.earlier_budgets) spend(earlier, false);
    spend(options_.num_simulations, true);
    InferResult answer = finish();
    if (options_.predict_change) run_.summary().expected_change = expected_change();
    return answer;
  }

  /// Of what is in the pool already: as many fits, each on the target that the one before suggests,
  /// as several rounds would have made.
  InferResult result_without_simulating() {
    chooses_simulations_ = false;
    round_ = new_round("round", ++number_);
    for (int i = 0; i < kSearchesOfPool && !settled_; ++i) {
      search();
      settled_ = round_.proposal_change < kSettled && round_.tempering <= 1;
    }
    return finish();
  }

 private:
  void spend(Index budget, bool is_last);
  Index used() { return static_cast<Index>(run_.summary().simulations.total()); }
  Index first_round_size() const {
    const Index wanted = std::max<Index>({60, 4 * dim_, budget_ / 20});
    return std::clamp<Index>(wanted, 10, std::max<Index>(budget_ / 4, 10));
  }
  Index round_size() const {
    // Small rounds find the posterior with few simulations; where these are many, time counts too.
    const Index most = budget_ > kLargeBudget ? 25 : 40;
    return std::max<Index>({8, dim_ * 2 / 3, budget_ / most});
  }
  double widening() const {
    if (own_.widening > 0) return own_.widening;
    const double D = static_cast<double>(run_.prior().dim());
    return std::clamp(std::pow(kProposalVolume, 2 / D), 1.5, 4.0);
  }
  double fewest_examples() const {
    const Index dim = reduces() ? 2 * run_.prior().dim() : dim_;
    return std::min(std::max(kFewestExamples, kExamplesPerDimension * static_cast<double>(dim)),
                    0.9 * static_cast<double>(pool_.size()));
  }

  bool reduces() const {
    return StatisticsReduction::is_needed(run_.problem().observed.size(), pool_.size(),
                                          chooses_simulations_);
  }

  void simulate(Index count, bool last_try);
  void search();
  bool advance_target();
  bool fit(bool final);
  void reduce(bool final);
  LocalFit remembered_fit(const LocalFitOptions& options);
  std::optional<Shape> shape_of(const GaussianMixture& posterior) const;
  LocalFitOptions fit_options(bool final) const;
  double expected_change() const;
  void check_convergence();
  InferResult finish();

  InferenceRun& run_;
  bool chooses_simulations_ = true;
  const InferOptions& options_;
  const AutoOptions& own_;
  SimulationPool pool_;
  std::optional<StatisticsReduction> reduction_;  // used if there are too many statistics
  std::optional<SimulationPool> reduced_;         // the pool with the reduced statistics
  Proposal proposal_;
  LocalTarget target_;
  bool target_is_prior_ = true;
  std::optional<Gaussian> wide_;  // the last posterior, widened
  std::optional<LocalTarget> next_target_;
  std::optional<LocalFit> fit_;
  std::optional<GaussianMixture> settled_posterior_;
  Index settled_size_ = 0;  // simulations that it was made from
  bool settled_ = false;    // the last round hardly moved the proposal
  bool converged_ = false;  // nor the posterior
  RoundSummary round_;
  int number_ = 0;
  int num_fits_ = 0;  // of all rounds
  Index dim_;
  Index budget_ = 0;
  Index size_ = 0;  // of the next round
};

/// Rounds until the budget is spent or the posterior does not change any more; what an earlier
/// budget has paid for stays.
void AutoRun::spend(Index budget, bool is_last) {
  budget_ = budget;
  if (number_ == 0) {
    size_ = first_round_size();
  } else if (!converged_) {
    size_ = std::max(size_, round_size());
    if (pool_.size() >= kFewestToBegin) run_.finish_round(std::move(round_));
  }
  while (used() < budget && !converged_) {
    Index count = std::min(size_, budget - used());
    if (budget - used() - count < size_ / 2) count = budget - used();
    // A fit needs a few; up to half of the budget is spent to get them.
    const bool last_try = used() + count > budget / 2;
    simulate(count, last_try && is_last);
    if (pool_.size() < kFewestToBegin) {
      run_.finish_round(std::move(round_));
      // An earlier budget stopped here. What it made is used; the larger one goes on.
      if (last_try) return;
      continue;
    }
    search();
    settled_ = round_.proposal_change < kSettled && round_.tempering <= 1;
    size_ = std::max(settled_ ? 2 * count : count / 2, round_size());
    if (used() < budget) check_convergence();
    if (used() < budget && !converged_) run_.finish_round(std::move(round_));
  }
}

void AutoRun::simulate(Index count, bool last_try) {
  round_ = new_round("round", ++number_);
  const long missing = static_cast<long>(kFewestToBegin - pool_.size());
  const SimulatedPairs pairs = run_.simulate(proposal_, count, round_, last_try ? missing : 0);
  pool_.add(proposal_, pairs, round_.proposal_mass);
}

/// The narrowest target on the way to the next one that keeps enough examples; whether it moved.
bool AutoRun::advance_target() {
  if (!next_target_) return false;
  for (const double share : {1.0, 0.8, 0.6, 0.4, 0.2}) {
    const LocalTarget candidate = LocalTarget::between(target_, *next_target_, share);
    if (effective_size(pool_.weights_towards(candidate)) < fewest_examples()) continue;
    target_ = candidate;
    target_is_prior_ = false;
    return true;
  }
  return false;
}

void AutoRun::search() {
  for (int i = 0; i < (settled_ ? 1 : kFitsPerRound); ++i) {
    const bool moved = advance_target();
    if (i > 0 && !moved) break;
    if (!fit(false)) break;
  }
}

LocalFitOptions AutoRun::fit_options(bool final) const {
  LocalFitOptions options;
  options.max_components =
      final ? own_.max_components : std::min(kSearchComponents, own_.max_components);
  options.final = final;
  options.network = own_.network;
  options.seed = options_.seed;
  options.round = static_cast<std::uint32_t>(number_);
  return options;
}

/// A fit on the current target, and the proposal that it suggests. Where it fails, the proposal is
/// made wider instead.
bool AutoRun::fit(bool final) {
  std::optional<Shape> shape;
  try {
    LocalFit answer = remembered_fit(fit_options(final));
    shape = shape_of(answer.posterior);
    if (shape) fit_ = std::move(answer);
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::stopped && error.kind() != ErrorKind::input) throw;
  }
  if (!shape) {
    round_.proposal_kept = true;
    if (!proposal_.is_prior()) {
      proposal_.gaussian = Gaussian::from_precision_factor(
          proposal_.gaussian->mean(),
          proposal_.gaussian->precision_factor() / std::sqrt(kWidenAfterFailure));
    }
    return false;
  }
  const Gaussian wide = Gaussian::from_covariance(shape->mean, widening() * shape->covariance);
  if (next_target_) round_.proposal_change = kl_divergence(wide, *wide_);
  round_.mean = shape->mean;
  round_.standard_deviation = shape->covariance.diagonal().cwiseSqrt();
  round_.effective_examples = fit_->effective_examples;
  round_.tempering = fit_->tempering;
  round_.stack = fit_->members;
  round_.components_damped = fit_->components_damped;
  round_.components_dropped = fit_->components_dropped;
  wide_ = wide;
  next_target_ = LocalTarget::of(wide);
  const double factor = settled_ ? widening() : std::min(widening(), kSearchWidening);
  proposal_.gaussian = Gaussian::from_covariance(shape->mean, factor * shape->covariance);
  return true;
}

/// Where there are too many statistics for the simulations: the pool with as many numbers in their
/// place as there are parameters.
void AutoRun::reduce(bool final) {
  if (!reduces()) {
    reduction_.reset();
    reduced_.reset();
    return;
  }
  const double grown =
      kReduceAgain * static_cast<double>(reduction_ ? reduction_->num_fitted() : 0);
  if (static_cast<double>(pool_.size()) >= grown ||
      (final && reduction_->num_fitted() < pool_.size())) {
    reduction_.emplace(pool_, run_.problem().observed);
    reduced_.reset();
  }
  if (!reduced_ || reduced_->size() != pool_.size()) {
    reduced_ = pool_.with_statistics(reduction_->of_pool(pool_));
  }
}

/// A fit on the current target, or what an earlier run of the same work kept of it.
LocalFit AutoRun::remembered_fit(const LocalFitOptions& options) {
  reduce(options.final);
  const SimulationPool& pool = reduced_ ? *reduced_ : pool_;
  const Eigen::VectorXd& observed = reduced_ ? reduction_->of_observed() : run_.problem().observed;
  Memory& memory = run_.memory();
  const std::string name = "fit/" + std::to_string(number_) + "-" + std::to_string(++num_fits_);
  Fingerprint inputs;
  if (memory.works()) {
    inputs.add(pool.coordinates());
    inputs.add(pool.statistics());
    inputs.add(pool.weights_towards(target_));
    inputs.add(observed);
    inputs.add(options.seed);
    inputs.add(options.round);
    inputs.add(target_is_prior_);
    inputs.add(options.max_components);
    inputs.add(options.final);
    inputs.add(options.network);
    if (const auto bytes = memory.recall(name, inputs.value())) return local_fit_from_bytes(*bytes);
  }
  const InterruptionScope scope = run_.interruptible();
  LocalFit answer =
      fit_locally(pool, observed, target_, target_is_prior_, options,
                  [&](long step, long num_steps, double loss) {
                    return run_.report_training("final", number_, step, num_steps, loss);
                  });
  if (memory.works()) memory.remember(name, inputs.value(), to_bytes(answer));
  return answer;
}

/// Mean and covariance on the prior's support, or nothing where there is next to no mass.
std::optional<Shape> AutoRun::shape_of(const GaussianMixture& posterior) const {
  Stream stream(options_.seed,
                {.purpose = Purpose::moments, .round = static_cast<std::uint32_t>(number_)});
  const Eigen::MatrixXd z = sample_on_support(posterior, run_.prior(), stream);
  Shape shape;
  shape.mean = z.rowwise().mean();
  const Eigen::MatrixXd centred = z.colwise() - shape.mean;
  shape.covariance = centred * centred.transpose() / static_cast<double>(z.cols());
  shape.covariance.diagonal() += 1e-12 * run_.prior().coordinate_std().cwiseAbs2();
  if (!shape.mean.allFinite() || !shape.covariance.allFinite()) return std::nullopt;
  if (!Cholesky(shape.covariance).succeeded()) return std::nullopt;
  return shape;
}

/// Whether twice the simulations changed the posterior by next to nothing.
void AutoRun::check_convergence() {
  if (!settled_ || !fit_ || own_.tolerance <= 0) return;
  if (settled_posterior_ && 2 * pool_.size() < 3 * settled_size_) return;  // too few of them usable
  // The fits of the rounds use some hundreds of examples only, and differ by chance.
  if (used() >= kWorthChecking && 2 * used() <= budget_ && !fit(true)) return;
  if (settled_posterior_) {
    const Support support = run_.prior().coordinate_support();
    const TruncatedMixture now(fit_->posterior, support), before(*settled_posterior_, support);
    Stream stream(options_.seed,
                  {.purpose = Purpose::divergence, .round = static_cast<std::uint32_t>(number_)});
    const Eigen::MatrixXd z = now.sample(kMomentSamples, stream);
    Eigen::VectorXd ratio(z.cols());
    for (Index i = 0; i < z.cols(); ++i) {
      ratio[i] = now.log_prob(z.col(i)) - before.log_prob(z.col(i));
    }
    // Half the variance of the log ratio: for densities this close it is the KL divergence, and its
    // relative error is small where that of the mean is not.
    const double kl = 0.5 * (ratio.array() - ratio.mean()).square().mean();
    converged_ = kl < own_.tolerance;
  }
  settled_posterior_ = fit_->posterior;
  settled_size_ = pool_.size();
}

/// How far twice the budget would move the posterior, from answers of parts of the simulations.
double AutoRun::expected_change() const {
  const InterruptionScope scope = run_.interruptible();
  const ChangeForecast forecast(reduced_ ? *reduced_ : pool_,
                                reduced_ ? reduction_->of_observed() : run_.problem().observed,
                                target_, target_is_prior_, fit_options(true));
  return forecast.change(*fit_, [this](const GaussianMixture& posterior) {
    std::optional<Shape> shape = shape_of(posterior);
    std::optional<MeanAndDeviation> result;
    if (shape) result = {shape->mean, shape->covariance.diagonal().cwiseSqrt()};
    return result;
  });
}

InferResult AutoRun::finish() {
  round_.phase = "final";
  const bool fitted = fit(true);
  if (!fit_) {
    throw Error(ErrorKind::stopped,
                "no fit gave a posterior on the prior's support after " + std::to_string(used()) +
                    " simulations. Check the observation and the prior, or raise "
                    "method.num_simulations.");
  }
  if (!fitted) {
    run_.warn("the final fit failed; the posterior is that of an earlier round");
  }
  Summary& summary = run_.summary();
  summary.proposal_converged = converged_;
  if (converged_ && used() < options_.num_simulations) {
    summary.unspent_because =
        "doubling the simulations moved the posterior by less than method.auto.tolerance (" +
        number_text(own_.tolerance) + ")";
  }
  summary.effective_sample_size = fit_->importance_size;
  if (fit_->importance) {
    summary.correction = "importance";
    run_.warn(
        "the correction for the proposal had no closed form; importance weights with an "
        "effective sample of " +
        std::to_string(static_cast<long>(fit_->importance_size)) + " were used instead");
  } else if (!target_is_prior_) {
    summary.correction = fit_->components_dropped > 0  ? "analytic on fewer components"
                         : fit_->components_damped > 0 ? "analytic, damped"
                                                       : "analytic";
  }
  for (const std::string& sentence : never_reached(pool_.statistics(), run_.problem().observed)) {
    run_.warn(sentence);
  }
  if (fit_->tempering > 1) {
    run_.warn(
        "the observation lies far outside what was simulated near the posterior; the "
        "posterior is widened accordingly. Raise method.num_simulations, and check that the "
        "simulator can produce the observation at all");
  }
  round_.training = fit_->training;
  summary.training_seconds += fit_->training.seconds;
  run_.finish_round(std::move(round_));
  InferResult result;
  result.posterior = std::make_shared<MixturePosterior>(
      run_.problem().prior,
      run_.problem().names.empty() ? default_names(run_.prior().dim()) : run_.problem().names,
      fit_->posterior);
  return result;
}

}  // namespace

InferResult auto_method(InferenceRun& run) { return AutoRun(run).result(); }

InferResult auto_fit(InferenceRun& run, SimulationPool pool) {
  if (pool.size() < kFewestToBegin) {
    throw Error(ErrorKind::stopped, "there are " + std::to_string(pool.size()) +
                                        " usable simulations; at least " +
                                        std::to_string(kFewestToBegin) + " are needed");
  }
  return AutoRun(run, std::move(pool)).result_without_simulating();
}

MethodEntry auto_entry() {
  MethodEntry entry = method_entry<AutoOptions>(
      "auto", "the default: one observation, one budget, everything else chosen from the data",
      auto_method);
  entry.learns_from_given = true;
  entry.check = check_earlier_budgets;
  return entry;
}

}  // namespace epsfree
