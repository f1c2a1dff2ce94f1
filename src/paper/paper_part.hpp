// One inference of the reproduction of the paper, and what its figures and claims need of it.
#pragma once

#include <Eigen/Core>
#include <string>
#include <vector>

#include "epsfree/infer.hpp"
#include "paper/paper_target.hpp"

namespace epsfree {

/// What an inference is made for.
enum class PaperTopic {
  figure,       ///< a line, a point or a marginal of figures 1 to 4
  rounds,       ///< how many rounds Algorithm 1 needs
  components,   ///< more or fewer components
  layers,       ///< larger or smaller networks
  overfitting,  ///< few simulations and long training
};
/// "figure", "rounds", ...
std::string to_string(PaperTopic topic);

struct PaperPart {
  std::string model;
  PaperTopic topic = PaperTopic::figure;
  std::string method;  ///< as in problem files: it has one colour throughout
  /// What varies within the topic: epsilon or the budget of an ABC method, components, hidden
  /// units, training steps.
  double setting = 0;
  InferOptions options = {};
  std::string target = {};  ///< PaperTarget::fingerprint of what it is measured against

  /// Tells it from every other, whatever study it is part of.
  std::string key() const;
  /// About how long it takes, in seconds of one core: the longest begin first.
  double cost() const;
  /// "lotka-volterra smc-abc 0.5, seed 1".
  std::string describe() const;
};

/// y over x.
struct Curve {
  Eigen::VectorXd x, y;
};

/// What became of a part. Numbers that do not apply are NaN.
struct PaperRecord {
  std::string error;               ///< what the inference threw; nothing else is then known
  long num_simulations = 0;        ///< in all
  long num_start_simulations = 0;  ///< of them, those that found the starts of MCMC-ABC's chains
  double effective_samples = 0;
  double epsilon = 0;  ///< that an ABC method has reached
  double seconds = 0;
  double divergence = 0;   ///< KL(true posterior || learnt one)
  double truth_score = 0;  ///< -log q(true parameters)
  Eigen::VectorXd mean, standard_deviation;
  Curve marginal;                ///< of the figure's parameter; bins where the answer is samples
  int num_rounds = 0;            ///< of Algorithm 1
  long num_corrections = 0;      ///< divisions by the proposal, one for each component
  long num_improper = 0;         ///< of them, with a precision that is not positive definite
  long num_damped = 0;           ///< or is, but is smaller than its own sampling error
  double active_components = 0;  ///< exp of the entropy of the weights
  /// Of the mixture's networks: q(theta | x), one column per x, and how far the posterior at each x
  /// is from the exact one.
  Eigen::VectorXd x_grid, theta_grid;
  Eigen::MatrixXd conditional;
  Eigen::VectorXd divergence_by_x;

  bool ok() const { return error.empty(); }
};

/// The marginal of the figure's parameter: its density, or bins where the posterior is samples.
Curve paper_marginal(const Posterior& posterior, const PaperTarget& target);

/// As JSON that round-trips.
std::string record_json(const PaperPart& part, const PaperRecord& record);
/// Throws ErrorKind::input if the text is not one of this part's.
PaperRecord parse_record(const std::string& text, const PaperPart& part, const std::string& file);

/// Infers and measures. What the inference throws becomes the record's error, but for
/// ErrorKind::interrupted when the observer says stop.
PaperRecord run_part(const PaperPart& part, const PaperTarget& target, Observer& observer);

}  // namespace epsfree
