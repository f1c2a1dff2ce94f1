// What InferenceRun does to learn from simulations.
#include <algorithm>
#include <utility>

#include "base/archive.hpp"
#include "base/fingerprint.hpp"
#include "epsfree/error.hpp"
#include "infer/inference_run.hpp"
#include "infer/mdn/mdn_options.hpp"
#include "infer/standardised.hpp"
#include "nn/training_state.hpp"

namespace epsfree {
namespace {

// Identifies all that a training starts from.
std::uint64_t fingerprint(const Trainable<float>& model, const Examples<float>& examples,
                          const TrainingOptions& options, std::uint64_t seed) {
  Fingerprint result;
  result.add(seed);
  result.add(std::span<const float>(model.parameters()));
  result.add(examples.targets);
  result.add(examples.contexts);
  if (examples.weights.size() > 0) result.add(examples.weights);
  result.add(options.num_steps);
  result.add(options.batch_size);
  result.add(options.learning_rate);
  result.add(options.schedule);
  result.add(options.gradient_clip);
  result.add(options.validation_fraction);
  result.add(options.patience);
  result.add(options.convergence_tolerance);
  return result.value();
}

}  // namespace

void InferenceRun::train_anew(Trainable<float>& model, const Examples<float>& examples,
                              const TrainingOptions& options, const TrainingCheckpoint& checkpoint,
                              RoundSummary& round) {
  const auto number = static_cast<std::uint32_t>(round.round);
  TrainingProgress progress{.phase = round.phase.c_str(),
                            .round = round.round,
                            .num_rounds = num_rounds(),
                            .num_steps = options.num_steps};
  round.training = epsfree::train(
      model, examples, options,
      Stream(options_.seed, {.purpose = Purpose::training_order, .round = number}),
      Stream(options_.seed, {.purpose = Purpose::training_noise, .round = number}),
      [&](long step, double loss) {
        progress.step = step;
        progress.loss = loss;
        return observer_.on_training(progress);
      },
      checkpoint);
  if (round.training.stopped_because == "interrupted") {
    throw Error(ErrorKind::interrupted, "interrupted while training (" + round.phase + " " +
                                            std::to_string(round.round) + ")");
  }
}

void InferenceRun::train(Trainable<float>& model, const SimulatedPairs& pairs,
                         const TrainingOptions& options, RoundSummary& round, Direction direction) {
  Examples<float> examples;
  examples.targets = standardised_parameters(parameters_, pairs.coordinates);
  examples.contexts = standardised_statistics(statistics_, pairs.statistics);
  if (direction == Direction::likelihood) std::swap(examples.targets, examples.contexts);
  examples.weights = pairs.weights.cast<float>();
  const std::string name = "training/" + round.phase + "-" + std::to_string(round.round);
  const std::uint64_t made_from =
      memory_.works() ? fingerprint(model, examples, options, options_.seed) : std::uint64_t{0};
  if (const auto bytes = memory_.recall(name, made_from)) {
    std::vector<float> parameters;
    ByteReader reader(*bytes);
    reader(parameters, round.training);
    std::copy(parameters.begin(), parameters.end(), model.parameters().begin());
  } else {
    train_anew(model, examples, options, {memory_.journal(), name + "/state", made_from}, round);
    ByteWriter writer;
    writer(std::vector<float>(model.parameters().begin(), model.parameters().end()),
           round.training);
    memory_.remember(name, made_from, writer.bytes());
    memory_.forget(name + "/state");
  }
  summary_.training_seconds += round.training.seconds;
  if (round.training.diverged) {
    warn("training of " + round.phase + " " + std::to_string(round.round) +
         " blew up and was taken back to where it was best; lower the learning rate");
  }
}

std::shared_ptr<const Estimator> InferenceRun::make_estimator(
    std::shared_ptr<const ConditionalDensity<float>> conditional, const Proposal& proposal,
    Index num_examples, Direction direction) const {
  return std::make_shared<Estimator>(Estimator::Parts{
      .prior = problem_.prior,
      .names = problem_.names.empty() ? default_names(prior().dim()) : problem_.names,
      .method = method_.name,
      .statistics = statistics_,
      .parameters = parameters_,
      .conditional = std::move(conditional),
      .direction = direction,
      .proposal = proposal.gaussian,
      .observed = problem_.observed,
      .num_examples = num_examples,
      .min_weight = mdn_settings(options_.method)->min_weight});
}

}  // namespace epsfree
