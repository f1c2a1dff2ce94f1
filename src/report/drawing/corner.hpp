// A posterior as a picture: each parameter's marginal, and contours of each pair.
#pragma once

#include <Eigen/Core>
#include <optional>
#include <string>
#include <vector>

#include "epsfree/posterior.hpp"

namespace epsfree {

/// One parameter.
struct CornerMarginal {
  std::string name;
  double low = 0, high = 1;  ///< of the axis
  Eigen::VectorXd x = {}, density = {};
  Eigen::VectorXd prior = {};  ///< its density at x; empty where it is not known
};

/// The density of two of them: density(a, b) at x[a] of the first and y[b] of the second.
struct CornerPair {
  Index first = 0, second = 0;  ///< numbers in CornerPlot::marginals, first < second
  Eigen::VectorXd x = {}, y = {};
  Eigen::MatrixXd density = {};
  double correlation = 0;
};

/// The data of the picture.
struct CornerPlot {
  std::vector<CornerMarginal> marginals;
  std::vector<CornerPair> pairs;
  std::optional<Eigen::VectorXd> truth = {};
  Index num_left_out = 0;  ///< parameters for which there is no room
  bool exact = true;       ///< densities are the posterior's own, not smoothed samples
};

/// Shares of the mass inside the contours.
inline constexpr double kContourShares[] = {0.5, 0.9};

/// Of the first parameters, as many as can be told apart.
CornerPlot corner_plot(const PosteriorPtr& posterior, const std::optional<Eigen::VectorXd>& truth);

/// How wide the picture may be, in units that are pixels where it is not scaled.
enum class CornerWidth {
  page,
  telephone  ///< so that its text can be read there
};

/// As part of a page; `name` must be unique there.
std::string corner_svg(const CornerPlot& plot, const std::string& name, const std::string& title,
                       const std::string& description, CornerWidth width = CornerWidth::page);
/// The same for a telephone; empty where its panels would be too small, and the page's own picture
/// on a smaller scale serves as well.
std::string narrow_corner_svg(const CornerPlot& plot, const std::string& name,
                              const std::string& title, const std::string& description);

/// The densities: one line a point of a marginal (parameter, x, density, prior).
std::string corner_csv(const CornerPlot& plot);

}  // namespace epsfree
