// Whether one answer deserves trust: checks of a posterior at its observation.
//
//   const InferResult result = infer(problem, options);
//   ThreadRunner runner;
//   for (const Diagnosis& each : diagnose(problem, result, runner).diagnoses) {
//     std::printf("%s %s: %s\n", to_string(each.verdict), each.name.c_str(),
//                 each.sentence().c_str());
//   }
#pragma once

#include <Eigen/Core>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "epsfree/diagnosis.hpp"
#include "epsfree/effective_size.hpp"
#include "epsfree/infer.hpp"

namespace epsfree {

/// Simulations from a distribution of parameters, one a column; valid ones only.
struct PredictiveSimulations {
  Eigen::MatrixXd thetas, statistics;
  long num_made = 0;  ///< those that are not ok included
};
PredictiveSimulations simulate_posterior(const Problem& problem, const Posterior& posterior,
                                         Index count, std::uint64_t seed, Runner& runner,
                                         Observer* observer = nullptr);
PredictiveSimulations simulate_prior(const Problem& problem, Index count, std::uint64_t seed,
                                     Runner& runner, Observer* observer = nullptr);

/// Posterior predictive check (Rubin 1984; Gelman, Meng & Stern 1996): simulations from the
/// posterior against the observation, each statistic by its two tails and all together by their
/// whitened distance from the simulations' centre. `names` are those of the statistics; empty: x1,
/// x2, ...
Diagnosis predictive_check(const Eigen::Ref<const Eigen::VectorXd>& observed,
                           const PredictiveSimulations& simulations,
                           std::vector<std::string> names = {});

/// The same for single statistics: the one whose robustly standardised deviation is largest,
/// against the largest one of each simulation (Westfall & Young 1993), so that it does not matter
/// how many statistics there are or how they depend on each other. Says which stand out.
Diagnosis predictive_statistics(const Eigen::Ref<const Eigen::VectorXd>& observed,
                                const PredictiveSimulations& simulations,
                                std::vector<std::string> names = {});

/// How far the observation lies from anything that the simulator produced: its distance to the
/// nearest simulations in whitened statistics, against that of each simulation to its own nearest
/// (Angiulli & Pizzuti 2002). `source` says where they are from: "prior" or "posterior".
Diagnosis misspecification(const Eigen::Ref<const Eigen::VectorXd>& observed,
                           const PredictiveSimulations& simulations, const std::string& source);
/// The same for simulations from the prior; nothing if too few of them are valid. A few simulations
/// cannot show whether the model produces the observation. That they are few says something about
/// the prior, not about the answer.
std::optional<Diagnosis> prior_misspecification(const Eigen::Ref<const Eigen::VectorXd>& observed,
                                                const PredictiveSimulations& simulations);

/// The share of simulations that failed, ended by a time limit or were lost, or that of the last
/// round if it is larger, and where in parameter space they lie. Invalid ones do not count: they
/// are answers of the model. `names` are those of the parameters; empty: theta1, theta2, ...
/// Nothing where nothing was simulated.
std::optional<Diagnosis> failed_simulations(const Summary& summary,
                                            std::vector<std::string> names = {});
/// How far the last round moved the posterior, in its standard deviations. Nothing where the method
/// has no rounds that can be compared.
std::optional<Diagnosis> round_convergence(const Summary& summary);
/// What twice the simulations would change: what the method itself expects
/// (Summary::expected_change), else from what the second half of them did, the larger of
/// the mean's movement and of the change of log standard deviation.
std::optional<Diagnosis> budget_curve(const Summary& summary);
/// Mass of the density before it was cut to the prior's support.
Diagnosis support_mass(const Summary& summary);
/// Effective sample size of an importance correction, of an ABC method's samples or of chains;
/// nothing where there are none.
std::optional<Diagnosis> sample_size(const Summary& summary);
/// What an ABC method's epsilon blurs (Summary::blur), with a warning where that is not known;
/// nothing for other methods, and for samples that were adjusted.
std::optional<Diagnosis> tolerance(const Summary& summary);
/// Acceptance rate of the chains; nothing where there are none.
std::optional<Diagnosis> acceptance(const Summary& summary);
/// R-hat of the chains; nothing where there are none, or too short ones.
std::optional<Diagnosis> chain_agreement(const Summary& summary);

/// All of these that apply. `names` are those of the parameters.
std::vector<Diagnosis> diagnose(const Summary& summary, const std::vector<std::string>& names = {});

/// Posteriors at the observation by draws of the network's weights from their variational posterior
/// (appendix D of the paper). Empty for a network that has none.
std::vector<PosteriorPtr> weight_draws(const Estimator& estimator,
                                       const Eigen::Ref<const Eigen::VectorXd>& observed, int count,
                                       std::uint64_t seed);
/// How much posteriors of one observation disagree: those of an ensemble, of several seeds or of
/// weight_draws. With bands for the marginals. Throws ErrorKind::input for fewer than two.
Diagnosis network_sensitivity(std::span<const PosteriorPtr> members, std::uint64_t seed = 1);

/// Whether chains agree, from the R-hat of every component.
Diagnosis chain_agreement(const Eigen::Ref<const Eigen::VectorXd>& rhats);
/// R-hat and the effective sample size of chains.
std::vector<Diagnosis> diagnose_chains(std::span<const Eigen::MatrixXd> chains);

struct DiagnoseOptions {
  Index num_predictive = 1000;  ///< simulations from the posterior; 0: no check against them
  Index num_prior = 1000;       ///< simulations from the prior; 0: no check against them
  int num_weight_draws = 20;    ///< of a variational network; 0: none
  std::uint64_t seed = 1;
  TestLevels levels = {};
  std::vector<std::string> statistic_names = {};  ///< empty: x1, x2, ...
  /// Simulations from the prior that are there already. If 20 of them are valid none are made, else
  /// num_prior are made besides.
  PredictiveSimulations known_prior = {};
  void validate() const;
};

/// What the checks of one answer found.
struct AnswerDiagnoses {
  std::vector<Diagnosis> diagnoses = {};
  std::vector<std::string> notes = {};  ///< what could not be checked, and why
  long num_posterior = 0;               ///< simulations from the posterior
  long num_prior = 0;                   ///< simulations from the prior, known ones included
};
/// All that applies to the result of one inference, judged together: what `epsfree check` does
/// without a calibration.
AnswerDiagnoses diagnose(const Problem& problem, const InferResult& result, Runner& runner,
                         const DiagnoseOptions& options = {}, Observer* observer = nullptr);

}  // namespace epsfree
