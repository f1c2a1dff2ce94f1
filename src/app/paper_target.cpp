#include "app/paper_target.hpp"

#include <cmath>
#include <filesystem>

#include "app/reference_file.hpp"
#include "app/sha256.hpp"
#include "diagnose/entropy.hpp"
#include "epsfree/divergence.hpp"
#include "epsfree/error.hpp"
#include "epsfree/infer.hpp"

namespace epsfree {
namespace {

constexpr Index kExactSamples = 50000;
constexpr Index kReferenceSamples = 10000;

void use_exact(PaperTarget& target) {
  Stream stream(1, {.purpose = Purpose::divergence});
  target.samples = target.exact->sample(kExactSamples, stream);
  target.log_densities = target.exact->log_probs(target.samples);
  target.entropy = -target.log_densities->mean();
  target.source = "the exact posterior";
}

void use_made(const SamplesPosterior& made, PaperTarget& target) {
  Stream stream(1, {.purpose = Purpose::divergence});
  target.samples = made.samples().resample(kReferenceSamples, stream);
  target.entropy = nearest_neighbour_entropy(made.samples());
  target.source = "a long run of ABC with linear regression adjustment, made for this page";
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
                         const SamplesPosterior* made) {
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

InferOptions reference_options(const std::string& model_name, bool full, std::uint64_t seed) {
  InferOptions options;
  options.seed = seed;
  options.abc.adjust = Adjustment::linear;
  if (model_name == "mg1-queue") {
    options.method = Method::rejection_abc;
    options.num_simulations = full ? 1000000000 : 100000000;
    options.rejection.num_samples = full ? 10000 : 5000;
    options.rejection.streaming = true;
  } else {
    options.method = Method::smc_abc;
    options.num_simulations = full ? 30000000 : 3000000;
    options.smc.population = full ? 10000 : 4000;
    options.smc.epsilon = full ? 0.15 : 0.25;
    options.smc.min_acceptance = 1e-5;
  }
  return options;
}

}  // namespace epsfree
