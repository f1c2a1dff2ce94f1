// A run whose simulator is slow and tells of each call: for tests that kill it.
//
//   resume_program PROBLEM OUT CALLS SLEEP_MICROSECONDS
//
// The simulator is that of the problem file. Each call appends its 64-bit seed to the file CALLS.
#include <fcntl.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <thread>

#include "epsfree/error.hpp"
#include "run/run_problem.hpp"

namespace epsfree {
namespace {

class Telling final : public Simulator {
 public:
  Telling(SimulatorPtr inner, const char* calls, long sleep)
      : inner_(std::move(inner)),
        calls_(::open(calls, O_WRONLY | O_CREAT | O_APPEND, 0600)),
        sleep_(sleep) {}
  Index num_parameters() const override { return inner_->num_parameters(); }
  Index num_statistics() const override { return inner_->num_statistics(); }
  Index preferred_batch() const override { return 1; }
  void simulate(const Eigen::Ref<const Eigen::MatrixXd>& thetas, std::span<Stream> streams,
                Eigen::Ref<Eigen::MatrixXd> statistics,
                std::span<SimStatus> statuses) const override {
    for (const Stream& stream : streams) {
      const std::uint64_t seed = Stream(stream).bits64();
      if (::write(calls_, &seed, sizeof seed) != sizeof seed) std::abort();
      std::this_thread::sleep_for(std::chrono::microseconds(sleep_));
    }
    inner_->simulate(thetas, streams, statistics, statuses);
  }

 private:
  SimulatorPtr inner_;
  int calls_;
  long sleep_;
};

}  // namespace
}  // namespace epsfree

int main(int argc, char** argv) {
  using namespace epsfree;
  if (argc != 5) return 64;
  try {
    ProblemSpec spec = load_problem(argv[1]);
    spec.problem.simulator =
        std::make_shared<Telling>(spec.problem.simulator, argv[3], std::atol(argv[4]));
    run_problem(spec, {.out = argv[2], .commit_seconds = 0.02});
  } catch (const Error& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
  return 0;
}
