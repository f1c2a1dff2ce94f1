#include "paper/paper_plan.hpp"

#include <algorithm>
#include <map>

#include "epsfree/error.hpp"
#include "paper/paper_texts.hpp"
#include "problem/method_file.hpp"
#include "problem/paper_budget.hpp"
#include "problem/problem_file.hpp"

namespace epsfree {
namespace {

/// The quick form makes so many times fewer steps of the long trainings.
constexpr long kFewerSteps = 10;
constexpr long kEnoughSteps = 20000;  ///< and no fewer than these

/// What classical ABC is run with: budgets of rejection, of which the nearest thousand are kept,
/// and the epsilons of chains and populations.
struct RivalSettings {
  std::vector<double> budgets;
  std::vector<double> epsilons;
  Index start = 0;  ///< simulations that find the starts of chains
};

RivalSettings rival_settings(const std::string& model_name, bool full) {
  RivalSettings settings;
  if (model_name == "linear-regression") {
    settings = {{1e4, 1e5, 1e6, 1e7}, {4, 2, 1, 0.7, 0.5, 0.4, 0.3}, full ? 20000000 : 2000000};
    if (full) {
      settings.budgets = {1e4, 3e4, 1e5, 3e5, 1e6, 3e6, 1e7, 3e7, 1e8};
      settings.epsilons = {4, 3, 2, 1.4, 1, 0.85, 0.7, 0.6, 0.5, 0.4, 0.35, 0.3, 0.25};
    }
  } else if (model_name == "lotka-volterra") {
    settings = {{1e4, 1e5, 1e6}, {4, 2, 1, 0.5, 0.3}, full ? 2000000 : 200000};
    if (full) {
      settings.budgets = {1e4, 3e4, 1e5, 3e5, 1e6, 3e6, 1e7};
      settings.epsilons = {8, 4, 2.8, 2, 1.4, 1, 0.7, 0.5, 0.3, 0.2, 0.15};
    }
  } else if (model_name == "mg1-queue") {
    settings = {{1e4, 1e5, 1e6, 1e7}, {0.5, 0.2, 0.1, 0.05, 0.02, 0.01}, full ? 20000000 : 2000000};
    if (full) {
      settings.budgets = {1e4, 3e4, 1e5, 3e5, 1e6, 3e6, 1e7, 3e7, 1e8};
      settings.epsilons = {0.5, 0.3, 0.2, 0.1, 0.07, 0.05, 0.03, 0.02, 0.015, 0.01, 0.007, 0.005};
    }
  }
  return settings;
}

InferOptions rival_options(const std::string& method, double setting, Index start, bool full) {
  InferOptions options;
  if (method == "rejection-abc") {
    options.num_simulations = static_cast<Index>(setting);
    options.method = RejectionOptions{.num_samples = 1000, .streaming = true};
  } else if (method == "mcmc-abc") {
    // The paper's: a spherical step, begun at what a long run of rejection finds.
    options.num_simulations = start + (full ? 400000 : 100000);
    options.method = McmcOptions{.epsilon = setting,
                                 .start_simulations = start,
                                 .num_chains = 16,
                                 .shape = StepShape::spherical};
  } else {
    // "A very long run".
    options.num_simulations = full ? 100000000 : 10000000;
    options.method = SmcOptions{.population = full ? 5000 : 1000,
                                .epsilon = setting,
                                .schedule = EpsilonSchedule::decay,
                                .decay = 0.8,
                                .min_acceptance = 1e-5};
  }
  return options;
}

/// The final network of either strategy.
NetworkOptions& network_of(InferOptions& options) {
  if (auto* with_prior = std::get_if<MdnWithPriorOptions>(&options.method)) {
    return with_prior->network;
  }
  return std::get<MdnWithProposalOptions>(options.method).network;
}

class Planner {
 public:
  Planner(std::string model_name, const PaperScale& scale)
      : model_(std::move(model_name)), scale_(scale) {}

  void add(PaperTopic topic, const std::string& method, double setting,
           const InferOptions& options) {
    for (int i = 0; i < scale_.num_seeds(); ++i) {
      PaperPart part{.model = model_,
                     .topic = topic,
                     .method = method,
                     .setting = setting,
                     .options = options};
      part.options.seed = scale_.seed + static_cast<std::uint64_t>(i);
      part.options.validate();
      parts_.push_back(std::move(part));
    }
  }

  void add_strategies() {
    for (const std::string& strategy : paper_strategies()) {
      add(PaperTopic::figure, strategy, 0, paper_options(model_, strategy, scale_));
    }
    InferOptions own;
    own.num_simulations = paper_budget(model_);
    add(PaperTopic::figure, method_name(own.method), 0, own);
  }

  void add_rivals() {
    const RivalSettings settings = rival_settings(model_, scale_.full);
    for (const std::string& method : paper_rivals()) {
      const auto& values = method == "rejection-abc" ? settings.budgets : settings.epsilons;
      for (const double value : values) {
        add(PaperTopic::figure, method, value,
            rival_options(method, value, settings.start, scale_.full));
      }
    }
  }

  /// Claim 1: as many rounds as it takes for the proposal to stand still.
  void add_rounds() {
    InferOptions options = paper_options(model_, "proposal-prior", scale_);
    RoundsOptions& rounds = std::get<ProposalPriorOptions>(options.method).rounds;
    rounds.max_rounds = 12;
    rounds.tolerance = RoundsOptions{}.tolerance;
    options.num_simulations = rounds.max_rounds * rounds.num_simulations;
    add(PaperTopic::rounds, "proposal-prior", 0, options);
  }

  /// Claims 8 and 13.
  void add_components(const std::vector<int>& counts) {
    for (const int count : counts) {
      InferOptions options = paper_options(model_, "mdn-with-proposal", scale_);
      std::get<MdnWithProposalOptions>(options.method).network.num_components = count;
      add(PaperTopic::components, "mdn-with-proposal", count, options);
    }
  }

  /// Claim 10.
  void add_layers() {
    const std::vector<std::vector<int>> shapes = {{5}, {15}, {50}, {50, 50}};
    for (const char* strategy : {"mdn-with-prior", "mdn-with-proposal"}) {
      for (const std::vector<int>& shape : shapes) {
        InferOptions options = paper_options(model_, strategy, scale_);
        network_of(options).hidden_units = shape;
        double units = 0;
        for (const int each : shape) units += each;
        add(PaperTopic::layers, strategy, units, options);
      }
    }
  }

  /// Claim 11: 200 simulations from the prior, trained short and long, without validation.
  void add_overfitting() {
    for (const bool variational : {false, true}) {
      for (const long steps : {1000L, 10000L, 100000L}) {
        InferOptions options = paper_options(model_, "mdn-with-prior", scale_);
        options.num_simulations = 200;
        InferOptions other = paper_options(model_, "mdn-with-proposal", scale_);
        auto& plain = std::get<MdnWithPriorOptions>(options.method);
        plain.network = network_of(other);
        plain.network.variational = variational;
        plain.training.num_steps = steps;
        plain.training.validation_fraction = 0;
        plain.training.schedule = Schedule::constant;
        plain.training.learning_rate = 1e-3;
        add(PaperTopic::overfitting, variational ? "variational" : "plain",
            static_cast<double>(steps), options);
      }
    }
  }

  std::vector<PaperPart> take() { return std::move(parts_); }

 private:
  std::string model_;
  PaperScale scale_;
  std::vector<PaperPart> parts_;
};

}  // namespace

std::string PaperScale::describe() const {
  if (full) return "";
  return "This is the quick form: " + std::to_string(num_seeds()) +
         " seeds instead of 5, a tenth of the authors' steps in the long trainings, fewer and "
         "larger values of ε, smaller populations and shorter chains. epsfree paper --full makes "
         "it with the authors' settings.";
}

const std::vector<std::string>& paper_strategies() {
  static const std::vector<std::string> names = {"mdn-with-prior", "proposal-prior",
                                                 "mdn-with-proposal"};
  return names;
}

const std::vector<std::string>& paper_rivals() {
  static const std::vector<std::string> names = {"rejection-abc", "mcmc-abc", "smc-abc"};
  return names;
}

const std::vector<std::string>& neural_methods() {
  static const std::vector<std::string> names = {"mdn-with-prior", "proposal-prior",
                                                 "mdn-with-proposal", "auto"};
  return names;
}

InferOptions paper_options(const std::string& model_name, const std::string& strategy,
                           const PaperScale& scale) {
  const std::string name = model_name + "-" + strategy + ".toml";
  InferOptions options = parse_problem(paper_text(name), name).options;
  std::visit(
      [&]<class Options>(Options& o) {
        if constexpr (requires { o.training; }) {
          if (scale.full) return;
          o.training.num_steps = std::min(
              o.training.num_steps, std::max(o.training.num_steps / kFewerSteps, kEnoughSteps));
        }
      },
      options.method);
  return options;
}

std::vector<PaperPart> plan_paper(const std::string& model_name, const PaperScale& scale) {
  Planner planner(model_name, scale);
  planner.add_strategies();
  planner.add_rivals();
  planner.add_rounds();
  if (model_name == "lotka-volterra") {
    planner.add_components({2, 8});
    planner.add_layers();
  }
  if (model_name == "mg1-queue") planner.add_components({1, 2, 4, 16});
  if (model_name == "linear-regression") planner.add_overfitting();
  return planner.take();
}

}  // namespace epsfree
