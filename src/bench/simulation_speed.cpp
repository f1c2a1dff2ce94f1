#include "bench/simulation_speed.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <fstream>
#include <string>

#if defined(__GLIBC__)
#include <malloc.h>
#endif

#include "bench/shortest_turns.hpp"
#include "epsfree/infer.hpp"
#include "epsfree/runner.hpp"
#include "models/lotka_volterra_statistics.hpp"
#include "models/textbook_gillespie.hpp"
#include "models/textbook_queue.hpp"

namespace epsfree {
namespace {

// Some milliseconds each.
Index simulations_per_turn(const std::string& model_name) {
  return model_name == "lotka-volterra" ? 512 : 16384;
}
int textbook_simulations_per_turn(const std::string& model_name) {
  return model_name == "lotka-volterra" ? 64 : 2048;
}

void simulate(const Model& chosen, ThreadRunner& runner, Index count, std::uint64_t seed) {
  runner.run({*chosen.simulator(),
              chosen.default_truth().replicate(1, count),
              seed,
              {.purpose = Purpose::simulation}});
}

bool lotka_volterra_by_the_book(Stream& stream) {
  const auto run = textbook_gillespie({0.01, 0.5, 1.0, 0.01}, stream);
  if (!run) return true;
  LotkaVolterraSeries series;
  std::copy_n(run->predators.begin(), kLotkaVolterraRecords, series.predators);
  std::copy_n(run->prey.begin(), kLotkaVolterraRecords, series.prey);
  return !std::isnan(lotka_volterra_statistics(series).sum());
}

// Nothing but numbers of the right shape: what counts is what is kept of them.
class LotkaVolterraShape final : public Simulator {
 public:
  Index num_parameters() const override { return 4; }
  Index num_statistics() const override { return 9; }
  void simulate(const Eigen::Ref<const Eigen::MatrixXd>& thetas, std::span<Stream> streams,
                Eigen::Ref<Eigen::MatrixXd> statistics,
                std::span<SimStatus> statuses) const override {
    for (Index i = 0; i < thetas.cols(); ++i) {
      const double noise = streams[static_cast<std::size_t>(i)].uniform();
      for (Index s = 0; s < 9; ++s) statistics(s, i) = thetas(s % 4, i) + noise;
      statuses[static_cast<std::size_t>(i)] = SimStatus::ok;
    }
  }
  Index preferred_batch() const override { return 1024; }
};

// A line such as "VmHWM:   1234 kB" of /proc/self/status, in bytes; zero if there is none.
double status_bytes(const std::string& name) {
  std::ifstream file("/proc/self/status");
  std::string word;
  while (file >> word) {
    double value = 0;
    if (word == name + ":" && file >> value) return 1024 * value;
  }
  return 0;
}

// How far memory in use rose above its start during one inference.
double peak_of_inference(Index num_simulations) {
  Problem problem{.prior = model("lotka-volterra")->prior(),
                  .simulator = std::make_shared<LotkaVolterraShape>(),
                  .observed = Eigen::VectorXd::Zero(9)};
  const InferOptions options{.method = MdnWithPriorOptions{.network = {.variational = false},
                                                           .training = {.num_steps = 10},
                                                           .pilot = {.scaling = Scaling::as_is}},
                             .num_simulations = num_simulations};
#if defined(__GLIBC__)
  // Each array its own piece of memory, given back when it ends, as those of ten million
  // simulations are; and nothing that others have given back to be counted as room.
  mallopt(M_MMAP_THRESHOLD, 1 << 18);
  malloc_trim(0);
#endif
  std::ofstream("/proc/self/clear_refs") << "5";  // Linux: the peak starts anew
  const double before = status_bytes("VmRSS");
  ThreadRunner runner(1);
  infer(problem, options, runner);
  return std::max(0.0, status_bytes("VmHWM") - before);
}

}  // namespace

bool simulate_by_the_book(const std::string& model_name, std::uint64_t seed, std::uint64_t index) {
  Stream stream(seed, {.index = index});
  if (model_name == "lotka-volterra") return lotka_volterra_by_the_book(stream);
  if (model_name == "mg1-queue") return textbook_queue(1.0, 5.0, 0.2, stream)[0] > 0;
  return false;
}

SimulationSpeed measure_simulation(const std::string& model_name, double seconds) {
  const std::shared_ptr<const Model> chosen = model(model_name);
  const Index count = simulations_per_turn(model_name);
  const int textbook_count = textbook_simulations_per_turn(model_name);
  ThreadRunner runner(1);
  std::uint64_t seed = 0, index = 0;
  std::vector<std::function<void()>> tasks = {[&] { simulate(*chosen, runner, count, ++seed); }};
  const bool has_textbook = simulate_by_the_book(model_name, 1, 0);
  if (has_textbook) {
    tasks.emplace_back([&] {
      for (int i = 0; i < textbook_count; ++i) simulate_by_the_book(model_name, 1, ++index);
    });
  }
  const std::vector<double> shortest = shortest_turns(seconds, tasks);
  SimulationSpeed speed;
  speed.model = model_name;
  speed.per_second = static_cast<double>(count) / shortest[0];
  if (has_textbook) {
    speed.textbook_per_second = textbook_count / shortest[1];
    speed.times_textbook = speed.per_second / *speed.textbook_per_second;
  }
  return speed;
}

double measure_two_threads(double seconds) {
  const std::shared_ptr<const Model> chosen = model("lotka-volterra");
  constexpr Index kCount = 4096;  // many batches, so that both threads end together
  ThreadRunner one(1), two(2);
  std::uint64_t seed = 0;
  const std::vector<double> shortest =
      shortest_turns(seconds, {[&] { simulate(*chosen, one, kCount, ++seed); },
                               [&] { simulate(*chosen, two, kCount, seed); }});
  return shortest[0] / shortest[1];
}

double measure_streaming(int num_threads, double seconds) {
  const Problem problem = model("mg1-queue")->problem();
  InferOptions options;
  options.method = RejectionOptions{.num_samples = 1000, .streaming = true};
  options.num_simulations = 1 << 19;
  ThreadRunner runner(num_threads);
  const auto stream = [&] {
    ++options.seed;
    infer(problem, options, runner);
  };
  return static_cast<double>(options.num_simulations) / shortest_turns(seconds, {stream})[0];
}

SimulationMemory measure_memory(Index num_simulations) {
  SimulationMemory memory;
  memory.num_simulations = num_simulations;
  memory.stored_bytes = sizeof(double) * (4 + 9);
  const Index half = num_simulations / 2;
  const double less = peak_of_inference(half);
  const double more = peak_of_inference(num_simulations);
  memory.peak_bytes = std::max(0.0, more - less) / static_cast<double>(num_simulations - half);
  return memory;
}

}  // namespace epsfree
