// How far apart two sets of samples are, one sample per column. Where both are densities that are
// known, `kl_divergence` (divergence.hpp) says more.
#pragma once

#include <Eigen/Core>
#include <cstdint>
#include <vector>

#include "epsfree/diagnosis.hpp"
#include "epsfree/gaussian.hpp"
#include "epsfree/stream.hpp"

namespace epsfree {

/// The classifier of a two-sample test, with the defaults of scikit-learn's MLPClassifier and the
/// layers of the sbibm benchmark (Lueckmann et al. 2021).
struct ClassifierOptions {
  int num_layers = 2;            ///< hidden, of rectified linear units
  int units_per_dimension = 10;  ///< of a hidden layer
  int num_units = 0;             ///< of a hidden layer; 0: by the dimension
  double learning_rate = 1e-3;   ///< of Adam
  int batch_size = 200;          ///< at most the number of samples
  double weight_penalty = 1e-4;  ///< L2
  int max_epochs = 1000;
  double tolerance = 1e-4;  ///< gain of the loss that counts
  int patience = 10;        ///< epochs without such a gain before training ends
  void validate() const;
};

struct C2stOptions {
  int num_folds = 5;
  bool standardise = true;  ///< by the mean and deviation of the first samples
  std::uint64_t seed = 1;
  int num_threads = 0;  ///< folds side by side; 0: as many as the machine has
  ClassifierOptions classifier = {};
  void validate() const;
};

/// Classifier two-sample test (Lopez-Paz & Oquab 2017): how often a classifier tells, on samples
/// that it was not trained on, which set one is from. 0.5: it cannot; 1: always.
double c2st(const Eigen::Ref<const Eigen::MatrixXd>& first,
            const Eigen::Ref<const Eigen::MatrixXd>& second, const C2stOptions& options = {});

/// The squared maximum mean discrepancy (Gretton et al. 2012), unbiased and so at times below zero,
/// with a Gaussian kernel.
struct MmdResult {
  double squared = 0;
  double bandwidth = 0;  ///< the kernel's: the median distance between samples
  double p_value = 1;    ///< by permutations; 1 where none were asked for
};
MmdResult mmd(const Eigen::Ref<const Eigen::MatrixXd>& first,
              const Eigen::Ref<const Eigen::MatrixXd>& second, int num_permutations,
              Stream& stream);

/// Sliced Wasserstein distance (Bonneel et al. 2015): the root of the mean squared 2-Wasserstein
/// distance between the sets seen along random directions.
double sliced_wasserstein(const Eigen::Ref<const Eigen::MatrixXd>& first,
                          const Eigen::Ref<const Eigen::MatrixXd>& second, int num_projections,
                          Stream& stream);

struct ComparisonOptions {
  C2stOptions c2st = {};
  int num_permutations = 200;  ///< of the discrepancy's test
  int num_projections = 100;   ///< of the sliced distance
  /// The kernel and the sliced distance use so many of each set at most: kernels grow with its
  /// square.
  Index max_samples = 1000;
};
/// All three with verdicts: of a posterior's samples (`second`) against a reference's (`first`).
std::vector<Diagnosis> compare_samples(const Eigen::Ref<const Eigen::MatrixXd>& first,
                                       const Eigen::Ref<const Eigen::MatrixXd>& second,
                                       const ComparisonOptions& options = {});

}  // namespace epsfree
