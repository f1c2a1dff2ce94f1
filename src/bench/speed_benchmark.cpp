#include "bench/speed_benchmark.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/cpu.hpp"
#include "base/gemm.hpp"
#include "base/parallel.hpp"
#include "epsfree/error.hpp"
#include "epsfree/version.hpp"

namespace epsfree {
namespace {

using Json = nlohmann::ordered_json;  // keys in the order in which a person wants to read them

constexpr const char* kSpeedFormat = "epsfree-speed";
constexpr int kSpeedVersion = 1;

Json training_json(const TrainingSpeed& speed) {
  const TrainingShape& shape = speed.shape;
  return {{"name", shape.name},
          {"context_dim", shape.context_dim},
          {"hidden_units", shape.hidden_units},
          {"target_dim", shape.target_dim},
          {"num_components", shape.num_components},
          {"variational", shape.variational},
          {"flops_per_step", speed.flops_per_step},
          {"steps_per_second", speed.steps_per_second},
          {"gemm_flops_per_second", speed.gemm_flops},
          {"share_of_gemm", speed.share_of_gemm}};
}

Json cost_json(const TrainingCost& cost) {
  return {{"num_steps", cost.num_steps},
          {"num_parameters", cost.num_parameters},
          {"batch_size", cost.batch_size},
          {"seconds", cost.seconds},
          {"seconds_per_unit", cost.seconds_per_unit()}};
}

Json simulation_json(const SimulationSpeed& speed) {
  const auto or_null = [](const std::optional<double>& value) {
    return value ? Json(*value) : Json();
  };
  return {{"model", speed.model},
          {"per_second", speed.per_second},
          {"textbook_per_second", or_null(speed.textbook_per_second)},
          {"times_textbook", or_null(speed.times_textbook)}};
}

template <class T, class ToJson>
Json list_json(const std::vector<T>& values, const ToJson& to_json) {
  Json list = Json::array();
  for (const T& value : values) list.push_back(to_json(value));
  return list;
}

}  // namespace

SpeedReport measure_speed(
    double seconds,
    const std::function<Action(const std::string& what, int done, int total)>& progress) {
  SpeedReport report;
  report.gemm_backend = gemm_backend();
  report.instruction_set = to_string(best_isa());
  report.num_cores = resolve_num_threads(0);
  std::vector<std::pair<std::string, std::function<void()>>> parts;
  // First, while the process has hardly used any. A size that gives more than the allocator's
  // grain.
  parts.emplace_back("memory", [&] {
    report.memory = measure_memory(std::max<Index>(200000, static_cast<Index>(seconds * 30000)));
  });
  for (const TrainingShape& shape : training_shapes()) {
    parts.emplace_back("training " + shape.name, [&report, &shape, seconds] {
      report.training.push_back(measure_training(shape, 0.08 * seconds));
    });
  }
  parts.emplace_back("training costs",
                     [&] { report.training_costs = measure_training_costs(0.15 * seconds); });
  for (const auto& each : models()) {
    const std::string name = each->name();
    const double share = name == "lotka-volterra" ? 0.15 : 0.04;
    parts.emplace_back("simulating " + name, [&report, name, share, seconds] {
      report.simulation.push_back(measure_simulation(name, share * seconds));
    });
  }
  if (report.num_cores > 1) {
    parts.emplace_back("two threads",
                       [&] { report.two_threads = measure_two_threads(0.12 * seconds); });
  }
  parts.emplace_back("streaming", [&] {
    report.streaming_per_second = measure_streaming(report.num_cores, 0.05 * seconds);
  });
  const int total = static_cast<int>(parts.size());
  for (int done = 0; done < total; ++done) {
    const auto& [what, measure] = parts[static_cast<std::size_t>(done)];
    if (progress && progress(what, done, total) == Action::stop) {
      throw Error(ErrorKind::interrupted, "interrupted before " + what);
    }
    measure();
  }
  return report;
}

std::string speed_json(const SpeedReport& report) {
  Json json;
  json["format"] = kSpeedFormat;
  json["version"] = kSpeedVersion;
  json["epsfree_version"] = version();
  json["gemm_backend"] = report.gemm_backend;
  json["instruction_set"] = report.instruction_set;
  json["num_cores"] = report.num_cores;
  json["training"] = list_json(report.training, training_json);
  json["training_costs"] = list_json(report.training_costs, cost_json);
  json["simulation"] = list_json(report.simulation, simulation_json);
  json["two_threads"] = report.two_threads ? Json(*report.two_threads) : Json();
  json["streaming_per_second"] = report.streaming_per_second;
  json["memory"] = {{"stored_bytes", report.memory.stored_bytes},
                    {"peak_bytes", report.memory.peak_bytes},
                    {"num_simulations", report.memory.num_simulations}};
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace epsfree
