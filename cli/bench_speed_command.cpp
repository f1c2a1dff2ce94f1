// `epsfree bench speed`: how fast epsfree is on this machine.
#include <memory>
#include <string>
#include <vector>

#include "base/file.hpp"
#include "bench/speed_benchmark.hpp"
#include "cli/commands.hpp"
#include "cli/interrupt.hpp"
#include "cli/output.hpp"
#include "cli/progress_bar.hpp"
#include "cli/tables.hpp"
#include "cli/terminal.hpp"

namespace epsfree::cli {
namespace {

struct SpeedArguments {
  int seconds = 15;
  std::string json;
};

// "9-50-(D4,K1), variational"
std::string shape_text(const TrainingShape& shape) {
  std::string text = std::to_string(shape.context_dim);
  for (const int units : shape.hidden_units) text += "-" + std::to_string(units);
  text += "-(D" + std::to_string(shape.target_dim) + ",K" + std::to_string(shape.num_components);
  return text + (shape.variational ? "), variational" : ")");
}

std::string training_table(const SpeedReport& report) {
  std::vector<std::vector<std::string>> rows = {
      {"training", "shape", "MFLOP/step", "steps/s", "GFLOP/s", "GEMM GFLOP/s", "share"}};
  for (const TrainingSpeed& speed : report.training) {
    rows.push_back({speed.shape.name, shape_text(speed.shape),
                    formatted("%.2f", 1e-6 * speed.flops_per_step),
                    formatted("%.0f", speed.steps_per_second),
                    formatted("%.1f", 1e-9 * speed.steps_per_second * speed.flops_per_step),
                    formatted("%.1f", 1e-9 * speed.gemm_flops),
                    formatted("%.1f%%", 100 * speed.share_of_gemm)});
  }
  return "Batch 100, one thread, kernels for " + report.instruction_set +
         ". GEMM: 100 x 80 x 50 in float by " + report.gemm_backend +
         " on one thread, in turns with the training.\n" + aligned(rows);
}

std::string cost_table(const SpeedReport& report) {
  std::vector<std::vector<std::string>> rows = {
      {"steps", "parameters", "batch", "ms", "ps per step, parameter and example"}};
  for (const TrainingCost& cost : report.training_costs) {
    rows.push_back({std::to_string(cost.num_steps), std::to_string(cost.num_parameters),
                    std::to_string(cost.batch_size), formatted("%.2f", 1e3 * cost.seconds),
                    formatted("%.2f", 1e12 * cost.seconds_per_unit())});
  }
  return "\nTraining time is linear in steps x parameters x batch where the last column does not "
         "grow.\n" +
         aligned(rows);
}

std::string simulation_table(const SpeedReport& report) {
  std::vector<std::vector<std::string>> rows = {
      {"simulations/s, one thread", "epsfree", "textbook loop", "ratio"}};
  for (const SimulationSpeed& speed : report.simulation) {
    rows.push_back({speed.model, formatted("%.3g", speed.per_second),
                    speed.textbook_per_second ? formatted("%.3g", *speed.textbook_per_second) : "-",
                    speed.times_textbook ? formatted("%.2f", *speed.times_textbook) : "-"});
  }
  std::string text = "\n" + aligned(rows);
  if (report.two_threads) {
    text += formatted("lotka-volterra on two threads: %.2f times as fast as on one\n",
                      *report.two_threads);
  }
  text += formatted("mg1-queue by streaming rejection-abc on %.0f threads: ", report.num_cores) +
          formatted("%.3g simulations/s\n", report.streaming_per_second);
  return text;
}

std::string memory_text(const SimulationMemory& memory) {
  constexpr double kMany = 1e7, kGigabyte = 1e9;
  std::string text = formatted("\nmemory for a simulation of lotka-volterra: %.0f bytes stored",
                               memory.stored_bytes);
  if (memory.peak_bytes > 0) {
    text += formatted(", %.0f at the peak of an inference (mdn-with-prior)", memory.peak_bytes);
  }
  text +=
      formatted("\n10 million of them: %.2f GB stored", kMany * memory.stored_bytes / kGigabyte);
  if (memory.peak_bytes > 0) {
    text += formatted(", %.2f GB at the peak", kMany * memory.peak_bytes / kGigabyte);
  }
  return text + "\n";
}

void speed(const SpeedArguments& arguments) {
  check_output_file(arguments.json);
  catch_interrupts();
  SpeedReport report;
  {
    ProgressBar bar;
    const bool shown = stderr_is_terminal();
    report = measure_speed(arguments.seconds, [&](const std::string& what, int done, int total) {
      if (shown) bar.draw("measuring", done, total, what);
      return interrupted() ? Action::stop : Action::proceed;
    });
  }
  write_out(training_table(report) + cost_table(report) + simulation_table(report) +
            memory_text(report.memory));
  flush_out();
  if (!arguments.json.empty()) write_file_atomically(arguments.json, speed_json(report));
}

}  // namespace

void add_bench_speed(CLI::App& bench, Chosen& chosen) {
  auto arguments = std::make_shared<SpeedArguments>();
  CLI::App* command = bench.add_subcommand(
      "speed", "training and simulation, with the rate of plain matrix products beside");
  command->add_option("--json", arguments->json, "write all figures there")->type_name("FILE");
  add_whole(command, "--seconds", arguments->seconds, 1, 3600,
            "about how long to measure; more is steadier")
      ->default_str("15");
  command->footer(R"(Example:
  epsfree bench speed --json speed.json)");
  command->callback([arguments, &chosen] { chosen = [arguments] { speed(*arguments); }; });
}

}  // namespace epsfree::cli
