// Gaussian mixtures of parameters and statistics together, fitted by EM without random starts.
#pragma once

#include <Eigen/Core>
#include <vector>

#include "epsfree/effective_size.hpp"
#include "epsfree/gaussian.hpp"

namespace epsfree {

/// sum_k alpha_k N((u, t) | m_k, S_k): seen as a density of u given t, it is a Gaussian locally
/// linear mapping (Deleforge, Forbes & Horaud 2015).
struct JointMixture {
  Eigen::VectorXd log_weights;
  Eigen::MatrixXd means;  ///< one column per component
  std::vector<Eigen::MatrixXd> covariances;
  Eigen::VectorXd counts;  ///< effective number of examples that belong to each component

  Index num_components() const { return log_weights.size(); }
  Index dim() const { return means.rows(); }
};

struct JointMixtureOptions {
  /// Pseudo-examples with the covariance of all data, shrunk as for K equal clusters (Fraley &
  /// Raftery 2007), in every component: keeps one with few examples from collapsing.
  double prior_examples = 4;
  /// A fit stops after so many multiplications, though not before some 15 iterations, or when an
  /// iteration gains less than `tolerance` in the mean log likelihood.
  double max_work = 2e8;
  bool try_all_splits = true;  ///< not only that along the longest axis
  double tolerance = 2e-5;
};

/// Fits mixtures by EM, from one component up. Nothing is random.
class JointMixtureFit {
 public:
  /// `points` has one column per example, its parameters first; `weights` has one positive entry.
  /// What counts as the number of examples is the weights' effective size. Starts with one
  /// component.
  JointMixtureFit(const Eigen::Ref<const Eigen::MatrixXd>& points, Index num_parameters,
                  const Eigen::Ref<const Eigen::VectorXd>& weights,
                  const JointMixtureOptions& options = {});

  JointMixture mixture() const;
  /// Splits every component in two and fits again: along its longest axis, along that of the
  /// parameters given the statistics, or by width, whichever promises most.
  void grow();
  /// Fits again from a mixture of nearly the same examples.
  void start_from(const JointMixture& mixture);

 private:
  int max_iterations() const;
  double run(int max_iterations);
  double expect();
  void maximise();
  void pack(const Eigen::MatrixXd& triangle);
  Eigen::VectorXd weigh(const double* responsibilities, Eigen::MatrixXd& products);

  JointMixtureOptions options_;
  Index num_parameters_;
  Index dim_;
  Eigen::MatrixXd points_;  // minus offset_; one row per example, padded for mixture_kernels.hpp
  Eigen::VectorXd offset_;  // the mean of all
  double size_;
  Eigen::VectorXd weights_;  // sum to size_; padded
  Eigen::MatrixXd all_covariance_;
  JointMixture mixture_;
  Eigen::MatrixXd responsibilities_;             // one row per example, times its weight
  std::vector<double> tiles_, sums_, products_;  // of the kernels
};

}  // namespace epsfree
