// Section 3.4 and appendix G: jobs in a queue, of which only the times between departures are seen.
#include <algorithm>

#include "base/cpu.hpp"
#include "models/built_in.hpp"
#include "models/mg1_queue_kernel.hpp"

namespace epsfree {
namespace {

constexpr Index kNumParameters = 3;
constexpr Index kNumStatistics = 5;

// The authors' pilot run of 100,000 simulations, by which the percentiles are whitened. It is part
// of the model: 1/theta3 has no mean under the prior, so another pilot run would give other
// numbers.
constexpr double kPilotMean[kNumStatistics] = {
    5.603234325370021, 16.107032258552668, 32.50289819710783, 57.74035798901813, 185.078850661258};
/// Column k is the k-th eigenvector.
constexpr double kPilotEigenvectors[kNumStatistics][kNumStatistics] = {
    {0.00157097513721181, 0.0064377295054526135, 0.9964273277620008, 0.029757086033113816,
     0.0787602945387488},
    {0.05240408063458723, -0.06298405883548136, -0.009529410008945529, 0.9670835169308942,
     -0.24071867873284594},
    {0.1405825872694616, -0.5040348960039842, 0.07457798874217113, -0.242225305249023,
     -0.8136033338544593},
    {0.25994724465162494, -0.8081792277096052, -0.038434646592266176, 0.06314790642870316,
     0.523267508786594},
    {0.9538948110376817, 0.29797101114098723, -0.0016347386517975848, -0.03468761338114704,
     -0.0095949519260637}};
constexpr double kPilotInverseStd[kNumStatistics] = {0.00010186778755424188, 0.0015912190224202712,
                                                     0.07446486280591076, 0.008847935589549135,
                                                     0.015420789214655277};
constexpr double kObserved[kNumStatistics] = {-0.017766465645959184, 0.01378771262320085,
                                              -0.31679026862458826, -0.032905872280447446,
                                              0.008509221101873415};

using Statistics = Eigen::Matrix<double, kNumStatistics, 1>;

/// ((percentiles - mean)^T eigenvectors)^T, each divided by its standard deviation.
Statistics whiten(const Statistics& percentiles) {
  using Square = Eigen::Matrix<double, kNumStatistics, kNumStatistics, Eigen::RowMajor>;
  const Eigen::Map<const Statistics> mean(kPilotMean), inverse_std(kPilotInverseStd);
  const Eigen::Map<const Square> eigenvectors(&kPilotEigenvectors[0][0]);
  const Statistics centred = percentiles - mean;
  const Statistics rotated = eigenvectors.transpose() * centred;
  return rotated.cwiseProduct(inverse_std);
}

/// The 0th, 25th, 50th, 75th and 100th percentile of one lane, linear between neighbours.
Statistics percentiles(const Mg1Output& output, int lane) {
  Statistics result;
  for (int k = 0; k < kNumStatistics; ++k) {
    const double position = (kMg1Jobs - 1) * k / (kNumStatistics - 1.0);
    const int below = std::min(static_cast<int>(position), kMg1Jobs - 2);
    const double a = output.sorted[below][lane], b = output.sorted[below + 1][lane];
    result[k] = a + (position - below) * (b - a);
  }
  return result;
}

using Kernel = decltype(&baseline::simulate_mg1_queue);

class Mg1QueueSimulator final : public Simulator {
 public:
  Index num_parameters() const override { return kNumParameters; }
  Index num_statistics() const override { return kNumStatistics; }
  Index preferred_batch() const override { return 8 * kMg1Lanes; }
  void simulate(const Eigen::Ref<const Eigen::MatrixXd>& thetas, std::span<Stream> streams,
                Eigen::Ref<Eigen::MatrixXd> statistics,
                std::span<SimStatus> statuses) const override {
    for (Index begin = 0; begin < thetas.cols(); begin += kMg1Lanes) {
      const int lanes = static_cast<int>(std::min<Index>(kMg1Lanes, thetas.cols() - begin));
      Mg1Input input = {};
      Mg1Output output;
      for (int lane = 0; lane < lanes; ++lane) {
        const auto theta = thetas.col(begin + lane);
        const std::uint64_t key = streams[static_cast<std::size_t>(begin + lane)].bits64();
        input.shortest_service[lane] = static_cast<float>(theta[0]);
        input.service_range[lane] = static_cast<float>(theta[1] - theta[0]);
        input.mean_interarrival[lane] = static_cast<float>(1.0 / theta[2]);
        input.key_low[lane] = static_cast<std::uint32_t>(key);
        input.key_high[lane] = static_cast<std::uint32_t>(key >> 32);
      }
      kernel_(input, output);
      for (int lane = 0; lane < lanes; ++lane) {
        const auto theta = thetas.col(begin + lane);
        // A queue exists only for these; the prior holds no others.
        const bool valid = theta[0] >= 0 && theta[1] >= theta[0] && theta[2] > 0;
        statuses[static_cast<std::size_t>(begin + lane)] =
            valid ? SimStatus::ok : SimStatus::invalid;
        statistics.col(begin + lane) = whiten(percentiles(output, lane));
      }
    }
  }

 private:
  Kernel kernel_ = EPSFREE_BEST_KERNEL(Kernel, simulate_mg1_queue);
};

class Mg1QueueModel final : public Model {
 public:
  std::string name() const override { return "mg1-queue"; }
  std::string description() const override {
    return "Service times and arrival rate of a queue, from percentiles of the times between "
           "departures, whitened with the authors' pilot constants (section 3.4)";
  }
  /// theta1, theta2 - theta1 and theta3 are independent and uniform.
  PriorPtr prior() const override {
    PriorPtr box = uniform_prior(Eigen::Vector3d::Zero(), Eigen::Vector3d(10.0, 10.0, 1.0 / 3.0));
    Eigen::MatrixXd A = Eigen::MatrixXd::Identity(kNumParameters, kNumParameters);
    A(1, 0) = 1.0;
    return linear_image_prior(std::move(box), std::move(A), Eigen::VectorXd::Zero(kNumParameters));
  }
  SimulatorPtr simulator() const override { return std::make_shared<Mg1QueueSimulator>(); }
  std::vector<std::string> parameter_names() const override {
    return numbered_names("theta", kNumParameters);
  }
  std::vector<std::string> statistic_names() const override {
    return numbered_names("whitened_percentile", kNumStatistics);
  }
  Eigen::VectorXd default_truth() const override { return Eigen::Vector3d(1.0, 5.0, 0.2); }
  Eigen::VectorXd default_observed() const override {
    return Eigen::Map<const Statistics>(kObserved);
  }
};

}  // namespace

std::shared_ptr<const Model> mg1_queue_model() { return std::make_shared<Mg1QueueModel>(); }

}  // namespace epsfree
