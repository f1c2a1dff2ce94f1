// Compiled once per instruction set: see cmake/kernels.cmake for what may be included here.
#include "models/lotka_volterra_kernel.hpp"

#include "models/lanes.hpp"

// Gillespie's (1977) algorithm for several runs side by side. Each lane holds one run and goes its
// own way: when its run ends, the lane takes the next one, so that no lane waits for another. A
// run's random numbers are Philox blocks named by its own key and its own counter, which is why it
// does not matter in which lane, beside whom, or in which batch it runs.
//
// Time is kept as what remains until the next recording. The waiting time is exponential, hence
// without memory: if it ends after the recording, the lane stops at the recording, and draws again
// from there. So rounding never accumulates over more than one interval of 0.2.
//
// Populations are whole numbers below 2^24, exact in float. Rates and waiting times in float carry
// relative errors of 1e-7, which move the distribution of a run of 10,000 reactions by less than
// 1e-3 in total variation.

namespace epsfree::EPSFREE_ISA {
namespace {

constexpr float kRecordInterval = 0.2f;
constexpr float kInitialPredators = 50.0f;
constexpr float kInitialPrey = 100.0f;

struct State {
  FloatLanes predators, prey;
  FloatLanes rate1, rate2, rate3, rate4;
  FloatLanes remaining;  // time until the next recording
  IntLanes reactions;
  IntLanes busy;  // a mask: where a run is going on
};

/// One reaction, or the end of an interval, in every lane. A mask of the busy lanes that reached a
/// recording or the limit of reactions.
inline IntLanes step(State& state, WordLanes time_bits, WordLanes reaction_bits) {
  const FloatLanes x = state.predators;
  const FloatLanes y = state.prey;
  const FloatLanes xy = x * y;
  const FloatLanes sum1 = state.rate1 * xy;
  const FloatLanes sum2 = sum1 + state.rate2 * x;
  const FloatLanes sum3 = sum2 + state.rate3 * y;
  const FloatLanes total = sum3 + state.rate4 * xy;

  // Also the end of an interval where nothing can happen any more: total is zero.
  const FloatLanes exponential = exponential_lanes(time_bits);
  const IntLanes recording = exponential >= state.remaining * total;
  const FloatLanes waiting = exponential / total;

  // A multiple of 2^-24 below one times `total` is rounded to less than `total`, and `sum3` equals
  // `total` where reaction 4 is impossible: a reaction of rate zero is never chosen.
  const FloatLanes choice = uniform_below_one_lanes(reaction_bits) * total;
  const FloatLanes one = all_lanes(1.0f), zero = {};
  const FloatLanes dx = choice < sum1 ? one : (choice < sum2 ? -one : zero);
  const FloatLanes dy = choice < sum2 ? zero : (choice < sum3 ? one : -one);
  state.predators = recording ? x : x + dx;
  state.prey = recording ? y : y + dy;
  state.remaining = recording ? all_lanes(kRecordInterval) : state.remaining - waiting;
  state.reactions += recording + 1;
  return (recording | (state.reactions > kLotkaVolterraMaxReactions)) & state.busy;
}

class Simulation {
 public:
  Simulation(int count, const float* rates, const uint64_t* keys, LotkaVolterraSeries* series,
             bool* finished)
      : count_(count), rates_(rates), keys_(keys), series_(series), finished_(finished) {}

  void run() {
    for (int lane = 0; lane < kLanes; ++lane) start_next(lane);
    while (active_ > 0) {
      WordLanes bits[4];
      next_block(random_, bits);
      handle_events(step(state_, bits[0], bits[1]));
      handle_events(step(state_, bits[2], bits[3]));
      // Only between blocks, so that a run begins with a whole one.
      if (any_ended_) refill();
    }
  }

 private:
  void handle_events(IntLanes events) {
    for (uint32_t bits = mask_bits(events); bits != 0; bits &= bits - 1) {
      handle_event(__builtin_ctz(bits));
    }
  }

  void handle_event(int lane) {
    const int run = run_[lane];
    if (state_.reactions[lane] > kLotkaVolterraMaxReactions) {
      end(lane, false);
      return;
    }
    const int record = records_[lane]++;
    series_[run].predators[record] = static_cast<uint16_t>(state_.predators[lane]);
    series_[run].prey[record] = static_cast<uint16_t>(state_.prey[lane]);
    if (record + 1 == kLotkaVolterraRecords) end(lane, true);
  }

  void end(int lane, bool finished) {
    finished_[run_[lane]] = finished;
    state_.busy[lane] = 0;
    any_ended_ = true;
    --active_;
  }

  void refill() {
    any_ended_ = false;
    for (int lane = 0; lane < kLanes; ++lane) {
      if (state_.busy[lane] == 0) start_next(lane);
    }
  }

  void start_next(int lane) {
    const bool some = next_ < count_;
    // A lane without a run sits at zero: its total rate is zero, and nothing happens to it.
    state_.predators[lane] = some ? kInitialPredators : 0.0f;
    state_.prey[lane] = some ? kInitialPrey : 0.0f;
    state_.remaining[lane] = kRecordInterval;
    state_.reactions[lane] = 0;
    state_.busy[lane] = some ? -1 : 0;
    state_.rate1[lane] = some ? rates_[4 * next_] : 0.0f;
    state_.rate2[lane] = some ? rates_[4 * next_ + 1] : 0.0f;
    state_.rate3[lane] = some ? rates_[4 * next_ + 2] : 0.0f;
    state_.rate4[lane] = some ? rates_[4 * next_ + 3] : 0.0f;
    random_.set(lane, some ? keys_[next_] : 0);
    if (!some) return;
    series_[next_].predators[0] = static_cast<uint16_t>(kInitialPredators);
    series_[next_].prey[0] = static_cast<uint16_t>(kInitialPrey);
    records_[lane] = 1;
    run_[lane] = next_++;
    ++active_;
  }

  State state_ = {};
  PhiloxLanes random_ = {};
  int run_[kLanes] = {};      // which run the lane is busy with
  int records_[kLanes] = {};  // how many of its values are recorded
  bool any_ended_ = false;
  int active_ = 0;  // busy lanes
  int next_ = 0;    // the first run that has not begun
  const int count_;
  const float* const rates_;
  const uint64_t* const keys_;
  LotkaVolterraSeries* const series_;
  bool* const finished_;
};

}  // namespace

void simulate_lotka_volterra(int count, const float* rates, const uint64_t* keys,
                             LotkaVolterraSeries* series, bool* finished) {
  Simulation(count, rates, keys, series, finished).run();
}

}  // namespace epsfree::EPSFREE_ISA
