// The options of [method] as a problem file groups them. Names and help come from
// infer/option_fields.hpp; here is only how groups nest and how enumerations are spelt.
#pragma once

#include <string>
#include <vector>

#include "epsfree/infer.hpp"
#include "infer/option_fields.hpp"

namespace epsfree {

template <class Enum>
const std::vector<Enum>& enum_values();
template <>
inline const std::vector<Schedule>& enum_values() {
  static const std::vector<Schedule> values = {Schedule::constant, Schedule::cosine};
  return values;
}
template <>
inline const std::vector<Activation>& enum_values() {
  static const std::vector<Activation> values = {Activation::tanh, Activation::relu};
  return values;
}
template <>
inline const std::vector<Scaling>& enum_values() {
  static const std::vector<Scaling> values = {Scaling::as_is, Scaling::normalise, Scaling::whiten};
  return values;
}
template <>
inline const std::vector<Method>& enum_values() {
  static const std::vector<Method> values = {Method::automatic,      Method::mdn_with_prior,
                                             Method::proposal_prior, Method::mdn_with_proposal,
                                             Method::rejection_abc,  Method::mcmc_abc,
                                             Method::smc_abc,        Method::synthetic_likelihood};
  return values;
}
template <>
inline const std::vector<DistanceKind>& enum_values() {
  static const std::vector<DistanceKind> values = {
      DistanceKind::euclidean, DistanceKind::standard_deviation,
      DistanceKind::median_absolute_deviation, DistanceKind::mahalanobis};
  return values;
}
template <>
inline const std::vector<Adjustment>& enum_values() {
  static const std::vector<Adjustment> values = {Adjustment::none, Adjustment::linear,
                                                 Adjustment::neural};
  return values;
}
template <>
inline const std::vector<StepShape>& enum_values() {
  static const std::vector<StepShape> values = {StepShape::spherical, StepShape::full};
  return values;
}
template <>
inline const std::vector<EpsilonSchedule>& enum_values() {
  static const std::vector<EpsilonSchedule> values = {EpsilonSchedule::decay,
                                                      EpsilonSchedule::quantile};
  return values;
}
template <>
inline const std::vector<SyntheticLikelihood>& enum_values() {
  static const std::vector<SyntheticLikelihood> values = {SyntheticLikelihood::gaussian,
                                                          SyntheticLikelihood::mixture,
                                                          SyntheticLikelihood::gaussian_process};
  return values;
}

/// How each value is spelt in files, in order.
template <class Enum>
std::vector<std::string> enum_names() {
  std::vector<std::string> names;
  for (const Enum value : enum_values<Enum>()) names.push_back(to_string(value));
  return names;
}

/// Calls visit.group(path, help) before the fields of each group, the outer one (path "") first.
template <class Options, class Visitor>
void visit_method_options(Options& o, Visitor& visit) {
  visit.group("", "");
  visit_infer_fields(o, visit);
  visit.group("auto", "the default method; it needs no settings");
  visit_auto_fields(o.automatic, visit);
  visit.group("abc", "what rejection-abc, mcmc-abc and smc-abc share");
  visit_abc_fields(o.abc, visit);
  visit.group("rejection", "rejection-abc");
  visit_rejection_fields(o.rejection, visit);
  visit.group("mcmc", "mcmc-abc");
  visit_mcmc_fields(o.mcmc, visit);
  visit.group("smc", "smc-abc");
  visit_smc_fields(o.smc, visit);
  visit.group("network", "the mixture density network");
  visit_network_fields(o.network, visit);
  visit.group("training", "the final (or only) training");
  visit_training_fields(o.training, visit);
  visit.group("rounds", "Algorithm 1: rounds that learn where to simulate");
  visit_rounds_fields(o.rounds, visit);
  visit.group("rounds.training", "the training of each round");
  visit_training_fields(o.rounds.training, visit);
  visit.group("pilot", "prior simulations that set the scale of the statistics");
  visit_pilot_fields(o.pilot, visit);
  visit.group("synthetic", "the synthetic likelihood");
  visit_synthetic_fields(o.synthetic, visit);
}

}  // namespace epsfree
