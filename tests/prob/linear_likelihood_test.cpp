#include "prob/regression/linear_likelihood.hpp"

#include <Eigen/Cholesky>

#include "cases.hpp"
#include "epsfree/divergence.hpp"
#include "prob/regression/mixture_regression.hpp"

namespace epsfree {
namespace {

/// t = A u + b + noise with a full noise covariance.
struct Model {
  Eigen::MatrixXd A;
  Eigen::VectorXd b;
  Eigen::MatrixXd noise;

  static Model make(Index dim, Index num_statistics, Stream& stream) {
    return {random_matrix(num_statistics, dim, stream), random_vector(num_statistics, stream),
            0.2 * random_covariance(num_statistics, stream)};
  }

  Eigen::MatrixXd simulate(const Eigen::MatrixXd& parameters, Stream& stream) const {
    const Gaussian errors = Gaussian::from_covariance(b, noise);
    return A * parameters + errors.sample(parameters.cols(), stream);
  }

  Gaussian posterior(const Eigen::VectorXd& t, const LogQuadratic& log_prior) const {
    const Eigen::MatrixXd half = noise.llt().solve(A);
    const Eigen::MatrixXd precision = A.transpose() * half + log_prior.precision;
    const Eigen::VectorXd pull = half.transpose() * (t - b) + log_prior.shift;
    return Gaussian::from_precision(precision.llt().solve(pull), precision);
  }
};

/// Parameters of two proposals that have nothing to do with the prior.
Eigen::MatrixXd two_proposals(Index dim, Index count, Stream& stream) {
  Eigen::MatrixXd u = random_matrix(dim, count, stream);
  u.rightCols(count / 2) *= 0.3;
  u.rightCols(count / 2).array() += 1.5;
  return u;
}

// n simulations determine (D + 1) p coefficients and p (p + 1) / 2 covariances up to a KL of about
// half their number over n: 18 / 40000 = 0.0005 here, of which ten times are allowed. Mutations
// seen to fail: the intercept left out, the noise covariance not inverted, the prior's shift
// forgotten.
TEST(LinearLikelihood, RecoversTheExactPosteriorFromAnyProposals) {
  Stream stream(341);
  const Index D = 3, p = 4, n = 20000;
  const Model model = Model::make(D, p, stream);
  const Eigen::MatrixXd u = two_proposals(D, n, stream);
  const LinearLikelihood likelihood(u, model.simulate(u, stream), Eigen::VectorXd::Ones(n));
  const Eigen::VectorXd observed = model.A * random_vector(D, stream) + model.b;
  for (const LogQuadratic& prior :
       {LogQuadratic::of(random_gaussian(D, stream)), LogQuadratic::flat(D)}) {
    EXPECT_LT(
        kl_divergence(model.posterior(observed, prior), likelihood.posterior(observed, prior)),
        0.005);
  }
}

TEST(LinearLikelihood, PredictionsAreThePosteriorsDensity) {
  Stream stream(342);
  const Index D = 2, p = 3, n = 20000;
  const Model model = Model::make(D, p, stream);
  const Eigen::MatrixXd u = two_proposals(D, n, stream), t = model.simulate(u, stream);
  const LinearLikelihood likelihood(u, t, Eigen::VectorXd::Ones(n));
  const LogQuadratic prior = LogQuadratic::of(random_gaussian(D, stream));
  const Eigen::VectorXd log_probs = likelihood.log_probs(u.leftCols(20), t.leftCols(20), prior);
  for (Index i = 0; i < 20; ++i) {
    // Their variances differ by leverages of about (D + 1) / n; misfits beyond the usual widen one.
    EXPECT_NEAR(log_probs[i], likelihood.posterior(t.col(i), prior).log_prob(u.col(i)), 0.01);
  }
}

TEST(LinearLikelihood, DensitiesIntegrateToOne) {
  Stream stream(343);
  const Model model = Model::make(1, 2, stream);
  const Eigen::MatrixXd u = two_proposals(1, 30, stream);
  const LinearLikelihood likelihood(u, model.simulate(u, stream), Eigen::VectorXd::Ones(30));
  const LogQuadratic exponential{Eigen::MatrixXd::Zero(1, 1), Eigen::VectorXd::Constant(1, -2)};
  const Index n = 20001;
  const Eigen::MatrixXd grid = Eigen::RowVectorXd::LinSpaced(n, -40, 40);
  for (const LogQuadratic& prior :
       {LogQuadratic::of(Gaussian::standard(1)), LogQuadratic::flat(1), exponential}) {
    const Eigen::VectorXd context = 2 * random_vector(2, stream);
    const double mass =
        likelihood.log_probs(grid, context.replicate(1, n), prior).array().exp().sum() * 80 /
        (n - 1);
    EXPECT_NEAR(mass, 1, 1e-6);
  }
}

TEST(LinearLikelihood, ZeroWeightsLeaveSimulationsOut) {
  Stream stream(344);
  const Model model = Model::make(2, 3, stream);
  Eigen::MatrixXd u = two_proposals(2, 100, stream), t = model.simulate(u, stream);
  const LinearLikelihood few(u.leftCols(80), t.leftCols(80), Eigen::VectorXd::Ones(80));
  u.rightCols(20).array() += 100;
  t.rightCols(20).setRandom();
  Eigen::VectorXd weights = Eigen::VectorXd::Constant(100, 3);  // their unit does not matter
  weights.tail(20).setZero();
  const LinearLikelihood all(u, t, weights);
  const LogQuadratic prior = LogQuadratic::of(Gaussian::standard(2));
  const Gaussian a = few.posterior(t.col(0), prior), b = all.posterior(t.col(0), prior);
  expect_close(a.mean(), b.mean(), 1e-9);
  expect_close(a.covariance(), b.covariance(), 1e-9);
}

// Averages over many small samples: the posterior's variance is that of its errors. A Gaussian
// cannot have the tails that an estimated precision calls for, so that it may be some percent off.
// Mutations seen to fail: noise divided by n instead of its degrees of freedom, no factor for its
// inverse, no allowance for the coefficients' uncertainty.
TEST(LinearLikelihood, SmallSamplesAreNotOverconfident) {
  const Index D = 4, p = 6, n = 24;
  const int replicates = 8000;
  const LogQuadratic prior = LogQuadratic::of(Gaussian::standard(D));
  double errors = 0, variances = 0;
  for (int r = 0; r < replicates; ++r) {
    Stream stream(345, {.index = static_cast<std::uint64_t>(r)});
    const Eigen::MatrixXd A = random_matrix(p, D, stream);
    const Eigen::MatrixXd u = random_matrix(D, n, stream);
    const LinearLikelihood likelihood(u, A * u + random_matrix(p, n, stream),
                                      Eigen::VectorXd::Ones(n));
    const Eigen::VectorXd truth = random_vector(D, stream);
    const Gaussian posterior = likelihood.posterior(A * truth + random_vector(p, stream), prior);
    errors += (posterior.mean() - truth).squaredNorm();
    variances += posterior.covariance().trace();
  }
  // Known to about 0.01. It is 0.91; the mutations have 0.84 and less.
  EXPECT_GT(variances / errors, 0.865);
  EXPECT_LT(variances / errors, 1.05);
}

// What no parameters explain widens the posterior by as much as it is beyond the usual.
TEST(LinearLikelihood, AMisfitWidensThePosterior) {
  Stream stream(346);
  const Index n = 20000;
  Model model = Model::make(1, 3, stream);
  model.noise = Eigen::MatrixXd::Identity(3, 3);
  model.A = Eigen::Vector3d(1, 1, 0);
  const Eigen::MatrixXd u = random_matrix(1, n, stream);
  const LinearLikelihood likelihood(u, model.simulate(u, stream), Eigen::VectorXd::Ones(n));
  const LogQuadratic prior = LogQuadratic::flat(1);
  EXPECT_NEAR(likelihood.posterior(model.b, prior).covariance()(0, 0), 0.5, 0.02);
  const Eigen::VectorXd off = model.b + Eigen::Vector3d(0, 0, 30);
  EXPECT_NEAR(likelihood.posterior(off, prior).covariance()(0, 0),
              0.5 * 900 / largest_usual_distance(3), 0.05 * 0.5 * 900 / largest_usual_distance(3));
}

}  // namespace
}  // namespace epsfree
