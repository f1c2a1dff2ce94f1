#include "infer/synthetic/likelihood_rounds.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "epsfree/error.hpp"

namespace epsfree {
namespace {

constexpr long kFewestUsable = 10;
// Draws of the first idea of the posterior that are tried as starts of the chains.
constexpr Index kNumCandidates = 200;
// Of a proposal, in volumes of the posterior; see AutoOptions::widening.
constexpr double kRoundVolume = 5;
// A simulation far from the posterior still counts for something, so that a fit never rests on a
// handful.
constexpr double kLeastWeight = 1e-3;

void append(Eigen::MatrixXd& all, const Eigen::MatrixXd& more) {
  const Index before = all.cols();
  all.conservativeResize(more.rows(), before + more.cols());
  all.rightCols(more.cols()) = more;
}

Gaussian widened(const Eigen::MatrixXd& points, const Eigen::VectorXd& least_std) {
  const double D = static_cast<double>(points.rows());
  const double widening = std::clamp(std::pow(kRoundVolume, 2 / D), 1.5, 4.0);
  const Eigen::VectorXd mean = points.rowwise().mean();
  const Eigen::MatrixXd centred = points.colwise() - mean;
  Eigen::MatrixXd covariance =
      widening * (centred * centred.transpose()) / static_cast<double>(points.cols());
  covariance.diagonal() += least_std.cwiseAbs2();
  return Gaussian::from_covariance(mean, covariance);
}

}  // namespace

void LikelihoodRounds::explain_constants() const {
  for (const std::string& sentence : never_reached(pool_.statistics(), run_.observed())) {
    run_.run().warn(sentence);
  }
}

LikelihoodRounds::LikelihoodRounds(SyntheticRun& run)
    : run_(run), pool_(run.run().problem().prior), z_(run.dim(), 0) {}

void LikelihoodRounds::advance(Index count, int max_components, Index num_steps) {
  if (number_ > 0) run_.run().finish_round(std::move(round_));
  round_ = new_round("round", ++number_);
  const Eigen::MatrixXd z = run_.draw(proposal_, count, round_);
  const SimulationResults results =
      run_.simulate(z, 1, round_, proposal_.is_prior() ? DrawnFrom::prior : DrawnFrom::proposal,
                    number_ == 1 ? kFewestUsable : 0);
  append(z_, z);
  statuses_.insert(statuses_.end(), results.statuses.begin(), results.statuses.end());
  const std::vector<Index> ok = results.ok_indices();
  pool_.add(proposal_, {z(Eigen::all, ok), results.statistics(Eigen::all, ok)},
            round_.proposal_mass);

  const Eigen::VectorXd weights =
      (proposal_.is_prior() ? Eigen::VectorXd::Ones(pool_.size())
                            : pool_.weights_towards(LocalTarget::of(*proposal_.gaussian)))
          .cwiseMax(kLeastWeight);
  likelihood_ = MixtureLikelihood::fit(pool_, weights, run_.observed(), max_components);
  validity_ = ValidityModel(z_, statuses_);
  round_.effective_examples = effective_size(weights);

  Stream stream(run_.run().options().seed,
                {.purpose = Purpose::importance, .round = static_cast<std::uint32_t>(number_)});
  Eigen::MatrixXd candidates = likelihood_->first_idea().sample(kNumCandidates, stream);
  append(candidates, pool_.coordinates());
  chains_ = run_.walk(
      [&](const Eigen::Ref<const Eigen::VectorXd>& at) {
        return (*likelihood_)(at) + validity_.log_prob(at);
      },
      candidates, likelihood_->first_idea().covariance(), num_steps, round_);
  const Eigen::MatrixXd points = chains_.all();
  round_.mean = points.rowwise().mean();
  round_.standard_deviation = ((points.colwise() - round_.mean).rowwise().squaredNorm() /
                               static_cast<double>(points.cols()))
                                  .cwiseSqrt();
  proposal_.gaussian = widened(points, 1e-6 * run_.prior().coordinate_std());
}

}  // namespace epsfree
