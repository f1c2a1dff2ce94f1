#include "io/run_summary.hpp"

#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>

#include "epsfree/version.hpp"
#include "io/json_reader.hpp"

namespace epsfree {
namespace {

using Json = nlohmann::ordered_json;  // keys in the order in which a person wants to read them

constexpr const char* kSummaryFormat = "epsfree-summary";
constexpr int kSummaryVersion = 1;

// A figure that does not apply.
Json loss_or_null(double value) { return std::isnan(value) ? Json() : Json(to_json(value)); }

Json counts_json(const SimulationCounts& counts) {
  Json object;
  object["total"] = counts.total();
  for (int s = 0; s < kNumSimStatuses; ++s) {
    object[to_string(static_cast<SimStatus>(s))] = counts[static_cast<SimStatus>(s)];
  }
  return object;
}

Json round_json(const RoundSummary& round) {
  Json object;
  object["phase"] = round.phase;
  object["round"] = round.round;
  object["simulations"] = counts_json(round.simulations);
  object["proposal_mass"] = to_json(round.proposal_mass);
  object["num_steps"] = round.training.num_steps;
  object["best_step"] = round.training.best_step;
  object["stopped_because"] = round.training.stopped_because;
  object["final_loss"] = to_json(round.training.final_loss);
  object["validation_loss"] = loss_or_null(round.training.validation_loss);
  object["diverged"] = round.training.diverged;
  object["effective_examples"] = to_json(round.effective_examples);
  object["tempering"] = to_json(round.tempering);
  Json stack = Json::array();
  for (const StackMember& member : round.stack) {
    stack.push_back({{"name", member.name}, {"weight", to_json(member.weight)}});
  }
  object["stack"] = std::move(stack);
  object["components_improper"] = round.components_improper;
  object["components_damped"] = round.components_damped;
  object["components_dropped"] = round.components_dropped;
  object["proposal_uncorrected"] = round.proposal_uncorrected;
  object["proposal_kept"] = round.proposal_kept;
  object["proposal_change"] = loss_or_null(round.proposal_change);
  if (round.epsilon > 0) {
    object["epsilon"] = to_json(round.epsilon);
    object["acceptance_rate"] = to_json(round.acceptance_rate);
    object["effective_size"] = to_json(round.effective_size);
  }
  const std::string of = round.phase == "round"   ? "proposal"
                         : round.phase == "final" ? "mixture"
                                                  : "sample";
  object[of + "_mean"] = to_json(round.mean);
  object[of + "_standard_deviation"] = to_json(round.standard_deviation);
  object["simulation_seconds"] = round.simulation_seconds;
  object["training_seconds"] = round.training.seconds;
  Json history = Json::array();
  for (const double loss : round.training.loss_history) history.push_back(Json(to_json(loss)));
  object["loss_history"] = std::move(history);
  return object;
}

Json recording_json(const RecordingSummary& recording) {
  Json object;
  object["policy"] = recording.policy;
  object["replayed"] = recording.num_replayed;
  object["simulated"] = recording.num_simulated;
  object["recorded"] = recording.num_recorded;
  object["recovered"] = recording.num_recovered < 0 ? Json() : Json(recording.num_recovered);
  object["note"] = recording.note();
  return object;
}

Json posterior_json(const PosteriorTable& table) {
  Json object;
  object["names"] = table.names;
  object["mean"] = to_json(table.mean);
  object["standard_deviation"] = to_json(table.standard_deviation);
  object["lower_95"] = to_json(table.lower);
  object["upper_95"] = to_json(table.upper);
  if (table.truth) object["truth"] = to_json(*table.truth);
  return object;
}

constexpr long kMostInSummary = std::numeric_limits<long>::max();

/// A figure that may not apply, or that an older version did not write.
double number_or(const JsonReader& from, const std::string& key, double otherwise) {
  return from.has(key) && !from.at(key).is_null() ? from.at(key).number() : otherwise;
}

long whole_or(const JsonReader& from, const std::string& key, long otherwise) {
  return from.has(key) ? from.at(key).integer(0, kMostInSummary) : otherwise;
}

bool flag_or(const JsonReader& from, const std::string& key) {
  return from.has(key) && from.at(key).boolean();
}

SimulationCounts read_counts(const JsonReader& from) {
  SimulationCounts counts;
  for (int s = 0; s < kNumSimStatuses; ++s) {
    counts.by_status[static_cast<std::size_t>(s)] =
        from.at(to_string(static_cast<SimStatus>(s))).integer(0, kMostInSummary);
  }
  return counts;
}

ChainSummary read_chains(const JsonReader& from) {
  ChainSummary chains;
  chains.num_chains = static_cast<int>(from.at("num_chains").integer(0, 1'000'000));
  chains.burn_in = from.at("burn_in").integer(0, kMostInSummary);
  chains.num_steps = from.at("num_steps").integer(0, kMostInSummary);
  chains.acceptance_rate = from.at("acceptance_rate").number();
  const Eigen::VectorXd rates = from.at("acceptance_rates").vector();
  chains.acceptance_rates.assign(rates.begin(), rates.end());
  if (from.has("rhat")) chains.rhat = from.at("rhat").vector();
  return chains;
}

RoundSummary read_round(const JsonReader& from) {
  constexpr double kUnknown = std::numeric_limits<double>::quiet_NaN();
  RoundSummary round;
  round.phase = from.at("phase").text();
  round.round = static_cast<int>(from.at("round").integer(0, 1'000'000'000));
  round.simulations = read_counts(from.at("simulations"));
  round.proposal_mass = number_or(from, "proposal_mass", 1);
  round.training.num_steps = whole_or(from, "num_steps", 0);
  round.training.best_step = whole_or(from, "best_step", 0);
  if (from.has("stopped_because")) {
    round.training.stopped_because = from.at("stopped_because").text();
  }
  round.training.final_loss = number_or(from, "final_loss", 0);
  round.training.validation_loss = number_or(from, "validation_loss", kUnknown);
  round.training.diverged = flag_or(from, "diverged");
  round.training.seconds = number_or(from, "training_seconds", 0);
  if (from.has("loss_history")) {
    const Eigen::VectorXd history = from.at("loss_history").vector();
    round.training.loss_history.assign(history.begin(), history.end());
  }
  round.effective_examples = number_or(from, "effective_examples", 0);
  round.tempering = number_or(from, "tempering", 1);
  if (from.has("stack")) {
    const JsonReader stack = from.at("stack");
    for (std::size_t i = 0; i < stack.size(); ++i) {
      round.stack.push_back({stack.at(i).at("name").text(), stack.at(i).at("weight").number()});
    }
  }
  round.components_improper = static_cast<int>(whole_or(from, "components_improper", 0));
  round.components_damped = static_cast<int>(whole_or(from, "components_damped", 0));
  round.components_dropped = static_cast<int>(whole_or(from, "components_dropped", 0));
  round.proposal_uncorrected = flag_or(from, "proposal_uncorrected");
  round.proposal_kept = flag_or(from, "proposal_kept");
  round.proposal_change = number_or(from, "proposal_change", kUnknown);
  round.epsilon = number_or(from, "epsilon", 0);
  round.acceptance_rate = number_or(from, "acceptance_rate", 0);
  round.effective_size = number_or(from, "effective_size", 0);
  round.simulation_seconds = number_or(from, "simulation_seconds", 0);
  for (const std::string of : {"proposal", "mixture", "sample"}) {
    if (!from.has(of + "_mean")) continue;
    round.mean = from.at(of + "_mean").vector();
    round.standard_deviation = from.at(of + "_standard_deviation").vector();
  }
  return round;
}

}  // namespace

PosteriorTable tabulate(const Posterior& posterior, const std::optional<Eigen::VectorXd>& truth) {
  PosteriorTable table;
  table.names = posterior.names();
  table.mean = posterior.mean();
  table.standard_deviation = posterior.standard_deviation();
  table.lower.resize(posterior.dim());
  table.upper.resize(posterior.dim());
  for (Index d = 0; d < posterior.dim(); ++d) {
    table.lower[d] = posterior.quantile(d, 0.025);
    table.upper[d] = posterior.quantile(d, 0.975);
  }
  table.truth = truth;
  return table;
}

std::string RecordingSummary::note() const {
  const long left_out = num_simulated - num_recorded;
  if (policy == "auto" && left_out > 0) {
    return std::to_string(left_out) +
           " simulations came faster than recording pays and were not recorded; run.record = "
           "\"always\" keeps them";
  }
  if (policy == "never" && num_simulated > 0) return "simulations were not recorded";
  return "";
}

std::string RunSummary::unspent() const {
  const long spent = inference.simulations.total();
  if (num_planned <= spent) return "";
  const std::string reason = inference.unspent_because.empty()
                                 ? "too few were left for another step"
                                 : inference.unspent_because;
  return std::to_string(num_planned - spent) + " of " + std::to_string(num_planned) +
         " simulations were not run: " + reason;
}

std::string summary_json(const RunSummary& summary) {
  const Summary& run = summary.inference;
  Json object;
  object["format"] = kSummaryFormat;
  object["version"] = kSummaryVersion;
  object["epsfree_version"] = version();
  object["kind"] = summary.kind;
  object["problem"] = summary.problem;
  object["model"] = summary.model;
  if (!summary.sources.empty()) object["sources"] = summary.sources;
  if (summary.combination) {
    object["combination"] = {{"exact", summary.combination->is_exact},
                             {"total_variation", to_json(summary.combination->total_variation)},
                             {"divergence", to_json(summary.combination->divergence)}};
  }
  object["method"] = run.method;
  object["seed"] = summary.kind == "combination" ? Json() : Json(run.seed);
  object["finished"] = run.finished;
  object["digest"] = summary.digest;
  object["simulations"] = counts_json(run.simulations);
  if (summary.recording.policy != "none") object["recording"] = recording_json(summary.recording);
  object["num_pilot_simulations"] = run.num_pilot_simulations;
  if (summary.num_planned > 0) {
    object["budget"] = {{"planned", summary.num_planned},
                        {"spent", run.simulations.total()},
                        {"unspent_because", run.unspent_because}};
  }
  object["posterior"] = posterior_json(summary.posterior);
  object["correction"] = run.correction;
  const bool has_effective_size =
      run.correction == "importance" || run.is_abc() || run.chains.num_chains > 0;
  object["effective_sample_size"] =
      has_effective_size ? loss_or_null(run.effective_sample_size) : Json();
  if (run.chains.num_chains > 0) {
    object["chains"] = {{"num_chains", run.chains.num_chains},
                        {"burn_in", run.chains.burn_in},
                        {"num_steps", run.chains.num_steps},
                        {"acceptance_rate", to_json(run.chains.acceptance_rate)},
                        {"acceptance_rates", run.chains.acceptance_rates},
                        {"rhat", to_json(run.chains.rhat)}};
  }
  object["epsilon"] = run.is_abc() ? to_json(run.epsilon) : nlohmann::json();
  object["adjustment"] = run.adjustment.empty() ? nlohmann::json() : nlohmann::json(run.adjustment);
  object["blur"] = std::isnan(run.blur) ? nlohmann::json() : to_json(run.blur);
  if (!std::isnan(run.expected_change)) object["expected_change"] = to_json(run.expected_change);
  object["mass_on_support"] = to_json(run.mass_on_support);
  object["mass_on_support_error"] = to_json(run.mass_on_support_error);
  object["proposal_converged"] = run.proposal_converged;
  object["num_threads"] = summary.num_threads == 0 ? Json() : Json(summary.num_threads);
  object["seconds"] = {{"total", run.total_seconds},
                       {"simulation", run.simulation_seconds},
                       {"training", run.training_seconds}};
  if (run.dropped_low.size() > 0) {
    object["dropped_parameters"] = {{"quantile_05", to_json(run.dropped_low)},
                                    {"quantile_95", to_json(run.dropped_high)}};
  }
  if (run.faults.failed_mean.size() > 0) {
    object["failed_parameters"] = {
        {"failed_mean", to_json(run.faults.failed_mean)},
        {"failed_standard_deviation", to_json(run.faults.failed_deviation)},
        {"successful_mean", to_json(run.faults.successful_mean)},
        {"successful_standard_deviation", to_json(run.faults.successful_deviation)}};
  }
  object["warnings"] = run.warnings;
  Json rounds = Json::array();
  for (const RoundSummary& round : run.rounds) rounds.push_back(round_json(round));
  object["rounds"] = std::move(rounds);
  return object.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

RunSummary parse_summary(const std::string& text, const std::string& source) {
  const nlohmann::json object = JsonReader::parse(text, source, kSummaryFormat, kSummaryVersion);
  const JsonReader root(object, source);
  RunSummary summary;
  summary.version = root.at("epsfree_version").text();
  summary.kind = root.at("kind").text();
  summary.problem = root.at("problem").text();
  summary.model = root.at("model").text();
  if (root.has("sources")) summary.sources = root.at("sources").texts();
  if (root.has("combination")) {
    const JsonReader combination = root.at("combination");
    summary.combination = {combination.at("exact").boolean(),
                           combination.at("total_variation").number(),
                           combination.at("divergence").number()};
  }
  summary.digest = root.at("digest").text();
  if (!object.value("num_threads", nlohmann::json()).is_null()) {
    summary.num_threads = static_cast<int>(root.at("num_threads").integer(0, 1000000));
  }
  if (root.has("recording")) {
    const JsonReader recording = root.at("recording");
    summary.recording.policy = recording.at("policy").text();
    summary.recording.num_replayed = recording.at("replayed").integer(0, kMostInSummary);
    summary.recording.num_simulated = recording.at("simulated").integer(0, kMostInSummary);
    summary.recording.num_recorded = recording.at("recorded").integer(0, kMostInSummary);
  }
  Summary& run = summary.inference;
  run.method = root.at("method").text();
  if (!object.value("seed", nlohmann::json()).is_null()) {
    run.seed = static_cast<std::uint64_t>(root.at("seed").integer(0, kMostInSummary));
  }
  run.finished = root.at("finished").boolean();
  run.simulations = read_counts(root.at("simulations"));
  run.num_pilot_simulations = root.at("num_pilot_simulations").integer(0, kMostInSummary);
  if (root.has("budget")) {
    const JsonReader budget = root.at("budget");
    summary.num_planned = budget.at("planned").integer(0, kMostInSummary);
    run.unspent_because = budget.at("unspent_because").text();
  }
  run.correction = root.at("correction").text();
  run.mass_on_support = root.at("mass_on_support").number();
  run.mass_on_support_error = number_or(root, "mass_on_support_error", 0);
  run.effective_sample_size = number_or(root, "effective_sample_size", 0);
  run.epsilon = number_or(root, "epsilon", 0);
  run.blur = number_or(root, "blur", NAN);
  run.expected_change = number_or(root, "expected_change", NAN);
  if (root.has("adjustment") && !root.at("adjustment").is_null()) {
    run.adjustment = root.at("adjustment").text();
  }
  if (root.has("chains")) run.chains = read_chains(root.at("chains"));
  if (root.has("dropped_parameters")) {
    run.dropped_low = root.at("dropped_parameters").at("quantile_05").vector();
    run.dropped_high = root.at("dropped_parameters").at("quantile_95").vector();
  }
  if (root.has("failed_parameters")) {
    const JsonReader faults = root.at("failed_parameters");
    run.faults.failed_mean = faults.at("failed_mean").vector();
    const Index dim = run.faults.failed_mean.size();
    run.faults.failed_deviation = faults.at("failed_standard_deviation").vector(dim);
    run.faults.successful_mean = faults.at("successful_mean").vector(dim);
    run.faults.successful_deviation = faults.at("successful_standard_deviation").vector(dim);
  }
  const JsonReader rounds = root.at("rounds");
  for (std::size_t i = 0; i < rounds.size(); ++i) run.rounds.push_back(read_round(rounds.at(i)));
  run.proposal_converged = root.at("proposal_converged").boolean();
  run.total_seconds = root.at("seconds").at("total").number();
  run.simulation_seconds = root.at("seconds").at("simulation").number();
  run.training_seconds = root.at("seconds").at("training").number();
  run.warnings = root.at("warnings").texts();
  const JsonReader posterior = root.at("posterior");
  PosteriorTable& table = summary.posterior;
  table.names = posterior.at("names").texts();
  const auto dim = static_cast<Index>(table.names.size());
  table.mean = posterior.at("mean").vector(dim);
  table.standard_deviation = posterior.at("standard_deviation").vector(dim);
  table.lower = posterior.at("lower_95").vector(dim);
  table.upper = posterior.at("upper_95").vector(dim);
  if (posterior.has("truth")) table.truth = posterior.at("truth").vector(dim);
  return summary;
}

}  // namespace epsfree
