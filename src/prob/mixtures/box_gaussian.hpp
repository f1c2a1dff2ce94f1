// A Gaussian restricted to a box: its mass there, and draws from it (Genz 1992).
#pragma once

#include <Eigen/Core>
#include <vector>

#include "epsfree/gaussian.hpp"
#include "epsfree/stream.hpp"

namespace epsfree {

/// Whether the dimensions of a Gaussian are independent, but for rounding.
bool is_diagonal(const Gaussian& gaussian);

/// With y = m + L x, L lower triangular, the bounds on y become bounds on x_1, then on x_2 given
/// x_1, and so on, each a truncated normal in one dimension. Drawing x that way and multiplying the
/// masses met on the way gives the box's mass as an expectation, and an importance weight for the
/// point. Dimensions are taken in the order of Gibson, Glasbey & Elston (1994), the most
/// constrained first; unbounded ones come last.
class BoxGaussian {
 public:
  BoxGaussian(const Gaussian& gaussian, const Eigen::VectorXd& lower, const Eigen::VectorXd& upper);

  Index dim() const { return lower_.size(); }

  struct LogMass {
    double value;
    double relative_error;  // standard error of the mass divided by the mass; 0 where exact
  };
  LogMass log_mass() const;
  /// The same to a relative error of `target`, beginning with so many points.
  LogMass log_mass(Index first_points, double target) const;

  /// The point that `uniforms`, one in (0, 1) per dimension, stand for; returns its log weight.
  double walk(const Eigen::VectorXd& uniforms, Eigen::VectorXd& y) const;

  /// One point of the box, given log_mass(). Exact by rejection unless its acceptance rate is
  /// hopeless, and then the end of a Gibbs chain started at an importance draw. Bounded work.
  Eigen::VectorXd sample(double log_mass, Stream& stream) const;

 private:
  void choose_order(const Eigen::MatrixXd& covariance);
  void choose_tilt();
  /// Draws x_i given those before; adds to the log weight.
  double step(Index i, double uniform, const Eigen::VectorXd& x, double& log_weight) const;
  void gibbs_sweep(Eigen::VectorXd& y, Stream& stream) const;

  Gaussian gaussian_;
  Eigen::VectorXd lower_, upper_;
  std::vector<Index> order_;
  Index num_bounded_ = 0;
  bool independent_ = true;  // the bounded dimensions of each other
  Eigen::VectorXd a_, b_;    // bounds minus mean, in order_
  Eigen::MatrixXd L_;        // in order_
  Eigen::VectorXd tilt_;     // one entry per bounded dimension
  double log_bound_ = 0;     // no point has a larger log weight
};

/// A Kronecker sequence with the square roots of primes (Richtmyer 1951), shifted at random and
/// folded by the baker's transformation; its points lie strictly inside the unit cube.
class Lattice {
 public:
  Lattice(Index dim, Stream& stream);
  void point(Index index, Eigen::VectorXd& uniforms) const;

 private:
  Eigen::VectorXd generators_, shift_;
};

}  // namespace epsfree
