// Priors: what is believed about the parameters before the data.
#pragma once

#include <Eigen/Core>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "epsfree/gaussian.hpp"
#include "epsfree/stream.hpp"
#include "epsfree/support.hpp"

namespace epsfree {

class Prior;
class TruncatedMixture;
using PriorPtr = std::shared_ptr<const Prior>;

struct ThetaMoments {
  Eigen::VectorXd mean;
  Eigen::MatrixXd covariance;
};

/// A prior samples, gives its log density and knows its support. Inference works in the prior's
/// *coordinates* z: a smooth one-to-one map of theta in which log p(z) is quadratic on the support,
/// so that the correction for the proposal (appendix C) is analytic for every prior of this
/// library. For uniform and Gaussian priors z is theta itself.
///
/// A new kind implements the pure virtual functions. The other virtual functions have defaults that
/// hold for every prior, or that say that the kind has no closed form; a kind overrides those for
/// which it knows better. Callers never ask for the class. Make priors with std::make_shared: a
/// marginal keeps the prior that it is a part of. A kind that can be saved has a row in the table
/// of src/io/prior_json.cpp.
class Prior : public std::enable_shared_from_this<Prior> {
 public:
  virtual ~Prior() = default;

  virtual Index dim() const = 0;
  /// The word that names this kind in problem and result files: "independent", "gaussian", ...
  virtual std::string kind() const = 0;

  /// Always in the support.
  virtual Eigen::VectorXd sample(Stream& stream) const = 0;
  /// One column per sample.
  Eigen::MatrixXd sample(Index count, Stream& stream) const;
  /// Fills the columns with draws, for methods that use millions of them. The same as `sample` in
  /// distribution, but a kind may use other random numbers and need less time: boxes and their
  /// linear images take a tenth of it.
  virtual void draw_columns(Stream& stream, Eigen::Ref<Eigen::MatrixXd> thetas) const;
  /// Whether log_prob can be called.
  virtual bool has_log_prob() const { return true; }
  /// Normalised; -inf outside the support.
  virtual double log_prob(const Eigen::Ref<const Eigen::VectorXd>& theta) const = 0;
  /// Whether theta lies in the support.
  virtual bool contains(const Eigen::Ref<const Eigen::VectorXd>& theta) const = 0;

  /// Mean and covariance of theta; both may be infinite or NaN where they do not exist.
  virtual Eigen::VectorXd mean() const = 0;
  virtual Eigen::MatrixXd covariance() const = 0;

  /// theta -> z. Only for theta in the support.
  virtual Eigen::VectorXd to_coordinates(const Eigen::Ref<const Eigen::VectorXd>& theta) const = 0;
  /// z -> theta, which lies in the support if z does.
  virtual Eigen::VectorXd from_coordinates(const Eigen::Ref<const Eigen::VectorXd>& z) const = 0;
  /// log |det d theta / d z|.
  virtual double log_jacobian(const Eigen::Ref<const Eigen::VectorXd>& z) const = 0;
  /// Whether z is theta itself.
  virtual bool coordinates_are_identity() const = 0;
  /// The support of z.
  virtual Support coordinate_support() const = 0;
  /// log p(z) up to a constant, on the support.
  virtual LogQuadratic coordinate_log_density() const = 0;
  /// Mean and standard deviation of each z: a scale for inference. Always finite.
  virtual Eigen::VectorXd coordinate_mean() const = 0;
  virtual Eigen::VectorXd coordinate_std() const = 0;
  /// Whether coordinate i belongs to parameter i alone and the support is a box of them. A mixture
  /// in these coordinates then has marginals and conditionals that are mixtures in the coordinates
  /// of `marginal` and `conditional`: a kind for which this is true overrides marginal_of and
  /// conditional_on.
  virtual bool coordinates_are_separate() const { return false; }

  /// The prior of theta[dims[0]], theta[dims[1]], ... Throws ErrorKind::input unless these are
  /// different parameters, at least one.
  PriorPtr marginal(std::span<const Index> dims) const;
  /// The prior of the other parameters, in their own order, given theta[dims[i]] = values[i].
  /// Throws ErrorKind::input if no parameter is left, ErrorKind::usage if the kind has no closed
  /// form.
  PriorPtr conditional(std::span<const Index> dims,
                       const Eigen::Ref<const Eigen::VectorXd>& values) const;

  /// Moments and quantiles of theta where its coordinates have the distribution z. The defaults are
  /// those of theta at the weighted points of z.
  virtual ThetaMoments theta_moments(const TruncatedMixture& z) const;
  virtual double theta_quantile(const TruncatedMixture& z, Index dim, double probability) const;

  /// Whether both are of one class with exactly equal parameters.
  friend bool same_prior(const Prior& a, const Prior& b);

 protected:
  /// `dims` has been checked. The default knows the samples and moments, but not the density.
  virtual PriorPtr marginal_of(std::span<const Index> dims) const;
  /// `dims` and the number of values have been checked, `others` are the parameters that are left.
  /// The default throws.
  virtual PriorPtr conditional_on(std::span<const Index> dims,
                                  const Eigen::Ref<const Eigen::VectorXd>& values,
                                  std::span<const Index> others) const;
  /// `other` is of the same class, so that it may be cast statically. By default a prior is the
  /// same as itself only.
  virtual bool has_parameters_of(const Prior& other) const;
};
bool same_prior(const Prior& a, const Prior& b);

/// One-dimensional families.
enum class Family {
  uniform,
  normal,
  log_uniform,
  log_normal,
  exponential,
  gamma,
  beta,
  half_normal,
  truncated_normal
};

/// A one-dimensional distribution: the factor of an IndependentPrior. The named constructors throw
/// ErrorKind::input with the parameter's name and value when it is out of range.
class Marginal {
 public:
  static Marginal uniform(double low, double high);
  static Marginal normal(double mean, double std);
  static Marginal log_uniform(double low, double high);
  /// The logarithm is normal with this mean and standard deviation.
  static Marginal log_normal(double log_mean, double log_std);
  static Marginal exponential(double rate);
  static Marginal gamma(double shape, double rate);
  static Marginal beta(double a, double b);
  static Marginal half_normal(double std);
  /// A normal with this mean and standard deviation before truncation to [low, high].
  static Marginal truncated_normal(double mean, double std, double low, double high);

  Family family() const { return family_; }
  /// The constructor's arguments, in order.
  const std::vector<double>& parameters() const { return parameters_; }
  friend bool operator==(const Marginal&, const Marginal&) = default;
  double sample(Stream& stream) const;
  /// Whether theta lies in the support: an end of it does where the density there is finite and the
  /// coordinate too.
  bool contains(double theta) const;
  double log_prob(double theta) const;
  double cdf(double theta) const;
  double quantile(double probability) const;
  double mean() const;
  double variance() const;
  double lower() const;
  double upper() const;

  /// The coordinate of Prior for this dimension.
  double to_coordinate(double theta) const;
  double from_coordinate(double z) const;
  double log_jacobian(double z) const;
  bool coordinate_is_identity() const;
  double coordinate_lower() const;
  double coordinate_upper() const;
  /// log p(z) = -precision z^2 / 2 + shift z + constant.
  double coordinate_precision() const;
  double coordinate_shift() const;
  double coordinate_mean() const;
  double coordinate_std() const;

 private:
  Marginal(Family family, std::vector<double> parameters);
  Family family_;
  std::vector<double> parameters_;
};

/// The names of a family's constructor arguments ("low", "high"), for files and messages.
const std::vector<std::string>& family_parameter_names(Family family);
/// "uniform", "log-normal", ... and back; the latter throws ErrorKind::input with the nearest name.
std::string family_name(Family family);
Family family_from_name(const std::string& name);

/// Independent marginals, of any families.
PriorPtr independent_prior(std::vector<Marginal> marginals);
/// Uniform on a box; the same as independent uniform marginals.
PriorPtr uniform_prior(const Eigen::Ref<const Eigen::VectorXd>& low,
                       const Eigen::Ref<const Eigen::VectorXd>& high);
PriorPtr gaussian_prior(Gaussian gaussian);
/// The distribution of A u + b where u has the prior `base`; A must be invertible.
PriorPtr linear_image_prior(PriorPtr base, Eigen::MatrixXd A, Eigen::VectorXd b);

}  // namespace epsfree
