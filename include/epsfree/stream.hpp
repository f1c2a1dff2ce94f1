// Random numbers: counter-based streams, so that what is drawn depends on the seed and on what the
// number is for, never on the order in which threads, processes or ranks happen to run.
#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <utility>

namespace epsfree {

/// Every use of random numbers, in one place. A number, once given, is never used for another
/// purpose: saved runs are replayed from it.
enum class Purpose : std::uint32_t {
  user = 0,              ///< whatever a caller of the library draws for itself
  observation = 1,       ///< drawing an observation of a built-in model
  pilot_parameters = 2,  ///< parameters of the pilot run
  pilot_simulation = 3,  ///< the pilot run's simulations
  parameters = 4,        ///< parameters drawn from the prior or a proposal, per round
  simulation = 5,        ///< one simulation, per round and index
  network_init = 6,      ///< initial weights, and the noise that breaks the replicas' symmetry
  training_order = 7,    ///< minibatches and the validation split
  training_noise = 8,    ///< local reparameterisation noise
  posterior_sample = 9,  ///< `Posterior::sample` as the program calls it
  normaliser = 10,       ///< Monte Carlo estimates of normalising constants
  expectation_maximisation = 11,  ///< starts of EM
  divergence = 12,                ///< Monte Carlo divergences
  importance = 13,                ///< importance fallback of a correction
  moments = 14,                   ///< Monte Carlo moments and quantiles of truncated posteriors
  markov_chain = 15,              ///< steps of Markov chains, per chain and step
  population = 16,                ///< proposals of sequential Monte Carlo, per population and index
  resampling = 17,                ///< resampling of weighted samples inside a method
  simulator_check = 20,           ///< trying a simulator: parameters (round 0) and simulations
  calibration = 30,  ///< truths, posterior samples and seeds of a calibration, per repetition
  calibration_simulation = 31,  ///< its observations, and the simulations for reference points
  predictive_parameters = 32,   ///< parameters of predictive checks: posterior (round 0), prior (1)
  predictive_simulation = 33,   ///< their simulations
  classifier = 34,              ///< folds, initial weights and batches of two-sample tests
  two_sample = 35,              ///< permutations and projections of two-sample tests
  weight_draw = 36,             ///< weights drawn from their variational posterior
};

/// Says which stream of a seed is meant. Keys that differ anywhere give independent streams.
struct Key {
  Purpose purpose = Purpose::user;
  std::uint32_t replicate = 0;  ///< repetition of a whole inference (calibration, seeds of a study)
  std::uint32_t round = 0;      ///< round, chain or population
  std::uint64_t index = 0;      ///< simulation or draw within it

  friend bool operator==(const Key&, const Key&) = default;
};

/// A sequence of random numbers: Philox4x64-10 (Salmon et al. 2011) with the seed as its key and
/// `Key` as the high words of its counter. Cheap to make; copying one repeats its numbers.
class Stream {
 public:
  explicit Stream(std::uint64_t seed, const Key& key = {});
  /// One whose first bits64() is `first`: it repeats a simulation of a program or library, whose
  /// seed is that number. What follows are numbers of the seed `first`.
  static Stream beginning_with(std::uint64_t first);

  std::uint64_t bits64() {
    if (used_ == 4) refill();
    return block_[used_++];
  }
  /// Uniform on the open interval (0, 1): neither end is ever returned, so that log() is safe.
  double uniform() {
    // 52 bits, plus a half: the middle of one of 2^52 equal cells, exact in double precision.
    return (static_cast<double>(bits64() >> 12) + 0.5) * 0x1p-52;
  }
  double uniform(double lower, double upper) { return lower + (upper - lower) * uniform(); }
  /// Standard normal.
  double normal();
  /// Exponential with rate 1.
  double exponential();
  /// Uniform on 0 .. count-1, without bias. `count` must be positive.
  std::uint64_t below(std::uint64_t count);

  template <class T>
  void shuffle(std::span<T> items) {
    for (std::size_t i = items.size(); i > 1; --i) std::swap(items[i - 1], items[below(i)]);
  }

  /// Fills with standard normals, vectorised. Draws one 64-bit key from this stream and expands it
  /// with Philox4x32, so the values differ from repeated calls of normal().
  void fill_normal(std::span<float> values);
  void fill_normal(std::span<double> values);

 private:
  void refill();

  std::uint64_t seed_;
  std::uint64_t counter_[4];
  std::uint64_t block_[4];
  int used_ = 4;
  double spare_normal_ = std::numeric_limits<double>::quiet_NaN();
};

}  // namespace epsfree
