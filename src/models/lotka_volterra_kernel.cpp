// Compiled once per instruction set: see cmake/kernels.cmake for what may be included here.
#include "models/lotka_volterra_kernel.hpp"

#include "base/philox_lanes.hpp"
#include "base/vector_math.hpp"

// Gillespie's (1977) algorithm for 16 runs side by side. Each lane holds one run and goes its own
// way: when its run ends, the lane takes the next one, so that no lane waits for another. A run's
// random numbers are Philox blocks named by its own key and its own counter, which is why it does
// not matter in which lane, beside whom, or in which batch it runs.
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

constexpr int kLanes = 16;
constexpr int kRounds = 7;  // as many as BigCrush needs; the stream that drew the key has ten
constexpr float kRecordInterval = 0.2f;
constexpr float kInitialPredators = 50.0f;
constexpr float kInitialPrey = 100.0f;

struct alignas(64) Lanes {
  float predators[kLanes], prey[kLanes];
  float rate1[kLanes], rate2[kLanes], rate3[kLanes], rate4[kLanes];
  float remaining[kLanes];  // time until the next recording
  int32_t reactions[kLanes];
  uint32_t key_low[kLanes], key_high[kLanes], counter[kLanes];
  uint32_t busy[kLanes];   // 1 where a run is going on, else 0
  uint32_t event[kLanes];  // 1 where the last step reached a recording or the limit of reactions
};

/// One reaction, or the end of an interval, in every lane.
inline void step(Lanes& lanes, const uint32_t* time_bits, const uint32_t* reaction_bits) {
  for (int i = 0; i < kLanes; ++i) {
    const float x = lanes.predators[i];
    const float y = lanes.prey[i];
    const float xy = x * y;
    const float sum1 = lanes.rate1[i] * xy;
    const float sum2 = sum1 + lanes.rate2[i] * x;
    const float sum3 = sum2 + lanes.rate3[i] * y;
    const float total = sum3 + lanes.rate4[i] * xy;

    // Also the end of an interval where nothing can happen any more: total is zero.
    const float exponential = -lane_log(lane_uniform(time_bits[i]));
    const bool recording = exponential >= lanes.remaining[i] * total;
    const float waiting = exponential / total;

    // A multiple of 2^-24 below one times `total` is rounded to less than `total`, and `sum3`
    // equals `total` where reaction 4 is impossible: a reaction of rate zero is never chosen.
    const float choice =
        static_cast<float>(static_cast<int32_t>(reaction_bits[i] >> 8)) * 0x1p-24f * total;
    const float dx = choice < sum1 ? 1.0f : (choice < sum2 ? -1.0f : 0.0f);
    const float dy = choice < sum2 ? 0.0f : (choice < sum3 ? 1.0f : -1.0f);
    lanes.predators[i] = x + (recording ? 0.0f : dx);
    lanes.prey[i] = y + (recording ? 0.0f : dy);
    lanes.remaining[i] = recording ? kRecordInterval : lanes.remaining[i] - waiting;
    const int32_t reactions = lanes.reactions[i] + (recording ? 0 : 1);
    lanes.reactions[i] = reactions;
    const uint32_t event = recording || reactions > kLotkaVolterraMaxReactions ? 1 : 0;
    lanes.event[i] = event & lanes.busy[i];
  }
}

class Simulation {
 public:
  Simulation(int count, const float* rates, const uint64_t* keys, LotkaVolterraSeries* series,
             bool* finished)
      : count_(count), rates_(rates), keys_(keys), series_(series), finished_(finished) {}

  void run() {
    for (int lane = 0; lane < kLanes; ++lane) start_next(lane);
    alignas(64) uint32_t bits[4][kLanes];
    while (active_ > 0) {
      for (int i = 0; i < kLanes; ++i) {
        const uint64_t key = lanes_.key_low[i] | (static_cast<uint64_t>(lanes_.key_high[i]) << 32);
        const PhiloxBlock block = philox4x32<kRounds>(key, lanes_.counter[i], 0);
        ++lanes_.counter[i];
        bits[0][i] = block.a;
        bits[1][i] = block.b;
        bits[2][i] = block.c;
        bits[3][i] = block.d;
      }
      step(lanes_, bits[0], bits[1]);
      handle_events();
      step(lanes_, bits[2], bits[3]);
      handle_events();
      // Only between blocks, so that a run begins with a whole one.
      if (any_ended_) refill();
    }
  }

 private:
  void handle_events() {
    uint32_t any = 0;
    for (int i = 0; i < kLanes; ++i) any |= lanes_.event[i];
    if (any == 0) return;
    for (int i = 0; i < kLanes; ++i) {
      if (lanes_.event[i] != 0) handle_event(i);
    }
  }

  void handle_event(int lane) {
    const int run = run_[lane];
    if (lanes_.reactions[lane] > kLotkaVolterraMaxReactions) {
      end(lane, false);
      return;
    }
    const int record = records_[lane]++;
    series_[run].predators[record] = static_cast<uint16_t>(lanes_.predators[lane]);
    series_[run].prey[record] = static_cast<uint16_t>(lanes_.prey[lane]);
    if (record + 1 == kLotkaVolterraRecords) end(lane, true);
  }

  void end(int lane, bool finished) {
    finished_[run_[lane]] = finished;
    lanes_.busy[lane] = 0;
    any_ended_ = true;
    --active_;
  }

  void refill() {
    any_ended_ = false;
    for (int lane = 0; lane < kLanes; ++lane) {
      if (lanes_.busy[lane] == 0) start_next(lane);
    }
  }

  void start_next(int lane) {
    const bool some = next_ < count_;
    // A lane without a run sits at zero: its total rate is zero, and nothing happens to it.
    lanes_.predators[lane] = some ? kInitialPredators : 0.0f;
    lanes_.prey[lane] = some ? kInitialPrey : 0.0f;
    lanes_.remaining[lane] = kRecordInterval;
    lanes_.reactions[lane] = 0;
    lanes_.counter[lane] = 0;
    lanes_.busy[lane] = some ? 1 : 0;
    const float* rates = some ? rates_ + 4 * next_ : nullptr;
    lanes_.rate1[lane] = some ? rates[0] : 0.0f;
    lanes_.rate2[lane] = some ? rates[1] : 0.0f;
    lanes_.rate3[lane] = some ? rates[2] : 0.0f;
    lanes_.rate4[lane] = some ? rates[3] : 0.0f;
    lanes_.key_low[lane] = some ? static_cast<uint32_t>(keys_[next_]) : 0;
    lanes_.key_high[lane] = some ? static_cast<uint32_t>(keys_[next_] >> 32) : 0;
    if (!some) return;
    series_[next_].predators[0] = static_cast<uint16_t>(kInitialPredators);
    series_[next_].prey[0] = static_cast<uint16_t>(kInitialPrey);
    records_[lane] = 1;
    run_[lane] = next_++;
    ++active_;
  }

  Lanes lanes_;
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
