// Section 3.1: the common mean of two Gaussians, one wide and one narrow, from a single number.
#include <cmath>

#include "models/built_in.hpp"
#include "prob/dimensions.hpp"

namespace epsfree {
namespace {

constexpr double kPriorBound = 10.0;  // theta is uniform on [-10, 10]
constexpr double kWeight1 = 0.5;      // alpha
constexpr double kSigma1 = 1.0;
constexpr double kSigma2 = 0.1;

class MixtureSimulator final : public Simulator {
 public:
  Index num_parameters() const override { return 1; }
  Index num_statistics() const override { return 1; }
  Index preferred_batch() const override { return 256; }
  void simulate(const Eigen::Ref<const Eigen::MatrixXd>& thetas, std::span<Stream> streams,
                Eigen::Ref<Eigen::MatrixXd> statistics,
                std::span<SimStatus> statuses) const override {
    for (Index i = 0; i < thetas.cols(); ++i) {
      const auto column = static_cast<std::size_t>(i);
      Stream& stream = streams[column];
      const double sigma = stream.uniform() < kWeight1 ? kSigma1 : kSigma2;
      statistics(0, i) = thetas(0, i) + sigma * stream.normal();
      statuses[column] = SimStatus::ok;
    }
  }
};

class MixtureModel final : public Model {
 public:
  std::string name() const override { return "mixture"; }
  std::string description() const override {
    return "The common mean of a mixture of two Gaussians, from one number (section 3.1)";
  }
  PriorPtr prior() const override {
    return uniform_prior(Eigen::VectorXd::Constant(1, -kPriorBound),
                         Eigen::VectorXd::Constant(1, kPriorBound));
  }
  SimulatorPtr simulator() const override { return std::make_shared<MixtureSimulator>(); }
  std::vector<std::string> parameter_names() const override { return {"theta"}; }
  std::vector<std::string> statistic_names() const override { return {"x"}; }
  /// The paper names none: what it observes is the mean itself.
  Eigen::VectorXd default_truth() const override { return Eigen::VectorXd::Zero(1); }
  Eigen::VectorXd default_observed() const override { return Eigen::VectorXd::Zero(1); }

  /// p(x|theta) is symmetric in x and theta: the mixture around x, restricted to the prior.
  PosteriorPtr exact_posterior(const Eigen::Ref<const Eigen::VectorXd>& observed) const override {
    check_rows(observed.size(), 1, "mixture: observed");
    const auto component = [&](double sigma) {
      return Gaussian::from_covariance(observed, Eigen::MatrixXd::Constant(1, 1, sigma * sigma));
    };
    GaussianMixture mixture({component(kSigma1), component(kSigma2)},
                            Eigen::Vector2d(std::log(kWeight1), std::log(1 - kWeight1)));
    return std::make_shared<MixturePosterior>(prior(), parameter_names(), std::move(mixture));
  }
};

}  // namespace

std::shared_ptr<const Model> mixture_model() { return std::make_shared<MixtureModel>(); }

}  // namespace epsfree
