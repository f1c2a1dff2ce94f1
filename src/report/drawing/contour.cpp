#include "report/drawing/contour.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <map>
#include <set>

namespace epsfree {
namespace {

using Index = Eigen::Index;

/// A side between two neighbouring points of the grid: from (i, j) towards larger i or larger j.
struct Side {
  Index i = 0, j = 0;
  bool along_y = false;
  auto operator<=>(const Side&) const = default;
};

/// The grid with a rim of nothing around it, so that every line closes.
class Rimmed {
 public:
  Rimmed(const Eigen::VectorXd& x, const Eigen::VectorXd& y, const Eigen::MatrixXd& values,
         double level)
      : x_(x), y_(y), values_(values), level_(level) {}

  Index rows() const { return x_.size() + 2; }
  Index columns() const { return y_.size() + 2; }
  bool above(Index i, Index j) const { return inside(i, j) && value(i, j) > level_; }
  double centre(Index i, Index j) const {
    return (at(i, j) + at(i + 1, j) + at(i, j + 1) + at(i + 1, j + 1)) / 4;
  }

  /// Where the level is crossed.
  Eigen::Vector2d crossing(const Side& side) const {
    const Index i = side.i, j = side.j;
    const Index k = side.along_y ? i : i + 1, l = side.along_y ? j + 1 : j;
    // Towards the rim the line runs along the edge itself.
    double share = 0;
    if (inside(i, j) && inside(k, l)) {
      share = (level_ - value(i, j)) / (value(k, l) - value(i, j));
    }
    return (1 - share) * place(i, j) + share * place(k, l);
  }

 private:
  bool inside(Index i, Index j) const { return i > 0 && j > 0 && i <= x_.size() && j <= y_.size(); }
  double value(Index i, Index j) const { return values_(i - 1, j - 1); }
  double at(Index i, Index j) const { return inside(i, j) ? value(i, j) : 0; }
  Eigen::Vector2d place(Index i, Index j) const {
    return {x_[std::clamp<Index>(i - 1, 0, x_.size() - 1)],
            y_[std::clamp<Index>(j - 1, 0, y_.size() - 1)]};
  }

  const Eigen::VectorXd &x_, &y_;
  const Eigen::MatrixXd& values_;
  double level_;
};

/// The sides that the line enters and leaves a cell by, in pairs.
std::vector<std::array<Side, 2>> pieces(const Rimmed& grid, Index i, Index j, double level) {
  const Side bottom{i, j, false}, top{i, j + 1, false}, left{i, j, true}, right{i + 1, j, true};
  const int corners = (grid.above(i, j) ? 1 : 0) | (grid.above(i + 1, j) ? 2 : 0) |
                      (grid.above(i + 1, j + 1) ? 4 : 0) | (grid.above(i, j + 1) ? 8 : 0);
  const bool joined = grid.centre(i, j) > level;  // whether a saddle's high corners are
  switch (corners) {
    case 1:
    case 14:
      return {{left, bottom}};
    case 2:
    case 13:
      return {{bottom, right}};
    case 4:
    case 11:
      return {{right, top}};
    case 8:
    case 7:
      return {{top, left}};
    case 3:
    case 12:
      return {{left, right}};
    case 6:
    case 9:
      return {{bottom, top}};
    case 5:
      if (joined) return {{left, top}, {bottom, right}};
      return {{left, bottom}, {right, top}};
    case 10:
      if (joined) return {{left, bottom}, {right, top}};
      return {{left, top}, {bottom, right}};
    default:
      return {};
  }
}

}  // namespace

std::vector<Eigen::Matrix2Xd> contour_lines(const Eigen::VectorXd& x, const Eigen::VectorXd& y,
                                            const Eigen::MatrixXd& values, double level) {
  const Rimmed grid(x, y, values, level);
  std::map<Side, std::vector<Side>> neighbours;  // two each, since every line closes
  for (Index j = 0; j + 1 < grid.columns(); ++j) {
    for (Index i = 0; i + 1 < grid.rows(); ++i) {
      for (const auto& [a, b] : pieces(grid, i, j, level)) {
        neighbours[a].push_back(b);
        neighbours[b].push_back(a);
      }
    }
  }
  std::vector<Eigen::Matrix2Xd> lines;
  std::set<Side> seen;
  for (const auto& [start, unused] : neighbours) {
    if (seen.count(start) > 0) continue;
    std::vector<Side> walk{start};
    seen.insert(start);
    for (bool more = true; more;) {
      more = false;
      for (const Side& next : neighbours[walk.back()]) {
        if (!seen.insert(next).second) continue;
        walk.push_back(next);
        more = true;
        break;
      }
    }
    Eigen::Matrix2Xd line(2, static_cast<Index>(walk.size()));
    for (std::size_t k = 0; k < walk.size(); ++k) {
      line.col(static_cast<Index>(k)) = grid.crossing(walk[k]);
    }
    lines.push_back(std::move(line));
  }
  return lines;
}

std::vector<double> mass_levels(const Eigen::MatrixXd& density, const std::vector<double>& shares) {
  std::vector<double> sorted(density.data(), density.data() + density.size());
  std::sort(sorted.begin(), sorted.end(), std::greater<>());
  double total = 0;
  for (const double value : sorted) total += value;
  std::vector<double> levels;
  for (const double share : shares) {
    double mass = 0;
    std::size_t k = 0;
    while (k + 1 < sorted.size() && mass + sorted[k] < share * total) mass += sorted[k++];
    levels.push_back(sorted.empty() ? 0 : sorted[k]);
  }
  return levels;
}

}  // namespace epsfree
