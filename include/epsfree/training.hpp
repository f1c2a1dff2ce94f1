// The training loop: minibatches, Adam, schedules and when to stop.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "epsfree/conditional_density.hpp"
#include "epsfree/observer.hpp"

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
  int patience = 20;               ///< validation checks without gain before stopping
  /// Stop when the mean loss of an epoch window gains less than this; 0: never.
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
  std::string stopped_because =
      "nothing ran";                 ///< "steps", "validation", "converged", "interrupted"
  std::vector<double> loss_history;  ///< mean loss of up to 200 equal windows
  bool diverged = false;             ///< a loss or gradient was not finite; such steps were skipped
};

/// Trains in place. The order of examples comes from `order`, noise of the estimator from `noise`.
template <class Scalar>
TrainingSummary train(ConditionalDensity<Scalar>& density, const Examples<Scalar>& examples,
                      const TrainingOptions& options, Stream order, Stream noise,
                      const std::function<Action(long step, double loss)>& progress = {});

extern template TrainingSummary train<float>(ConditionalDensity<float>&, const Examples<float>&,
                                             const TrainingOptions&, Stream, Stream,
                                             const std::function<Action(long, double)>&);
extern template TrainingSummary train<double>(ConditionalDensity<double>&, const Examples<double>&,
                                              const TrainingOptions&, Stream, Stream,
                                              const std::function<Action(long, double)>&);

}  // namespace epsfree
