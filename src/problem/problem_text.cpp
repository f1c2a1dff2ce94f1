// Writing problem files: the resolved one of a run, and one to start from.
#include <algorithm>

#include "base/words.hpp"
#include "epsfree/models.hpp"
#include "epsfree/version.hpp"
#include "infer/mdn/mdn_options.hpp"
#include "io/number_text.hpp"
#include "io/prior_json.hpp"
#include "prob/priors/marginal_factory.hpp"
#include "problem/method_file.hpp"
#include "problem/paper_budget.hpp"
#include "problem/problem_file.hpp"

namespace epsfree {
namespace {

std::string array_toml(const Eigen::VectorXd& values) {
  return "[" + joined(values, ", ", toml_number) + "]";
}

// A comment must stay one.
std::string one_line(std::string text) {
  for (char& c : text) {
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) c = '?';
  }
  return text;
}

// One comment line per family: `#   gamma: shape, rate`.
std::string families_comment() {
  std::string text;
  for (const Family family : all_families()) {
    text += "#   " + family_name(family) + ": " + joined(family_parameter_names(family)) + "\n";
  }
  return text;
}

// The library's models know their statistics on one scale only.
bool has_normalised_statistics(const Model& model) {
  for (const std::string& name : model.statistic_names()) {
    if (name.rfind("normalised_", 0) == 0 || name.rfind("whitened_", 0) == 0) return true;
  }
  return false;
}

TrainingOptions cosine(long steps, int batch, double rate) {
  TrainingOptions training;
  training.num_steps = steps;
  training.batch_size = batch;
  training.learning_rate = rate;
  training.schedule = Schedule::cosine;
  return training;
}

}  // namespace

std::string resolved_toml(const ProblemSpec& spec) {
  std::string text = "# The resolved problem of an epsfree " + std::string(version()) +
                     " run: `epsfree run` on this file repeats it, bit for bit.\n";
  text += "name = " + toml_quote(spec.name) + "\n";
  text += "seed = " + std::to_string(spec.options.seed) + "\n";
  text += "\n" + simulator_toml(spec.simulator) + "\n";
  if (spec.prior_table) {
    text += table_toml(*spec.prior_table, "prior");
  } else {
    text += "# prior: the model's own, " + prior_to_json(*spec.problem.prior).dump() + "\n";
  }
  if (spec.problem.observed.size() > 0) {
    text += "\n[observed]  # " + one_line(spec.observed_note) + "\n";
    text += "values = " + array_toml(spec.problem.observed) + "\n";
    if (spec.problem.truth) text += "truth = " + array_toml(*spec.problem.truth) + "\n";
  }
  return text + "\n" + method_toml(spec.options, false) + reuse_toml(spec.reuse) + "\n" +
         run_toml(spec.run, false);
}

namespace {

/// Settings of the paper's strategies for a model; no other method needs any.
struct NetworkStart {
  std::vector<int> hidden_units = {50};
  int num_components = 1;
  double weight_precision = NetworkOptions{}.weight_precision;
  double min_weight = 1e-3;
  bool standardise_parameters = true;
  // A decaying learning rate reaches in a few thousand steps what a constant one does not reach in
  // a hundred thousand.
  TrainingOptions training = cosine(5000, 100, 5e-3);
  int max_rounds = 4;
  Index per_round = 500;
  Index final = 2000;
};

NetworkStart network_start(const std::string& model_name) {
  NetworkStart start;
  if (model_name == "mixture") {
    // One Gaussian cannot hold both scales of this posterior: a second round would only narrow it.
    start.max_rounds = 1;
    start.per_round = 200;
    start.training.num_steps = 10000;
    start.hidden_units = {20};
    start.num_components = 2;
  } else if (model_name == "linear-regression") {
    start.per_round = 200;
  } else if (model_name == "lotka-volterra") {
    start.hidden_units = {20};
  } else if (model_name == "mg1-queue") {
    start.max_rounds = 6;
    start.per_round = 400;
    start.final = 5000;
    start.num_components = 8;
    start.weight_precision = 0.1;
    start.min_weight = 1e-6;
    start.standardise_parameters = false;  // the prior is far wider than the posterior
  }
  return start;
}

}  // namespace

InferOptions starter_options(const std::string& model_name, const std::string& method) {
  const NetworkStart start = network_start(model_name);
  InferOptions options{.method = method_by_name(method), .num_simulations = start.final};
  leave_statistics_as_they_are(options.method);
  std::visit(
      [&]<class Options>(Options& o) {
        if constexpr (requires { o.min_weight; }) {
          o.network.hidden_units = start.hidden_units;
          o.network.num_components = start.num_components;
          o.network.weight_precision = start.weight_precision;
          o.min_weight = start.min_weight;
          o.standardise_parameters = start.standardise_parameters;
          if constexpr (requires { o.training; }) {
            o.training = start.training;
          } else {
            options.num_simulations = 0;
          }
          if constexpr (requires { o.rounds; }) {
            o.rounds.max_rounds = start.max_rounds;
            o.rounds.num_simulations = start.per_round;
            o.rounds.tolerance = 0;
            o.rounds.training = cosine(3000, 100, 1e-2);
            options.num_simulations += start.max_rounds * start.per_round;
          }
        }
      },
      options.method);
  return options;
}

std::string starter_toml(const std::string& model_name, const std::string& method) {
  const std::shared_ptr<const Model> chosen = model(model_name);
  const std::string name = chosen->name();
  const std::string others =
      joined(models(), ", ", [](const auto& known) { return known->name(); });
  const std::string file = name + ".toml";
  std::string text;
  text += "# " + one_line(chosen->description()) + "\n";
  text += "#\n";
  text += "#   epsfree run " + file + "             infer the posterior\n";
  text += "#   epsfree run " + file + " --dry-run   check this file and show what would run\n";
  text += "#\n";
  text +=
      "# Only simulator.model is needed. What is left out takes the library's default, which may "
      "not\n";
  text +=
      "# be what stands here; --dry-run shows what applies. docs/problem-files.md lists every "
      "key.\n";
  text += "\n";
  text += "# name = " + toml_quote(name) +
          "  # names the run directory, runs/<name>; default: this file's name\n";
  text += "seed = 1  # the same seed gives the same posterior, bit for bit\n";
  text += "\n[simulator]\n";
  text += "model = " + toml_quote(name) + "  # built in: " + others + "\n";
  text += "# parameters: " + one_line(joined(chosen->parameter_names())) + "\n";
  text += "# statistics: " + one_line(joined(chosen->statistic_names())) + "\n";
  if (has_normalised_statistics(*chosen)) {
    text +=
        "# They are scaled with constants of the authors' pilot run: raw statistics do not fit "
        "here.\n";
  }
  text += "\n[observed]\n";
  text += "# Nothing here: the observation of the paper. Or one of:\n";
  text += "# values = " + array_toml(chosen->default_observed()) + "\n";
  text += "# file = \"observed.csv\"  # CSV or a JSON array; relative to this file\n";
  text += "# observe_seed = 7       # draw parameters from the prior and simulate them\n";
  text +=
      "# And, if they are known, the parameters behind it, only to be shown beside the result:\n";
  text += "# truth = " + array_toml(chosen->default_truth()) + "\n";
  const std::string parameter = chosen->parameter_names().front();
  text += "\n# [prior]  # nothing here: the model's own. Or, with one table per parameter:\n";
  text += "# kind = \"independent\"  # or \"gaussian\", or \"linear-image\"\n";
  text += "# [[prior.parameter]]\n";
  text += "# name = " + toml_quote(parameter) + "\n";
  text += "# family = \"uniform\"\n# low = -1.0\n# high = 1.0\n";
  text += "# Families and their numbers:\n" + families_comment();
  text +=
      "# \"gaussian\" takes mean and either covariance (rows) or std, \"linear-image\" matrix, "
      "shift and\n";
  text +=
      "# a table [prior.base] with the prior of u in theta = matrix u + shift; both may take "
      "names.\n";
  if (method != "auto") {
    return text + "\n" + method_toml(starter_options(name, method), true);
  }
  text += "\n[method]\n";
  text += "name = \"auto\"           # chooses its settings from the data\n";
  std::string budget = "num_simulations = " + std::to_string(paper_budget(name));
  budget.resize(std::max<std::size_t>(budget.size(), 22), ' ');
  text += budget + "  # every call of the simulator; with a tenth of it the answer is rougher\n";
  text +=
      "# The paper's own strategies are \"mdn-with-prior\", \"proposal-prior\" and "
      "\"mdn-with-proposal\",\n# the methods it compares with \"rejection-abc\", \"mcmc-abc\" and "
      "\"smc-abc\":\n#   epsfree init " +
      name + " --method mdn-with-proposal\n";
  return text;
}

}  // namespace epsfree
