// Lines of equal density.
#pragma once

#include <Eigen/Core>
#include <vector>

namespace epsfree {

/// Closed lines around where values(i, j), at x[i] and y[j], is above the level: points as columns,
/// the last one next to the first. What reaches the grid's edge is closed along it. By marching
/// squares (Lorensen & Cline 1987), linear between the points.
std::vector<Eigen::Matrix2Xd> contour_lines(const Eigen::VectorXd& x, const Eigen::VectorXd& y,
                                            const Eigen::MatrixXd& values, double level);

/// For each share of the mass the density above which it lies, on a grid of equal cells.
std::vector<double> mass_levels(const Eigen::MatrixXd& density, const std::vector<double>& shares);

}  // namespace epsfree
