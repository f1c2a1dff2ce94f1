#include "diagnose/two_sample/classifier.hpp"

#include <gtest/gtest.h>

#include <Eigen/LU>
#include <cmath>

namespace epsfree {
namespace {

struct Labelled {
  Eigen::MatrixXf points;
  Eigen::VectorXf labels;
};

/// N(-1, 1) and N(1, 1) in every dimension: the log odds are 2 times the sum of x.
Labelled two_gaussians(Index dim, Index count, Stream& stream) {
  Labelled data{Eigen::MatrixXf(dim, count), Eigen::VectorXf(count)};
  for (Index i = 0; i < count; ++i) {
    data.labels[i] = static_cast<float>(i % 2);
    for (Index d = 0; d < dim; ++d) {
      data.points(d, i) = static_cast<float>(stream.normal() + (i % 2 == 0 ? -1 : 1));
    }
  }
  return data;
}

// Logistic regression has one minimum, which Newton's method finds: the classifier without hidden
// layers must find it too. Mutations seen to fail: the gradient of the bias left out, the penalty
// with the wrong sign.
TEST(Classifier, WithoutHiddenLayersIsLogisticRegression) {
  Stream stream(1);
  const Labelled data = two_gaussians(2, 400, stream);
  constexpr double kPenalty = 5;
  Eigen::Vector3d w = Eigen::Vector3d::Zero();
  Eigen::MatrixXd x(3, 400);
  x << data.points.cast<double>(), Eigen::RowVectorXd::Ones(400);
  const Eigen::Vector3d penalty(kPenalty, kPenalty, 0);
  for (int step = 0; step < 30; ++step) {
    const Eigen::ArrayXd p = 1 / (1 + (-(x.transpose() * w).array()).exp());
    const Eigen::Vector3d gradient =
        x * (p - data.labels.cast<double>().array()).matrix() + penalty.cwiseProduct(w);
    const Eigen::Matrix3d hessian = x * (p * (1 - p)).matrix().asDiagonal() * x.transpose() +
                                    Eigen::Matrix3d(penalty.asDiagonal());
    w -= hessian.inverse() * gradient;
  }
  const Classifier classifier(data.points, data.labels,
                              {.num_layers = 0,
                               .learning_rate = 0.01,
                               .batch_size = 400,
                               .weight_penalty = kPenalty,
                               .max_epochs = 3000,
                               .tolerance = 0},
                              stream);
  Eigen::MatrixXf at(2, 3);
  at << 0, 1, 0, 0, 0, 1;
  const Eigen::VectorXf odds = classifier.log_odds(at);
  EXPECT_NEAR(odds[0], w[2], 0.01);
  EXPECT_NEAR(odds[1], w[0] + w[2], 0.01);
  EXPECT_NEAR(odds[2], w[1] + w[2], 0.01);
}

// What no line separates: the hidden layers must learn it, and so their gradients be right.
TEST(Classifier, LearnsWhatNeedsHiddenLayers) {
  Stream stream(2);
  Labelled data{Eigen::MatrixXf(2, 1000), Eigen::VectorXf(1000)};
  for (Index i = 0; i < 1000; ++i) {
    data.points.col(i) << static_cast<float>(stream.uniform(-1, 1)),
        static_cast<float>(stream.uniform(-1, 1));
    data.labels[i] = data.points(0, i) * data.points(1, i) > 0 ? 1.0f : 0.0f;
  }
  const Classifier classifier(data.points, data.labels, {.max_epochs = 200}, stream);
  const Eigen::VectorXf odds = classifier.log_odds(data.points);
  Index right = 0;
  for (Index i = 0; i < 1000; ++i) right += (odds[i] > 0) == (data.labels[i] > 0.5f);
  EXPECT_GT(right, 970);
}

// Training ends when eleven epochs in a row have gained nothing.
TEST(Classifier, StopsWhenTheLossGainsNothing) {
  Stream stream(3);
  const Labelled data = two_gaussians(1, 100, stream);
  const Classifier classifier(data.points, data.labels, {.tolerance = 1e9}, stream);
  EXPECT_EQ(classifier.num_epochs(), 12);  // the first sets the mark
  const Classifier short_of(data.points, data.labels, {.max_epochs = 3}, stream);
  EXPECT_EQ(short_of.num_epochs(), 3);
}

}  // namespace
}  // namespace epsfree
