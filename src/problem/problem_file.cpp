#include "problem/problem_file.hpp"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <limits>

#include "base/file.hpp"
#include "base/numbered_names.hpp"
#include "epsfree/error.hpp"
#include "epsfree/models.hpp"
#include "io/number_text.hpp"
#include "io/section.hpp"
#include "problem/method_file.hpp"
#include "problem/observed_file.hpp"
#include "problem/prior_file.hpp"

namespace epsfree {
namespace {

constexpr std::int64_t kLargestSeed = std::numeric_limits<std::int64_t>::max();

void apply_overrides(Node& root, const ProblemOverrides& overrides) {
  for (const std::string& assignment : overrides.assignments) {
    merge(root, parse_assignment(assignment));
  }
  if (overrides.seed) {
    const std::string value = std::to_string(*overrides.seed);
    merge(root, parse_toml("seed = " + value, "--seed " + value, false));
  }
  for (const auto& [key, value] : overrides.run) {
    std::string option = "--" + key;
    std::replace(option.begin(), option.end(), '_', '-');
    merge(root, parse_toml("[run]\n" + key + " = " + value, option + " " + value, false));
  }
  if (overrides.observed_file && overrides.observe_seed) {
    throw Error(ErrorKind::usage, "--observed and --observe-seed exclude each other");
  }
  std::string text, source;
  if (overrides.observed_file) {
    text = "file = " + toml_quote(*overrides.observed_file);
    source = "--observed " + *overrides.observed_file;
  } else if (overrides.observe_seed) {
    text = "observe_seed = " + std::to_string(*overrides.observe_seed);
    source = "--observe-seed " + std::to_string(*overrides.observe_seed);
  } else {
    return;
  }
  // What the file says about its own observation no longer holds.
  std::erase_if(root.entries(), [](const auto& entry) { return entry.key == "observed"; });
  merge(root, parse_toml("[observed]\n" + text, source, false));
}

void check_size(const Section& section, const std::string& key, Index got, Index expected,
                const std::string& of) {
  if (got == expected) return;
  section.fail(key, "got " + std::to_string(got) + " numbers, expected " +
                        std::to_string(expected) + " (" + of + ")");
}

/// The observation in a file. A command that needs none goes on without one: the file may be what
/// it is about to write.
void read_observed_file(const Section& section, const std::string& file, bool is_needed,
                        ProblemSpec& spec) {
  const std::string path = resolved_path(file, section.where("file"), spec.source);
  spec.problem.truth.reset();
  spec.observed_note = "read from " + path;
  try {
    if (!is_needed && is_missing_or_blank(path)) {
      spec.problem.observed.resize(0);
    } else {
      spec.problem.observed = read_observation(path, spec.statistic_names);
    }
  } catch (const Error& error) {
    const std::string message =
        section.where("file") + ": key '" + section.full_key("file") + "': " + error.what();
    if (is_needed) throw Error(error.kind(), message);
    spec.problem.observed.resize(0);
    spec.observed_fault = message;
  }
}

void read_observed(Section& section, const ProblemOverrides& overrides, ProblemSpec& spec) {
  Problem& problem = spec.problem;
  const Model* const model = spec.simulator.model.get();
  section.expect_only({"values", "file", "observe_seed", "truth"});
  const auto values = section.vector("values");
  const auto file = section.text("file");
  const auto observe_seed = section.integer("observe_seed", 0, kLargestSeed);
  const auto truth = section.vector("truth");
  if (int{values.has_value()} + int{file.has_value()} + int{observe_seed.has_value()} > 1) {
    section.fail("expected at most one of 'values', 'file' and 'observe_seed'");
  }
  if (values) {
    check_size(section, "values", values->size(), spec.simulator.num_statistics(),
               "the statistics of " + spec.model);
    problem.observed = *values;
    problem.truth.reset();
    spec.observed_note = "as given in " + spec.source;
  } else if (file) {
    if (!overrides.may_name_observed_file) {
      section.fail("file", "is not for the run.toml of a run directory, which holds the values");
    }
    read_observed_file(section, *file, overrides.needs_observed, spec);
  } else if (observe_seed) {
    if (model == nullptr) {
      section.fail("observe_seed",
                   "is for built-in models; to try a simulator of your own on made-up data, put "
                   "what `epsfree simulate " +
                       spec.source + "` prints into a file and give it as 'file'");
    }
    if (spec.prior_table) {
      section.fail("observe_seed",
                   "cannot be used with a [prior] of its own: observations are drawn from the "
                   "model's prior");
    }
    const Problem drawn = model->problem(static_cast<std::uint64_t>(*observe_seed));
    problem.observed = drawn.observed;
    problem.truth = drawn.truth;
    spec.observed_note = "drawn with observe_seed " + std::to_string(*observe_seed);
  } else if (model != nullptr) {
    spec.observed_note = "the one of the paper";
  }
  if (truth) {
    check_size(section, "truth", truth->size(), problem.prior->dim(),
               "the parameters of " + spec.model);
    problem.truth = *truth;
  }
}

bool says_what_was_observed(const Section& observed) {
  return observed.has("values") || observed.has("file") || observed.has("observe_seed");
}

// A built-in model comes with a prior and an observation; the user's own simulator does not.
void require_tables(const SimulatorSpec& simulator, const Section& prior, const Section& observed,
                    bool needs_observed) {
  const auto missing = [&](const std::string& key, const std::string& expected) {
    const std::string where = simulator.place.substr(0, simulator.place.find(": key '"));
    fail_at(where, key, "missing; a simulator of your own needs " + expected);
  };
  if (!prior.present()) {
    missing("prior",
            "a table [prior] with kind = \"independent\", and below it a table [[prior.parameter]] "
            "with name, family, low and high for each parameter (docs/problem-files.md)");
  }
  if (needs_observed && !says_what_was_observed(observed)) {
    missing("observed", "a table [observed] with values = [...] or file = \"data.csv\": the " +
                            std::to_string(simulator.num_statistics()) +
                            " statistics of your data, as the simulator gives them");
  }
}

std::string default_name(const std::string& source) {
  const std::string stem = std::filesystem::path(source).stem().string();
  return stem.empty() ? "problem" : stem;
}

void check(const ProblemSpec& spec) {
  try {
    spec.problem.validate();
  } catch (const Error& error) {
    throw Error(error.kind(), spec.source + ": " + error.what());
  }
}

void check_name(const Section& root, const std::string& name) {
  // It becomes the name of a folder.
  if (name.empty() || name == "." || name == ".." || name.find('/') != std::string::npos ||
      has_control_character(name)) {
    root.fail("name", "got " + toml_quote(name) + ", expected a name without '/', on one line");
  }
}

}  // namespace

ProblemSpec parse_problem(const std::string& text, const std::string& source,
                          const ProblemOverrides& overrides) {
  Node document = parse_toml(text, source);
  apply_overrides(document, overrides);
  Section root(document);
  ProblemSpec spec;
  spec.source = source;
  spec.name = root.text("name").value_or(default_name(source));
  check_name(root, spec.name);

  const auto seed = root.integer("seed", 0, kLargestSeed);
  spec.options.seed = static_cast<std::uint64_t>(seed.value_or(1));
  Section simulator = root.section("simulator");
  Section prior = root.section("prior");
  Section observed = root.section("observed");
  Section method = root.section("method");
  Section run = root.section("run");
  Section reuse = root.section("reuse");
  root.finish();

  if (!simulator.present()) {
    root.fail_missing(
        "simulator", "a table [simulator] with 'model', 'command', 'worker', 'python' or 'plugin'");
  }
  spec.simulator = read_simulator(simulator, source);
  spec.model = spec.simulator.label;
  spec.statistic_names = spec.simulator.statistic_names;
  const bool is_built_in = spec.simulator.model != nullptr;
  if (is_built_in) {
    spec.problem = spec.simulator.model->problem();
  } else {
    require_tables(spec.simulator, prior, observed, overrides.needs_observed);
  }

  if (prior.present()) {
    NamedPrior named = read_prior(prior);
    if (is_built_in && named.prior->dim() != spec.problem.simulator->num_parameters()) {
      prior.fail("got a prior of " + std::to_string(named.prior->dim()) + " parameters, expected " +
                 std::to_string(spec.problem.simulator->num_parameters()) + " (those of " +
                 spec.model + ")");
    }
    spec.problem.prior = named.prior;
    if (!named.names.empty()) spec.problem.names = named.names;
    spec.prior_table = *document.find("prior");
  }
  if (!is_built_in) {
    if (spec.problem.names.empty()) {
      spec.problem.names = numbered_names("theta", spec.problem.prior->dim());
    }
    check_simulator_options(simulator, spec.simulator, spec.problem.names);
  }

  read_observed(observed, overrides, spec);

  read_method(method, spec.options, is_built_in);
  spec.run = read_run(run);
  if (reuse.present()) {
    if (!learns_any_observation(spec.options.method)) {
      reuse.fail("only the method \"mdn-with-prior\" can use simulations of other runs");
    }
    spec.reuse = read_reuse(reuse, std::filesystem::path(source).parent_path().string());
  }
  if (is_built_in && spec.problem.observed.size() > 0) check(spec);
  return spec;
}

ProblemSpec load_problem(const std::string& path, const ProblemOverrides& overrides) {
  return open_problem(read_file(path), path, overrides);
}

ProblemSpec open_problem(const std::string& text, const std::string& source,
                         const ProblemOverrides& overrides) {
  return open_problem(parse_problem(text, source, overrides));
}

ProblemSpec open_problem(ProblemSpec spec) {
  if (spec.problem.simulator) return spec;
  spec.problem.simulator = open_simulator(spec.simulator);
  if (spec.problem.observed.size() > 0) check(spec);
  return spec;
}

}  // namespace epsfree
