// summary.json: what a run did, what it cost and what came out, for people and programs.
#pragma once

#include <Eigen/Core>
#include <optional>
#include <string>
#include <vector>

#include "epsfree/infer.hpp"

namespace epsfree {

/// The posterior in a table: one entry per parameter.
struct PosteriorTable {
  std::vector<std::string> names;
  Eigen::VectorXd mean, standard_deviation;
  Eigen::VectorXd lower, upper;          ///< the central 95% interval
  std::optional<Eigen::VectorXd> truth;  ///< where known
};
PosteriorTable tabulate(const Posterior& posterior, const std::optional<Eigen::VectorXd>& truth);

/// What became of a run's simulations on disk.
struct RecordingSummary {
  std::string policy = "none";  ///< "auto", "always" or "never"; "none" where nothing ran
  long num_replayed = 0;        ///< taken from the ledger of an earlier run
  long num_simulated = 0;       ///< made by this one
  long num_recorded = 0;        ///< of these, kept in the ledger
  /// Simulations that were saved from a damaged ledger; -1: it was not damaged.
  long num_recovered = -1;

  /// One sentence for people; empty where there is nothing to say.
  std::string note() const;
};

/// How far the posterior of a combination is from the exact product (`CombinedPosterior`).
struct CombinationSummary {
  bool is_exact = true;
  double total_variation = 0;
  double divergence = 0;
};

/// What summary.json holds.
struct RunSummary {
  std::string kind = "inference";  ///< "inference", "new observation" or "combination"
  std::string problem;             ///< the problem's name
  std::string model;
  std::vector<std::string> sources = {};  ///< digests of the posteriors this was made from
  std::optional<CombinationSummary> combination = {};
  Summary inference = {};
  RecordingSummary recording = {};
  long num_planned = 0;  ///< simulations that the options allow; 0 where that is not known
  int num_threads = 0;   ///< 0 where nothing ran
  PosteriorTable posterior = {};
  std::string digest = {};  ///< SHA-256 of posterior.json
  std::string version = {};

  /// One sentence about simulations that were allowed but not made; empty where all were.
  std::string unspent() const;
};

std::string summary_json(const RunSummary& summary);
/// Throws ErrorKind::input with the file and the key if it is damaged.
RunSummary parse_summary(const std::string& text, const std::string& source);

}  // namespace epsfree
