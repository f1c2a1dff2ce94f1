// The one list of every option: its name, where it is kept and what it means. The problem file's
// reader, run.toml's writer, `--set`, the commented template and the help texts are all made from
// it, so that an option has one name everywhere.
#pragma once

#include "epsfree/infer.hpp"
#include "infer/synthetic/synthetic_fields.hpp"

namespace epsfree {

// visit(name, field, help) is called for each option of a struct; visit.group(name, struct, help)
// for each nested struct. Options may be const or not.

template <class Options, class Visitor>
void visit_training_fields(Options& o, Visitor& visit) {
  visit("num_steps", o.num_steps, "the most minibatch steps");
  visit("batch_size", o.batch_size, "examples a step");
  visit("learning_rate", o.learning_rate, "of Adam, at the start");
  visit("schedule", o.schedule, "of the learning rate: \"constant\" or \"cosine\" (down to zero)");
  visit("gradient_clip", o.gradient_clip, "largest norm of a gradient; 0: no clipping");
  visit("validation_fraction", o.validation_fraction, "share held out to stop early; 0: none");
  visit("patience", o.patience, "validation checks without gain before stopping");
  visit("convergence_tolerance", o.convergence_tolerance,
        "stop when the loss gains less than this over a tenth of the steps; 0: never");
}

template <class Options, class Visitor>
void visit_network_fields(Options& o, Visitor& visit) {
  visit("hidden_units", o.hidden_units, "units of each hidden layer");
  visit("activation", o.activation, "\"tanh\" or \"relu\"");
  visit("num_components", o.num_components, "K, Gaussian components of the final network");
  visit("variational", o.variational, "true: the Bayesian MDN-SVI; false: a plain MDN");
  visit("weight_precision", o.weight_precision, "lambda, precision of the weights' prior");
  visit("initial_log_std", o.initial_log_std, "start of the weights' log standard deviations");
}

template <class Options, class Visitor>
void visit_rounds_fields(Options& o, Visitor& visit) {
  visit("max_rounds", o.max_rounds, "the most rounds");
  visit("num_simulations", o.num_simulations, "simulations a round");
  visit("tolerance", o.tolerance,
        "stop when the proposal moves by less than this KL divergence; 0: always max_rounds");
  visit("widening", o.widening, "factor on the covariance of each proposal; 1: as in the paper");
  visit("weight_precision", o.weight_precision, "lambda of the rounds' network");
}

template <class Options, class Visitor>
void visit_pilot_fields(Options& o, Visitor& visit) {
  visit("scaling", o.scaling, "of the statistics: \"as-is\", \"normalise\" or \"whiten\"");
  visit("num_simulations", o.num_simulations,
        "prior simulations to learn the scale from; not used with \"as-is\", but for the distances "
        "of [method.abc]");
}

template <class Options, class Visitor>
void visit_auto_fields(Options& o, Visitor& visit) {
  visit("max_components", o.max_components, "of the largest mixture of the final fit");
  visit("network", o.network, "whether a network may be trained where mixtures do not suffice");
  visit("widening", o.widening, "factor on the covariance of each proposal; 0: 5^(2/D)");
  visit("tolerance", o.tolerance,
        "return the rest unspent when twice the simulations change the posterior by less than this "
        "KL divergence; 0: never");
  visit("earlier_budgets", o.earlier_budgets,
        "budgets spent before this one was granted; written by runs whose budget has grown");
}

template <class Options, class Visitor>
void visit_abc_fields(Options& o, Visitor& visit) {
  visit("distance", o.distance,
        "\"euclidean\"; \"std\" or \"mad\" (scaled by a pilot run's standard or median absolute "
        "deviations); \"mahalanobis\"");
  visit("adjust", o.adjust,
        "regression adjustment of what is accepted: \"none\", \"linear\" or "
        "\"neural\"");
}

template <class Options, class Visitor>
void visit_rejection_fields(Options& o, Visitor& visit) {
  visit("epsilon", o.epsilon, "accept what is no farther away; 0: the nearest, however far");
  visit("num_samples", o.num_samples,
        "the nearest so many; 0: as fraction says, or with an epsilon all within it");
  visit("fraction", o.fraction,
        "the nearest of all simulations, without the two above; 0: a hundredth, or 100 of them if "
        "that is more, but at most a tenth");
  visit("streaming", o.streaming,
        "choose while simulating: any number in little memory, only what is kept is recorded");
}

template <class Options, class Visitor>
void visit_mcmc_fields(Options& o, Visitor& visit) {
  visit("epsilon", o.epsilon, "accept what is no farther away; 0: what start_fraction reaches");
  visit("start_fraction", o.start_fraction, "of the start's simulations, to choose epsilon by");
  visit("start_simulations", o.start_simulations,
        "from the prior, to find starts; 0: a fifth of the budget");
  visit("num_chains", o.num_chains, "chains side by side; a step of all is one batch");
  visit("shape", o.shape, "of the steps: \"full\" (the chains' covariance) or \"spherical\"");
  visit("scale", o.scale, "of the steps; 0: tuned in the burn-in");
  visit("burn_in", o.burn_in, "share of the steps that the budget is sure to pay for, thrown away");
}

template <class Options, class Visitor>
void visit_smc_fields(Options& o, Visitor& visit) {
  visit("population", o.population,
        "accepted parameters of each; 0: a hundredth of the budget, 150 (or a quarter of it) to "
        "1000");
  visit("epsilon", o.epsilon, "stop when it is reached; 0: when another rule says so");
  visit("initial_epsilon", o.initial_epsilon, "of the first population; 0: chosen");
  visit("schedule", o.schedule,
        "of epsilon: \"quantile\" (of the accepted distances) or \"decay\"");
  visit("decay", o.decay, "factor on epsilon with \"decay\"");
  visit("quantile", o.quantile, "with \"quantile\"");
  visit("adaptive_weights", o.adaptive_weights,
        "perturb ancestors near the observation more often (Bonassi & West 2015)");
  visit("resample_below", o.resample_below,
        "resample when the effective size is below this share of the population");
  visit("max_populations", o.max_populations, "the most populations");
  visit("min_acceptance", o.min_acceptance, "stop when a smaller share of proposals is accepted");
  visit("max_seconds", o.max_seconds, "begin no population after these; 0: no limit");
}

/// The options of [method] itself; the nested groups follow in visit_infer_groups. `method` and
/// `seed` have keys of their own in a problem file.
template <class Options, class Visitor>
void visit_infer_fields(Options& o, Visitor& visit) {
  visit("num_simulations", o.num_simulations,
        "the whole budget of \"auto\", the ABC methods and \"synthetic-likelihood\"; else "
        "simulations "
        "for the final (or "
        "only) training");
  visit("standardise_parameters", o.standardise_parameters,
        "scale parameters by the prior's standard deviation before the network sees them");
  visit("min_weight", o.min_weight, "components below this weight are pruned");
  visit("replica_noise", o.replica_noise, "noise on the replicated components' means");
}

}  // namespace epsfree
