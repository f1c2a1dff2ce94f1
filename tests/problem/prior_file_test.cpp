#include "problem/prior_file.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "support/error_of.hpp"

namespace epsfree {
namespace {

NamedPrior read(const std::string& text) {
  const Node document = parse_toml(text, "f.toml");
  Section root(document);
  Section section = root.section("prior");
  return read_prior(section);
}

TEST(PriorFile, IndependentMarginalsOfEveryFamily) {
  const NamedPrior named = read(R"([prior]
kind = "independent"
parameter = [
  {name = "a", family = "uniform", low = 0, high = 2},
  {name = "b", family = "normal", mean = 1, std = 2},
  {name = "c", family = "log-uniform", low = 0.1, high = 10},
  {name = "d", family = "log-normal", log_mean = 0, log_std = 1},
  {name = "e", family = "exponential", rate = 2},
  {name = "f", family = "gamma", shape = 2, rate = 3},
  {name = "g", family = "beta", a = 2, b = 3},
  {name = "h", family = "half-normal", std = 1.5},
  {name = "i", family = "truncated-normal", mean = 0, std = 1, low = 0, high = inf},
]
)");
  ASSERT_EQ(named.prior->dim(), 9);
  EXPECT_EQ(named.names.back(), "i");
  Eigen::VectorXd expected(9);
  // A truncation of a standard normal to the positive half is a half-normal: mean sqrt(2 / pi).
  expected << 1, 1, (10 - 0.1) / std::log(100.0), std::exp(0.5), 0.5, 2.0 / 3, 0.4,
      1.5 * std::sqrt(2 / M_PI), std::sqrt(2 / M_PI);
  EXPECT_TRUE(named.prior->mean().isApprox(expected, 1e-9)) << named.prior->mean().transpose();
}

TEST(PriorFile, GaussiansByCovarianceOrStandardDeviations) {
  const NamedPrior named = read(
      "[prior]\nkind = \"gaussian\"\nmean = [1, 2]\ncovariance = [[2, 0.5], [0.5, 1]]\n"
      "names = [\"u\", \"v\"]\n");
  EXPECT_EQ(named.prior->mean(), Eigen::Vector2d(1, 2));
  EXPECT_NEAR(named.prior->covariance()(0, 1), 0.5, 1e-12);
  EXPECT_EQ(named.names, (std::vector<std::string>{"u", "v"}));
  const NamedPrior diagonal = read("[prior]\nkind = \"gaussian\"\nmean = [1, 2]\nstd = [3, 0.5]\n");
  EXPECT_NEAR(diagonal.prior->covariance()(0, 0), 9, 1e-12);
  EXPECT_TRUE(diagonal.names.empty());
}

TEST(PriorFile, LinearImages) {
  // The M/G/1 prior: theta2 = theta1 + u2.
  const NamedPrior named = read(R"([prior]
kind = "linear-image"
matrix = [[1, 0], [1, 1]]
shift = [0.5, 0]
[prior.base]
kind = "independent"
[[prior.base.parameter]]
family = "uniform"
low = 0
high = 10
[[prior.base.parameter]]
family = "uniform"
low = 0
high = 10
)");
  EXPECT_TRUE(named.prior->mean().isApprox(Eigen::Vector2d(5.5, 10), 1e-12));
  EXPECT_FALSE(named.prior->contains(Eigen::Vector2d(5, 4)));
  EXPECT_NEAR(named.prior->log_prob(Eigen::Vector2d(5, 6)), -std::log(100.0), 1e-12);
}

TEST(PriorFile, FaultsHaveAPlace) {
  const auto message = [](const std::string& text) {
    return error_of(ErrorKind::input, [&] { read(text); });
  };
  EXPECT_EQ(message("[prior]\n"),
            "f.toml:1: key 'prior.kind': missing; expected \"independent\", \"gaussian\" or "
            "\"linear-image\"");
  EXPECT_EQ(message("[prior]\nkind = \"independent\"\n"),
            "f.toml:1: key 'prior.parameter': missing; expected one [[prior.parameter]] table per "
            "parameter");
  EXPECT_EQ(message("[prior]\nkind = \"gaussian\"\nmean = [0]\n"),
            "f.toml:1: key 'prior.covariance': expected exactly one of 'covariance' (rows) and "
            "'std' (an array)");
  EXPECT_EQ(message("[prior]\nkind = \"gaussian\"\nmean = [0, 0]\nstd = [1]\n"),
            "f.toml:4: key 'prior.std': got 1 numbers, expected 2 as in 'mean'");
  EXPECT_NE(message("[prior]\nkind = \"gaussian\"\nmean = [0]\nstd = [-1]\n").find("positive"),
            std::string::npos);
  const std::string base = "[prior.base]\nkind = \"gaussian\"\nmean = [0, 0]\nstd = [1, 1]\n";
  EXPECT_NE(message("[prior]\nkind = \"linear-image\"\nmatrix = [[1, 2], [2, 4]]\n" + base)
                .find("f.toml:3: key 'prior.matrix'"),
            std::string::npos)
      << "a singular matrix";
  EXPECT_NE(message("[prior]\nkind = \"linear-image\"\nmatrix = [[1]]\n" + base).find("2 x 2"),
            std::string::npos);
  EXPECT_NE(message("[prior]\nkind = \"gaussian\"\nmean = [0, 0]\nstd = [1, 1]\nnames = [\"a\", "
                    "\"a\"]\n")
                .find("same name"),
            std::string::npos);
}

}  // namespace
}  // namespace epsfree
