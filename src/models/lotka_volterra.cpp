// Section 3.3 and appendix F: predators and prey.
//
// Recorded is the state at the recording time, as the paper's text has it. The authors' code
// records the state after the first reaction beyond it; at the true parameters that moves each
// statistic by about 1% of its standard deviation.
#include <algorithm>
#include <cmath>
#include <memory>

#include "base/cpu.hpp"
#include "models/built_in.hpp"
#include "models/lotka_volterra_kernel.hpp"
#include "models/lotka_volterra_statistics.hpp"

namespace epsfree {
namespace {

constexpr Index kNumParameters = 4;
constexpr Index kNumStatistics = 9;
constexpr double kLogRateLow = -5.0;
constexpr double kLogRateHigh = 2.0;

// Of the authors: their observation, and mean and standard deviation of 1000 runs from the prior,
// by which every statistic is normalised.
constexpr double kObserved[kNumStatistics] = {
    95.2251655629139,   51.966887417218544, 8.673645613767254,
    8.051495657751438,  0.9800023163789862, 0.9349876506264332,
    0.9772874722030622, 0.9269218757264457, 0.02293618463877707};
constexpr double kPilotMean[kNumStatistics] = {
    219.80177483443728,  5.830814569536403,   6.636608578145706,
    4.444700020848168,   0.8408783423013526,  0.7379918995955513,
    0.13501840665947853, 0.07474726910613821, 0.12483585523376277};
constexpr double kPilotStd[kNumStatistics] = {
    592.3261070679229,  54.66499823179135,   2.969361491862029,
    0.9018732576373955, 0.17981176374868152, 0.2567860903637174,
    0.2662085535541585, 0.2029963801597384,  0.3757516130682276};

using Statistics = LotkaVolterraStatistics;

Statistics normalise(const Statistics& raw) {
  const Eigen::Map<const Statistics> mean(kPilotMean), std(kPilotStd);
  return (raw - mean).cwiseQuotient(std);
}

using Kernel = decltype(&baseline::simulate_lotka_volterra);

class LotkaVolterraSimulator final : public Simulator {
 public:
  Index num_parameters() const override { return kNumParameters; }
  Index num_statistics() const override { return kNumStatistics; }
  // Runs differ in length: the more of them, the less the kernel's lanes idle at the end.
  Index preferred_batch() const override { return 128; }
  void simulate(const Eigen::Ref<const Eigen::MatrixXd>& thetas, std::span<Stream> streams,
                Eigen::Ref<Eigen::MatrixXd> statistics,
                std::span<SimStatus> statuses) const override {
    const auto count = static_cast<std::size_t>(thetas.cols());
    std::vector<float> rates(4 * count);
    std::vector<std::uint64_t> keys(count);
    for (std::size_t i = 0; i < count; ++i) {
      for (std::size_t j = 0; j < 4; ++j) rates[4 * i + j] = rate(thetas(j, i));
      keys[i] = streams[i].bits64();
    }
    std::vector<LotkaVolterraSeries> series(count);
    const auto finished = std::make_unique<bool[]>(count);
    kernel_(static_cast<int>(count), rates.data(), keys.data(), series.data(), finished.get());
    for (std::size_t i = 0; i < count; ++i) {
      const bool valid = finished[i] && !thetas.col(i).hasNaN();
      statuses[i] = valid ? SimStatus::ok : SimStatus::invalid;
      if (valid) statistics.col(i) = normalise(lotka_volterra_statistics(series[i]));
    }
  }

 private:
  /// Within what the kernel can take, which is far beyond the prior. What is NaN is invalid anyway.
  static float rate(double log_rate) {
    if (std::isnan(log_rate)) return 0;
    return static_cast<float>(std::exp(std::min(log_rate, 65.0)));
  }

  Kernel kernel_ = EPSFREE_BEST_KERNEL(Kernel, simulate_lotka_volterra);
};

class LotkaVolterraModel final : public Model {
 public:
  std::string name() const override { return "lotka-volterra"; }
  std::string description() const override {
    return "Four reaction rates of predators and prey, from nine statistics of their numbers over "
           "time, normalised with the authors' pilot constants (section 3.3)";
  }
  PriorPtr prior() const override {
    return uniform_prior(Eigen::VectorXd::Constant(kNumParameters, kLogRateLow),
                         Eigen::VectorXd::Constant(kNumParameters, kLogRateHigh));
  }
  SimulatorPtr simulator() const override { return std::make_shared<LotkaVolterraSimulator>(); }
  std::vector<std::string> parameter_names() const override {
    return numbered_names("log_theta", kNumParameters);
  }
  std::vector<std::string> statistic_names() const override {
    return {"normalised_mean_predators",
            "normalised_mean_prey",
            "normalised_log(var_predators+1)",
            "normalised_log(var_prey+1)",
            "normalised_autocorr_predators_lag1",
            "normalised_autocorr_predators_lag2",
            "normalised_autocorr_prey_lag1",
            "normalised_autocorr_prey_lag2",
            "normalised_crosscorr"};
  }
  Eigen::VectorXd default_truth() const override {
    return Eigen::Vector4d(0.01, 0.5, 1.0, 0.01).array().log();
  }
  Eigen::VectorXd default_observed() const override {
    return normalise(Eigen::Map<const Statistics>(kObserved));
  }
};

}  // namespace

std::shared_ptr<const Model> lotka_volterra_model() {
  return std::make_shared<LotkaVolterraModel>();
}

}  // namespace epsfree
