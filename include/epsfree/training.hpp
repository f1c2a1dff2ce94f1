// The training loop: minibatches, Adam, schedules and when to stop.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "epsfree/journal.hpp"
#include "epsfree/observer.hpp"
#include "epsfree/trainable.hpp"

namespace epsfree {

enum class Schedule { constant, cosine };
std::string to_string(Schedule schedule);

struct TrainingOptions {
  long num_steps = 10000;       ///< the most minibatch steps
  int batch_size = 100;         ///< examples a step; at most the number there is
  double learning_rate = 1e-3;  ///< of Adam, at the start
  Schedule schedule = Schedule::constant;
  double gradient_clip = 0;        ///< largest norm of a gradient; 0: no clipping
  double validation_fraction = 0;  ///< share held out to stop early; 0: none
  /// Stop after so many checks in a row without gain. A check is made every epoch, or every
  /// num_steps / 200 steps if that is longer. With validation it gains if the held-out loss
  /// (Trainable::held_out_loss; of a density the mean of -weight log q) is below the best so far;
  /// the best parameters, those at the start included, are kept.
  int patience = 20;
  /// If positive, the mean training loss between two checks is watched too, and gains if it is
  /// below the best so far by more than this; 0: never stop for it.
  double convergence_tolerance = 0;
  void validate() const;
};

/// What training did.
struct TrainingSummary {
  long num_steps = 0;
  long best_step = 0;          ///< with validation: whose parameters were kept
  double final_loss = 0;       ///< mean training loss over the last window
  double validation_loss = 0;  ///< NaN without validation
  double seconds = 0;
  /// "steps", "validation", "converged", "interrupted", or "diverged": 100 steps skipped in a row.
  std::string stopped_because = "nothing ran";
  std::vector<double> loss_history;  ///< mean loss of up to 200 equal windows
  /// A loss or gradient was not finite (such steps were skipped), or training blew up and was taken
  /// back to its best parameters, with smaller steps from there on.
  bool diverged = false;
};

/// Where the state of a training is kept while it lasts, so that it can go on after an interruption
/// and end with the same bits.
struct TrainingCheckpoint {
  Journal* journal = nullptr;    ///< none: nothing is kept
  std::string name = {};         ///< in the journal
  std::uint64_t made_from = 0;   ///< whatever tells this training from another of the same name
  double interval_seconds = 20;  ///< between two saves
};

/// Trains in place with Adam. Every epoch goes through the examples in a new random order, drawn
/// from `order`; what does not fill a batch at its end is left out of it. Noise of the model comes
/// from `noise`. `progress` is called some twenty times a second and after the last step,
/// with a recent mean of the loss. A training that is interrupted is saved first; the checkpoint of
/// one that ended is left to the caller to erase.
template <class Scalar>
TrainingSummary train(Trainable<Scalar>& model, const Examples<Scalar>& examples,
                      const TrainingOptions& options, Stream order, Stream noise,
                      const std::function<Action(long step, double loss)>& progress = {},
                      const TrainingCheckpoint& checkpoint = {});

extern template TrainingSummary train<float>(Trainable<float>&, const Examples<float>&,
                                             const TrainingOptions&, Stream, Stream,
                                             const std::function<Action(long, double)>&,
                                             const TrainingCheckpoint&);
extern template TrainingSummary train<double>(Trainable<double>&, const Examples<double>&,
                                              const TrainingOptions&, Stream, Stream,
                                              const std::function<Action(long, double)>&,
                                              const TrainingCheckpoint&);

}  // namespace epsfree
