// Problems, and what runs them: the same services that the program stands on.
#include <nanobind/stl/function.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <limits>

#include "base/interruption.hpp"
#include "epsfree/error.hpp"
#include "epsfree/version.hpp"
#include "infer/abc/abc_options.hpp"
#include "io/sha256.hpp"
#include "problem/method_file.hpp"
#include "problem/problem_file.hpp"
#include "python/src/arrays.hpp"
#include "python/src/bindings.hpp"
#include "python/src/check_listener.hpp"
#include "python/src/handles.hpp"
#include "python/src/python_simulator.hpp"
#include "python/src/watched.hpp"
#include "run/resumable_run.hpp"
#include "run/reused_simulations.hpp"
#include "run/run_problem.hpp"

namespace epsfree::python {
namespace {

struct ProblemHandle {
  ProblemSpec spec;
  std::shared_ptr<Fault> fault = std::make_shared<Fault>();  // of a simulator or distance in Python
};

struct ResultHandle {
  InferResult result;
  ProblemSpec spec;
};

ProblemHandle parse(const std::string& text, const std::string& source,
                    const std::optional<nb::object>& dispatch, Index batch,
                    const std::vector<std::tuple<std::string, std::string, std::string>>& parts) {
  ProblemHandle handle{parse_problem(text, source)};
  for (const auto& [what, path, digest] : parts) {
    handle.spec.simulator.closure_parts.push_back({what, path, digest});
  }
  if (handle.spec.problem.simulator) return handle;
  if (!dispatch) {
    throw Error(ErrorKind::usage, source + ": there is no simulator");
  }
  handle.spec.problem.simulator = std::make_shared<PythonSimulator>(
      handle.spec.problem.prior->dim(), handle.spec.simulator.num_statistics(), batch, *dispatch,
      handle.fault);
  try {
    handle.spec.problem.validate();
  } catch (const Error& error) {
    throw Error(error.kind(), source + ": " + error.what());
  }
  return handle;
}

/// A distance of the user's for the ABC methods. The library calls it from several threads; what it
/// raises first ends the run, as a fault of the simulator would.
void set_distance(ProblemHandle& self, nb::object function) {
  struct Callable {
    nb::object function;
    std::shared_ptr<Fault> fault;
    ~Callable() {
      const nb::gil_scoped_acquire acquire;
      function.reset();
    }
  };
  auto callable = std::make_shared<Callable>(Callable{std::move(function), self.fault});
  AbcOptions* const abc = abc_options(self.spec.options.method);
  if (abc == nullptr) {
    throw Error(ErrorKind::usage,
                "the method \"" + method_name(self.spec.options.method) + "\" has no distance");
  }
  abc->custom_distance = [callable](const Eigen::Ref<const Eigen::VectorXd>& x,
                                    const Eigen::Ref<const Eigen::VectorXd>& y) {
    const nb::gil_scoped_acquire acquire;
    try {
      return nb::cast<double>(callable->function(array(x), array(y)));
    } catch (const nb::cast_error&) {
      return std::numeric_limits<double>::quiet_NaN();
    } catch (nb::python_error& error) {
      callable->fault->keep(std::move(error));
      return std::numeric_limits<double>::quiet_NaN();
    }
  };
}

ProblemHandle load(const std::string& path, const std::vector<std::string>& assignments,
                   std::optional<std::int64_t> seed, const std::optional<std::string>& observed) {
  ProblemOverrides overrides;
  overrides.assignments = assignments;
  overrides.seed = seed;
  overrides.observed_file = observed;
  const nb::gil_scoped_release release;
  return {load_problem(path, overrides)};
}

ResultHandle infer_here(const ProblemHandle& self, const nb::object& callback) {
  return watched(callback, self.fault, [&](Observer& observer) {
    ThreadRunner runner(self.spec.run.runner());
    ProblemSpec spec = self.spec;
    open_reused(spec);
    spec.options.predict_change = true;  // every answer is checked in Python
    InferResult result = infer(spec.problem, spec.options, runner, &observer);
    return ResultHandle{std::move(result), self.spec};
  });
}

/// The paths written, and whether the run had been finished before.
std::pair<std::vector<std::string>, bool> run(const ProblemHandle& self, const std::string& out,
                                              bool force, bool retry_failed, bool keep_simulations,
                                              const nb::object& callback) {
  const RunReport report = watched(callback, self.fault, [&](Observer& observer) {
    return run_problem(self.spec,
                       {.out = out,
                        .force = force,
                        .retry_failed = retry_failed,
                        .keep_simulations = keep_simulations},
                       &observer);
  });
  return {report.files, report.was_finished};
}

/// check.json of an answer that is not on disk.
std::string check_here(const ProblemHandle& self, const ResultHandle& answer, int num_repetitions,
                       std::optional<long> num_simulations, const nb::object& callback) {
  const CheckSettings settings{.num_simulations = num_simulations,
                               .num_repetitions = num_repetitions,
                               .seed = self.spec.options.seed};
  return watched(callback, self.fault, [&](PythonObserver& observer) {
    PythonCheckListener listener(observer);
    ThreadRunner runner(self.spec.run.runner());
    CheckRecord record =
        check_answer(self.spec, answer.result, settings, runner, nullptr, &listener);
    record.digest = sha256(posterior_text(*answer.result.posterior));
    return check_json(record);
  });
}

std::string summary_of(const ResultHandle& self) {
  RunSummary summary;
  summary.problem = self.spec.name;
  summary.model = self.spec.model;
  summary.inference = self.result.summary;
  summary.version = version();
  if (self.result.posterior) {
    summary.posterior = tabulate(*self.result.posterior, self.spec.problem.truth);
  }
  return summary_json(summary);
}

InferOptions options_of(const std::string& text, std::uint64_t seed) {
  const Node document = parse_toml(text, "options", false);
  Section root(document);
  Section method = root.section("method");
  InferOptions options;
  options.seed = seed;
  read_method(method, options);
  return options;
}

ResultHandle infer_from_simulations(const SimulationSet& simulations, const Values& observed,
                                    const std::vector<std::string>& names,
                                    const std::string& options, std::uint64_t seed,
                                    const nb::object& callback) {
  const InferOptions parsed = options_of(options, seed);
  ResultHandle handle;
  handle.result = watched(callback, std::make_shared<Fault>(), [&](PythonObserver& observer) {
    // A fit tells its observer too rarely. Nothing is recorded that an interruption could spoil.
    const InterruptionScope scope([&observer] { return observer.must_stop(); });
    return infer_from(simulations, vector(observed), names, parsed, &observer);
  });
  return handle;
}

using PartTuple = std::tuple<NumpyMatrix, NumpyMatrix, std::optional<PosteriorHandle>>;

/// Thetas and statistics in rows, and what the thetas were drawn from: what `add` takes.
std::vector<PartTuple> parts_of(const SimulationSet& self) {
  std::vector<PartTuple> parts;
  for (const SimulationSet::Part& part : self.parts()) {
    std::optional<PosteriorHandle> proposal;
    if (part.proposal) proposal = PosteriorHandle{part.proposal};
    parts.emplace_back(rows(part.thetas), rows(part.statistics), std::move(proposal));
  }
  return parts;
}

void bind_results(nb::module_& module) {
  nb::class_<ResultHandle>(module, "Result")
      .def_prop_ro("posterior",
                   [](const ResultHandle& self) -> std::optional<PosteriorHandle> {
                     if (!self.result.posterior) return std::nullopt;
                     return PosteriorHandle{self.result.posterior};
                   })
      .def_prop_ro("estimator",
                   [](const ResultHandle& self) -> std::optional<EstimatorHandle> {
                     if (!self.result.estimator) return std::nullopt;
                     return EstimatorHandle{self.result.estimator};
                   })
      .def("summary", &summary_of);
  nb::class_<SimulationSet>(module, "SimulationSet")
      .def("__init__", [](SimulationSet* self,
                          const PriorHandle& prior) { new (self) SimulationSet(prior.prior); })
      .def(
          "add",
          [](SimulationSet& self, const Rows& thetas, const Rows& x,
             const std::optional<PosteriorHandle>& proposal) {
            self.add(columns(thetas), columns(x), proposal ? proposal->posterior : nullptr);
          },
          nb::arg("thetas"), nb::arg("x"), nb::arg("proposal").none())
      .def("add_dropped", &SimulationSet::add_dropped, nb::arg("count"), nb::arg("num_statistics"))
      .def("parts", &parts_of)
      .def_prop_ro("num_dropped", &SimulationSet::num_dropped)
      .def_prop_ro("num_statistics", &SimulationSet::num_statistics)
      .def_prop_ro("all_from_prior", &SimulationSet::all_from_prior)
      .def("__len__", &SimulationSet::size);
  module.def("infer_from", &infer_from_simulations, nb::arg("simulations"), nb::arg("observed"),
             nb::arg("names"), nb::arg("options"), nb::arg("seed"), nb::arg("callback").none());
}

}  // namespace

void bind_problems(nb::module_& module) {
  nb::class_<ProblemHandle>(module, "Problem")
      .def_prop_ro("name", [](const ProblemHandle& self) { return self.spec.name; })
      .def_prop_ro("model", [](const ProblemHandle& self) { return self.spec.model; })
      .def_prop_ro("names", [](const ProblemHandle& self) { return self.spec.problem.names; })
      .def_prop_ro("statistic_names",
                   [](const ProblemHandle& self) { return self.spec.statistic_names; })
      .def_prop_ro("prior",
                   [](const ProblemHandle& self) { return PriorHandle{self.spec.problem.prior}; })
      .def_prop_ro(
          "observed", [](const ProblemHandle& self) { return array(self.spec.problem.observed); },
          nb::rv_policy::automatic)
      .def_prop_ro(
          "truth",
          [](const ProblemHandle& self) -> std::optional<NumpyVector> {
            if (!self.spec.problem.truth) return std::nullopt;
            return array(*self.spec.problem.truth);
          },
          nb::rv_policy::automatic)
      .def_prop_ro("num_simulations",
                   [](const ProblemHandle& self) { return self.spec.options.num_simulations; })
      .def_prop_ro("default_directory",
                   [](const ProblemHandle& self) { return default_run_directory(self.spec); })
      .def("set_distance", &set_distance)
      .def("to_toml", [](const ProblemHandle& self) { return resolved_toml(self.spec); })
      .def("infer", &infer_here, nb::arg("callback").none())
      .def("run", &run, nb::arg("out"), nb::arg("force"), nb::arg("retry_failed"),
           nb::arg("keep_simulations"), nb::arg("callback").none())
      .def("check", &check_here, nb::arg("result"), nb::arg("num_repetitions"),
           nb::arg("num_simulations").none(), nb::arg("callback").none());
  module.def("parse_problem", &parse, nb::arg("text"), nb::arg("source"),
             nb::arg("dispatch").none(), nb::arg("batch"),
             nb::arg("parts") = std::vector<std::tuple<std::string, std::string, std::string>>{});
  module.def("load_problem", &load, nb::arg("path"), nb::arg("assignments"), nb::arg("seed").none(),
             nb::arg("observed").none());
  bind_results(module);
}

}  // namespace epsfree::python
