// How fast simulations of Lotka-Volterra's sizes are recorded and replayed.
#include <benchmark/benchmark.h>

#include <filesystem>

#include "epsfree/ledger.hpp"
#include "support/temporary_directory.hpp"

namespace epsfree {
namespace {

constexpr Index kSimulations = 100000;

/// Costs next to nothing, so that what is measured is the ledger.
class Free final : public Simulator {
 public:
  Index num_parameters() const override { return 4; }
  Index num_statistics() const override { return 9; }
  Index preferred_batch() const override { return 256; }
  void simulate(const Eigen::Ref<const Eigen::MatrixXd>& thetas, std::span<Stream> streams,
                Eigen::Ref<Eigen::MatrixXd> statistics, std::span<SimStatus>) const override {
    for (Index i = 0; i < thetas.cols(); ++i) {
      statistics.col(i).setConstant(streams[static_cast<std::size_t>(i)].uniform());
    }
  }
};

void run(benchmark::State& state, bool replay) {
  const TemporaryDirectory root;
  const Free simulator;
  const Eigen::MatrixXd thetas = Eigen::MatrixXd::Random(4, kSimulations);
  ThreadRunner threads(1);
  Ledger ledger(root.file("ledger.sqlite"));
  std::uint32_t round = 0;
  const auto make = [&] {
    RecordingRunner(threads, ledger, {.policy = Recording::always})
        .run({.simulator = simulator,
              .thetas = thetas,
              .first = {.purpose = Purpose::simulation, .round = round}});
    ledger.commit();
  };
  if (replay) make();
  for (auto _ : state) {
    if (!replay) ++round;
    make();
  }
  state.SetItemsProcessed(state.iterations() * kSimulations);
}

void record_simulations(benchmark::State& state) { run(state, false); }
void replay_simulations(benchmark::State& state) { run(state, true); }

BENCHMARK(record_simulations)->Unit(benchmark::kMillisecond)->UseRealTime();
BENCHMARK(replay_simulations)->Unit(benchmark::kMillisecond)->UseRealTime();

}  // namespace
}  // namespace epsfree
