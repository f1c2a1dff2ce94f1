#include "paper/paper_target.hpp"

#include <filesystem>

#include "base/dense_solvers.hpp"
#include "diagnose/two_sample/entropy.hpp"
#include "epsfree/divergence.hpp"
#include "epsfree/error.hpp"
#include "epsfree/infer.hpp"
#include "io/reference_file.hpp"
#include "io/sha256.hpp"

namespace epsfree {
namespace {

constexpr Index kExactSamples = 50000;
constexpr Index kReferenceSamples = 10000;

constexpr Index kFindingSimulations = 20000;
constexpr double kReach = 6;  ///< standard deviations of the answer on each side

/// Flat on a box along the answer's axes. Lotka-Volterra's prior is flat, and its bounds are not
/// near the posterior.
PriorPtr prior_near(const Posterior& found) {
  const Eigen::MatrixXd axes = Cholesky(found.covariance()).lower();
  const Eigen::VectorXd reach = Eigen::VectorXd::Constant(found.dim(), kReach);
  return linear_image_prior(uniform_prior(-reach, reach), axes, found.mean());
}

/// The same of M/G/1, whose prior is flat over theta_1, theta_2 - theta_1 and theta_3 and whose
/// bounds are near.
PriorPtr prior_near_queue(const Posterior& found) {
  Eigen::Matrix3d from_flat = Eigen::Matrix3d::Identity();
  from_flat(1, 0) = 1;
  Eigen::Matrix3d to_flat = Eigen::Matrix3d::Identity();
  to_flat(1, 0) = -1;
  const Eigen::Vector3d mean = to_flat * found.mean();
  const Eigen::Vector3d reach =
      kReach * (to_flat * found.covariance() * to_flat.transpose()).diagonal().cwiseSqrt();
  const Eigen::Vector3d high(10, 10, 1.0 / 3.0);
  return linear_image_prior(
      uniform_prior((mean - reach).cwiseMax(0), (mean + reach).cwiseMin(high)), from_flat,
      Eigen::VectorXd::Zero(3));
}

void use_exact(PaperTarget& target) {
  Stream stream(1, {.purpose = Purpose::divergence});
  target.samples = target.exact->sample(kExactSamples, stream);
  target.log_densities = target.exact->log_probs(target.samples);
  target.entropy = -target.log_densities->mean();
  target.source = "the exact posterior";
}

void use_made(const WeightedSamples& made, PaperTarget& target) {
  Stream stream(1, {.purpose = Purpose::divergence});
  target.samples = made.resample(kReferenceSamples, stream);
  target.entropy = nearest_neighbour_entropy(made);
  target.source =
      "rejection ABC with neural regression adjustment, made for this page from simulations "
      "around the answer of the default method";
}

}  // namespace

std::string PaperTarget::fingerprint() const {
  return sha256({reinterpret_cast<const char*>(samples.data()),
                 static_cast<std::size_t>(samples.size()) * sizeof(double)});
}

Estimate PaperTarget::divergence(const Posterior& q) const {
  if (log_densities) return kl_divergence(samples, *log_densities, q);
  Estimate estimate = cross_entropy(samples, q);
  estimate.value -= entropy;
  return estimate;
}

bool needs_reference(const std::string& model_name, const std::string& reference) {
  const auto chosen = model(model_name);
  return !chosen->exact_posterior(chosen->default_observed()) && reference.empty();
}

PaperTarget paper_target(const std::string& model_name, const std::string& reference,
                         const WeightedSamples* made) {
  const std::shared_ptr<const Model> chosen = model(model_name);
  PaperTarget target;
  target.model = model_name;
  target.problem = chosen->problem();
  target.exact = chosen->exact_posterior(chosen->default_observed());
  // As in the paper: theta, theta_1, log theta_1 and theta_2.
  target.parameter = model_name == "mg1-queue" ? 1 : 0;
  target.parameter_label = model_name == "mixture"          ? "θ"
                           : model_name == "lotka-volterra" ? "log θ₁"
                           : model_name == "mg1-queue"      ? "θ₂"
                                                            : "θ₁";
  if (target.exact) {
    use_exact(target);
  } else if (made != nullptr) {
    use_made(*made, target);
  } else {
    const std::string file = reference_file(reference, model_name);
    if (file.empty()) {
      throw Error(ErrorKind::usage,
                  "--reference '" + reference + "': no samples of the posterior of " + model_name +
                      " there, expected a file such as " + reference_name(model_name));
    }
    target.samples = read_reference(file, target.problem.names, model_name);
    target.entropy = nearest_neighbour_entropy(WeightedSamples(target.samples));
    target.source = "samples read from " + std::filesystem::path(file).filename().string();
  }
  return target;
}

ReferenceRun reference_run(const std::string& model_name, bool full, std::uint64_t seed,
                           Runner& runner, Observer& observer) {
  ReferenceRun run;
  run.problem = model(model_name)->problem();
  InferOptions finding;
  finding.seed = seed;
  finding.num_simulations = kFindingSimulations;
  const PosteriorPtr found = infer(run.problem, finding, runner, &observer).posterior;
  const bool is_queue = model_name == "mg1-queue";
  run.problem.prior = is_queue ? prior_near_queue(*found) : prior_near(*found);
  run.options.seed = seed;
  run.options.method = RejectionOptions{.num_samples = full ? 10000 : 5000,
                                        .streaming = true,
                                        .abc = {.distance = DistanceKind::mahalanobis,
                                                .adjust = Adjustment::neural,
                                                .pilot_simulations = 2000}};
  run.options.num_simulations = (is_queue ? 20000000 : 400000) * (full ? 10 : 1);
  return run;
}

}  // namespace epsfree
