// Many draws from a prior at once.
#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "prob/priors/inside.hpp"
#include "prob/priors/priors.hpp"

namespace epsfree {
namespace {

// Columns that are mapped together, row by row, so that the loops over them vectorise.
constexpr Index kTile = 64;
using Row = std::array<double, kTile>;

/// Uniform marginals without the way through Marginal::sample: one of them costs less than that.
void draw_uniform(const std::vector<Marginal>& marginals, Stream& stream,
                  Eigen::Ref<Eigen::MatrixXd> thetas) {
  Eigen::VectorXd lows(thetas.rows()), highs(thetas.rows());
  for (Index i = 0; i < thetas.rows(); ++i) {
    const Marginal& marginal = marginals[static_cast<std::size_t>(i)];
    lows[i] = marginal.parameters()[0];
    highs[i] = marginal.parameters()[1];
  }
  for (Index n = 0; n < thetas.cols(); ++n) {
    for (Index i = 0; i < thetas.rows(); ++i) {
      const double low = lows[i], high = highs[i];
      thetas(i, n) = std::clamp(stream.uniform(low, high), low, high);
    }
  }
}

/// theta = A u + b in place, and back inside where rounding has left the support.
class ImageMap {
 public:
  explicit ImageMap(const LinearImagePrior& prior)
      : prior_(prior),
        support_(prior.coordinate_support()),
        A_(prior.A()),
        to_box_(support_.to_box()),
        u_(static_cast<std::size_t>(A_.rows())),
        thetas_(u_.size()) {}

  void apply(Eigen::Ref<Eigen::MatrixXd> points) {
    for (Index begin = 0; begin < points.cols(); begin += kTile) {
      apply_to_tile(points.middleCols(begin, std::min(kTile, points.cols() - begin)));
    }
  }

 private:
  void apply_to_tile(Eigen::Ref<Eigen::MatrixXd> points) {
    const Index dim = points.rows();
    for (Index n = 0; n < points.cols(); ++n) {
      for (Index j = 0; j < dim; ++j) at(u_, j)[static_cast<std::size_t>(n)] = points(j, n);
    }
    std::array<int, kTile> outside = {};
    for (Index i = 0; i < dim; ++i) {
      Row& sums = at(thetas_, i);
      sums.fill(prior_.b()[i]);
      for (Index j = 0; j < dim; ++j) add(A_(i, j), at(u_, j), sums);
    }
    for (Index i = 0; i < dim; ++i) {
      Row sums = {};
      for (Index j = 0; j < dim; ++j) add(to_box_(i, j), at(thetas_, j), sums);
      // With some room: what lies this near to a bound is looked at properly.
      const double low = support_.lower()[i], high = support_.upper()[i];
      const double room = 1e-9 * std::min(high - low, 1.0);
      for (std::size_t n = 0; n < sums.size(); ++n) {
        const double near = room + 1e-12 * std::abs(sums[n]);
        const bool inside = sums[n] > low + near && sums[n] < high - near;
        outside[n] |= inside ? 0 : 1;
      }
    }
    for (Index n = 0; n < points.cols(); ++n) {
      const auto column = static_cast<std::size_t>(n);
      for (Index i = 0; i < dim; ++i) points(i, n) = at(thetas_, i)[column];
      if (outside[column] != 0 && !prior_.contains(points.col(n))) {
        points.col(n) = bring_inside(support_, points.col(n));
      }
    }
  }

  static Row& at(std::vector<Row>& rows, Index i) { return rows[static_cast<std::size_t>(i)]; }
  static void add(double factor, const Row& values, Row& sums) {
    for (std::size_t n = 0; n < sums.size(); ++n) sums[n] += factor * values[n];
  }

  const LinearImagePrior& prior_;
  const Support support_;
  const Eigen::MatrixXd A_, to_box_;
  std::vector<Row> u_, thetas_;
};

}  // namespace

void IndependentPrior::draw_columns(Stream& stream, Eigen::Ref<Eigen::MatrixXd> thetas) const {
  const auto is_uniform = [](const Marginal& each) { return each.family() == Family::uniform; };
  if (std::all_of(marginals_.begin(), marginals_.end(), is_uniform)) {
    draw_uniform(marginals_, stream, thetas);
    return;
  }
  for (Index n = 0; n < thetas.cols(); ++n) {
    for (Index i = 0; i < thetas.rows(); ++i) {
      thetas(i, n) = marginals_[static_cast<std::size_t>(i)].sample(stream);
    }
  }
}

void LinearImagePrior::draw_columns(Stream& stream, Eigen::Ref<Eigen::MatrixXd> thetas) const {
  if (!coordinates_are_identity()) {
    Prior::draw_columns(stream, thetas);
    return;
  }
  base_->draw_columns(stream, thetas);
  ImageMap(*this).apply(thetas);
}

}  // namespace epsfree
