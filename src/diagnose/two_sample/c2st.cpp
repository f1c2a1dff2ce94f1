#include <numeric>

#include "base/parallel.hpp"
#include "base/require.hpp"
#include "diagnose/two_sample/classifier.hpp"
#include "diagnose/two_sample/sample_pair.hpp"
#include "epsfree/two_sample.hpp"

namespace epsfree {
namespace {

/// How many of the fold's points the classifier trained on the others puts into the wrong set.
Index errors_in_fold(const Eigen::MatrixXf& points, const Eigen::VectorXf& labels,
                     std::span<const Index> training, std::span<const Index> held_out,
                     const C2stOptions& options, std::uint64_t fold) {
  const std::vector<Index> train(training.begin(), training.end());
  const std::vector<Index> test(held_out.begin(), held_out.end());
  Stream stream(options.seed, {.purpose = Purpose::classifier, .round = 1, .index = fold});
  const Classifier classifier(points(Eigen::all, train), labels(train), options.classifier, stream);
  const Eigen::VectorXf log_odds = classifier.log_odds(points(Eigen::all, test));
  Index errors = 0;
  for (Index i = 0; i < log_odds.size(); ++i) {
    const bool second = log_odds[i] > 0;
    if (second != (labels[test[static_cast<std::size_t>(i)]] > 0.5f)) ++errors;
  }
  return errors;
}

}  // namespace

void C2stOptions::validate() const {
  require_between(2, 1000, "c2st.num_folds", num_folds);
  require(num_threads >= 0, "c2st.num_threads", num_threads, "at least 0");
  classifier.validate();
}

double c2st(const Eigen::Ref<const Eigen::MatrixXd>& first,
            const Eigen::Ref<const Eigen::MatrixXd>& second, const C2stOptions& options) {
  options.validate();
  const SamplePair pair(first, second, options.standardise);
  const Index count = pair.points().cols();
  require(count >= 2 * options.num_folds, "c2st: the number of samples", count,
          "at least twice the number of folds");
  std::vector<Index> order(static_cast<std::size_t>(count));
  std::iota(order.begin(), order.end(), Index{0});
  Stream stream(options.seed, {.purpose = Purpose::classifier});
  stream.shuffle(std::span(order));

  const Eigen::MatrixXf points = pair.points().cast<float>();
  const Eigen::VectorXf labels = pair.labels().cast<float>();
  const auto folds = static_cast<std::size_t>(options.num_folds);
  std::vector<double> accuracies(folds);
  parallel_for(options.num_threads, folds, 1, [&](std::size_t begin, std::size_t end) {
    for (std::size_t fold = begin; fold < end; ++fold) {
      const std::size_t from = fold * order.size() / folds, to = (fold + 1) * order.size() / folds;
      std::vector<Index> training(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(from));
      training.insert(training.end(), order.begin() + static_cast<std::ptrdiff_t>(to), order.end());
      const Index errors =
          errors_in_fold(points, labels, training,
                         std::span<const Index>(order).subspan(from, to - from), options, fold);
      accuracies[fold] = 1 - static_cast<double>(errors) / static_cast<double>(to - from);
    }
  });
  return std::accumulate(accuracies.begin(), accuracies.end(), 0.0) / static_cast<double>(folds);
}

}  // namespace epsfree
