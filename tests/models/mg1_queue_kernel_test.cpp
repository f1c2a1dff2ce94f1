#include "models/mg1_queue_kernel.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "base/cpu.hpp"
#include "models/textbook_queue.hpp"
#include "models/two_sample.hpp"

namespace epsfree {
namespace {

using Kernel = decltype(&baseline::simulate_mg1_queue);

std::vector<Kernel> kernels() {
  std::vector<Kernel> all = {baseline::simulate_mg1_queue};
#if defined(__x86_64__)
  if (best_isa() >= Isa::avx2) all.push_back(avx2::simulate_mg1_queue);
  if (best_isa() >= Isa::avx512) all.push_back(avx512::simulate_mg1_queue);
#endif
  return all;
}

void set_lane(Mg1Input& input, int lane, const std::array<double, 3>& theta, std::uint64_t key) {
  input.shortest_service[lane] = static_cast<float>(theta[0]);
  input.service_range[lane] = static_cast<float>(theta[1] - theta[0]);
  input.mean_interarrival[lane] = static_cast<float>(1 / theta[2]);
  input.key_low[lane] = static_cast<std::uint32_t>(key);
  input.key_high[lane] = static_cast<std::uint32_t>(key >> 32);
}

TEST(Mg1QueueKernel, ARunDependsNeitherOnItsLaneNorOnItsNeighbours) {
  for (Kernel kernel : kernels()) {
    Stream stream(1);
    Mg1Input input = {};
    for (int lane = 0; lane < kMg1Lanes; ++lane) {
      const double shortest = stream.uniform(0, 10);
      set_lane(input, lane, {shortest, shortest + stream.uniform(0, 10), stream.uniform(0, 0.33)},
               stream.bits64());
    }
    Mg1Output all;
    kernel(input, all);
    for (int lane = 0; lane < kMg1Lanes; ++lane) {
      Mg1Input single = {};
      const int other = (lane + 5) % kMg1Lanes;
      single.shortest_service[other] = input.shortest_service[lane];
      single.service_range[other] = input.service_range[lane];
      single.mean_interarrival[other] = input.mean_interarrival[lane];
      single.key_low[other] = input.key_low[lane];
      single.key_high[other] = input.key_high[lane];
      Mg1Output alone;
      kernel(single, alone);
      for (int i = 0; i < kMg1Jobs; ++i) EXPECT_EQ(alone.sorted[i][other], all.sorted[i][lane]);
    }
  }
}

// The same random bits everywhere; only rounding may differ.
TEST(Mg1QueueKernel, InstructionSetsAgree) {
  Stream stream(3);
  Mg1Input input = {};
  for (int lane = 0; lane < kMg1Lanes; ++lane) set_lane(input, lane, {1, 5, 0.2}, stream.bits64());
  Mg1Output expected;
  baseline::simulate_mg1_queue(input, expected);
  for (Kernel kernel : kernels()) {
    Mg1Output output;
    kernel(input, output);
    for (int i = 0; i < kMg1Jobs; ++i) {
      for (int lane = 0; lane < kMg1Lanes; ++lane) {
        EXPECT_NEAR(output.sorted[i][lane], expected.sorted[i][lane], 1e-3);
      }
    }
  }
}

TEST(Mg1QueueKernel, SortsAndStaysWithinItsBounds) {
  for (Kernel kernel : kernels()) {
    Stream stream(2);
    for (int repeat = 0; repeat < 200; ++repeat) {
      Mg1Input input = {};
      for (int lane = 0; lane < kMg1Lanes; ++lane) {
        // Half of them never idle after the first job: then an interdeparture is a service time.
        set_lane(input, lane, {1, 3, lane % 2 == 0 ? 0.5 : 1e9}, stream.bits64());
      }
      Mg1Output output;
      kernel(input, output);
      for (int lane = 0; lane < kMg1Lanes; ++lane) {
        EXPECT_GE(output.sorted[0][lane], 1);
        if (lane % 2 == 1) {
          EXPECT_LE(output.sorted[kMg1Jobs - 1][lane], 3.0001f);
        }
        for (int i = 1; i < kMg1Jobs; ++i) {
          EXPECT_LE(output.sorted[i - 1][lane], output.sorted[i][lane]);
        }
      }
    }
  }
}

// Fails when `lead` forgets the backlog (max(0, lead) - s), when the first job does not wait for
// its arrival and when the last pass of the sort is left out.
TEST(Mg1QueueKernel, HasTheDistributionOfTheTextbookLoop) {
  const std::vector<std::array<double, 3>> points = {
      {1, 5, 0.2}, {0.5, 9, 0.3}, {8, 8.5, 0.12}, {2, 3, 0.001}};
  constexpr int kRuns = 8000;
  const double level = 1e-3 / static_cast<double>(points.size() * 5 * kernels().size());
  for (std::size_t point = 0; point < points.size(); ++point) {
    const auto& theta = points[point];
    std::vector<std::vector<double>> expected(5);
    for (int i = 0; i < kRuns; ++i) {
      Stream stream(
          9, {.round = static_cast<std::uint32_t>(point), .index = static_cast<std::uint64_t>(i)});
      const auto percentiles = textbook_queue(theta[0], theta[1], theta[2], stream);
      for (std::size_t k = 0; k < 5; ++k) expected[k].push_back(percentiles[k]);
    }
    for (Kernel kernel : kernels()) {
      std::vector<std::vector<double>> found(5);
      Stream stream(10, {.round = static_cast<std::uint32_t>(point)});
      for (int i = 0; i < kRuns / kMg1Lanes; ++i) {
        Mg1Input input = {};
        for (int lane = 0; lane < kMg1Lanes; ++lane) set_lane(input, lane, theta, stream.bits64());
        Mg1Output output;
        kernel(input, output);
        for (int lane = 0; lane < kMg1Lanes; ++lane) {
          const auto at = [&](int row) { return static_cast<double>(output.sorted[row][lane]); };
          found[0].push_back(at(0));
          found[1].push_back(0.75 * at(12) + 0.25 * at(13));
          found[2].push_back(0.5 * at(24) + 0.5 * at(25));
          found[3].push_back(0.25 * at(36) + 0.75 * at(37));
          found[4].push_back(at(49));
        }
      }
      for (std::size_t k = 0; k < 5; ++k) {
        EXPECT_GT(kolmogorov_smirnov(found[k], expected[k]), level)
            << "point " << point << ", percentile " << 25 * k;
      }
    }
  }
}

}  // namespace
}  // namespace epsfree
