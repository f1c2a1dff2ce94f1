// Section 3.2: Bayesian linear regression, with the inputs and the observation of the paper's
// authors.

#include "base/dense_solvers.hpp"
#include "models/built_in.hpp"
#include "prob/dimensions.hpp"

namespace epsfree {
namespace {

constexpr Index kNumParameters = 6;
constexpr Index kNumStatistics = 10;
constexpr double kNoiseStd = 0.1;

/// Row i is the input u_i of the i-th observed output.
constexpr double kInputs[kNumStatistics][kNumParameters] = {
    {2.058251291316463, -0.16765029678189955, -1.2012566609388293, 0.9937522154408698,
     -0.4162330285555131, -1.2362198406171707},
    {0.21623887104571696, 0.8437068299703847, 1.0382905587270455, 1.2545865883772536,
     2.155512535050148, -2.0325349354372775},
    {0.7974715415123189, -0.6413120681179794, 0.625378923959257, 1.7046098450391425,
     0.2352565871647242, 0.6074977357734049},
    {-2.004221997229445, -1.1829429404409724, 0.15925641153926853, 0.5756982025395868,
     0.3896993130734217, -1.3049127929809397},
    {0.6659461624495318, 1.1372812930375447, 1.3179640304607259, -1.5221626872579528,
     1.127469507602229, 2.1161611142432823},
    {1.250531411036032, -0.30382762220291093, -0.18228090944068917, -2.3164237516058552,
     1.0858142296048936, -0.8333659569017601},
    {-0.7694171364314474, -1.3051008651522322, 0.7428570974338927, -1.2391748139263938,
     -0.7879218225475683, -1.5678790684812751},
    {-0.33088053972266884, 1.0608260849609794, -0.5390758109265528, -0.4540526406438181,
     0.2683628559520913, 0.8560539637459363},
    {0.4771752051641017, -0.8007065075587305, -0.8837218576919038, -1.2582795793267254,
     0.7864831295605671, 0.7085702311083298},
    {0.6934196596461455, -0.4253451578121642, -0.7533347678267017, 0.3670395800658562,
     -0.2743842043405455, 0.27632314940448816}};
constexpr double kTruth[kNumParameters] = {-0.09347910409124471, -1.3086156017862827,
                                           -0.7516368317112075,  0.30543256466986235,
                                           -0.4321097268349233,  0.4322210787094549};
constexpr double kObserved[kNumStatistics] = {
    0.8340540349162369,  -3.19632503899873,   1.059734150536825,  1.020758984365609,
    -2.4283869354548835, -1.0898916276289392, 0.6302344968304646, -0.7736172990648758,
    1.2161499471039479,  1.3804630650299163};

using Inputs = Eigen::Matrix<double, kNumStatistics, kNumParameters, Eigen::RowMajor>;

Inputs inputs() { return Eigen::Map<const Inputs>(&kInputs[0][0]); }

class LinearRegressionSimulator final : public Simulator {
 public:
  Index num_parameters() const override { return kNumParameters; }
  Index num_statistics() const override { return kNumStatistics; }
  Index preferred_batch() const override { return 128; }
  void simulate(const Eigen::Ref<const Eigen::MatrixXd>& thetas, std::span<Stream> streams,
                Eigen::Ref<Eigen::MatrixXd> statistics,
                std::span<SimStatus> statuses) const override {
    // Column by column: a product of whole matrices may sum in another order for another batch.
    for (Index i = 0; i < thetas.cols(); ++i) {
      const auto column = static_cast<std::size_t>(i);
      const Eigen::Matrix<double, kNumParameters, 1> theta = thetas.col(i);
      Eigen::Matrix<double, kNumStatistics, 1> x = inputs_ * theta;
      for (double& value : x) value += kNoiseStd * streams[column].normal();
      statistics.col(i) = x;
      statuses[column] = SimStatus::ok;
    }
  }

 private:
  const Inputs inputs_ = inputs();
};

class LinearRegressionModel final : public Model {
 public:
  std::string name() const override { return "linear-regression"; }
  std::string description() const override {
    return "Six weights of a linear map, from ten noisy outputs (section 3.2)";
  }
  PriorPtr prior() const override { return gaussian_prior(Gaussian::standard(kNumParameters)); }
  SimulatorPtr simulator() const override { return std::make_shared<LinearRegressionSimulator>(); }
  std::vector<std::string> parameter_names() const override {
    return numbered_names("theta", kNumParameters);
  }
  std::vector<std::string> statistic_names() const override {
    return numbered_names("x", kNumStatistics);
  }
  Eigen::VectorXd default_truth() const override {
    return Eigen::Map<const Eigen::VectorXd>(kTruth, kNumParameters);
  }
  Eigen::VectorXd default_observed() const override {
    return Eigen::Map<const Eigen::VectorXd>(kObserved, kNumStatistics);
  }

  /// Conjugate: S^-1 = I + U^T U / sigma^2, m = S U^T x / sigma^2.
  PosteriorPtr exact_posterior(const Eigen::Ref<const Eigen::VectorXd>& observed) const override {
    check_rows(observed.size(), kNumStatistics, "linear-regression: observed");
    const Eigen::MatrixXd U = inputs();
    const Eigen::MatrixXd precision = Eigen::MatrixXd::Identity(kNumParameters, kNumParameters) +
                                      U.transpose() * U / (kNoiseStd * kNoiseStd);
    const Eigen::VectorXd m =
        Cholesky(precision).solve(U.transpose() * observed / (kNoiseStd * kNoiseStd));
    return std::make_shared<MixturePosterior>(
        prior(), parameter_names(), GaussianMixture(Gaussian::from_precision(m, precision)));
  }
};

}  // namespace

std::shared_ptr<const Model> linear_regression_model() {
  return std::make_shared<LinearRegressionModel>();
}

}  // namespace epsfree
