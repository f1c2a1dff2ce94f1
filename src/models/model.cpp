#include <array>

#include "base/nearest.hpp"
#include "epsfree/error.hpp"
#include "epsfree/models.hpp"
#include "models/built_in.hpp"

namespace epsfree {
namespace {

/// More than enough: the worst built-in model has 12% invalid runs under its prior.
constexpr std::uint64_t kMaxObservationAttempts = 1000;

}  // namespace

PosteriorPtr Model::exact_posterior(const Eigen::Ref<const Eigen::VectorXd>&) const {
  return nullptr;
}

Problem Model::problem() const {
  return {.prior = prior(),
          .simulator = simulator(),
          .observed = default_observed(),
          .names = parameter_names(),
          .truth = default_truth()};
}

Problem Model::problem(std::uint64_t observe_seed) const {
  Problem problem = this->problem();
  Eigen::MatrixXd x(problem.simulator->num_statistics(), 1);
  for (std::uint64_t attempt = 0; attempt < kMaxObservationAttempts; ++attempt) {
    const Key key{.purpose = Purpose::observation, .index = attempt};
    Stream prior_stream(observe_seed, key);
    const Eigen::VectorXd theta = problem.prior->sample(prior_stream);
    std::array streams = {
        Stream(observe_seed, {.purpose = Purpose::observation, .round = 1, .index = attempt})};
    std::array statuses = {SimStatus::ok};
    problem.simulator->simulate(theta, streams, x, statuses);
    if (statuses[0] != SimStatus::ok || !x.allFinite()) continue;
    problem.observed = x.col(0);
    problem.truth = theta;
    return problem;
  }
  throw Error(ErrorKind::internal, "model " + name() + ": none of " +
                                       std::to_string(kMaxObservationAttempts) +
                                       " simulations from the prior was valid");
}

const std::vector<std::shared_ptr<const Model>>& models() {
  static const std::vector<std::shared_ptr<const Model>> all = {
      mixture_model(), linear_regression_model(), lotka_volterra_model(), mg1_queue_model()};
  return all;
}

std::shared_ptr<const Model> model(const std::string& name) {
  std::vector<std::string> names;
  for (const auto& each : models()) {
    if (each->name() == name) return each;
    names.push_back(each->name());
  }
  std::string message = "unknown model \"" + name + "\"";
  const std::string closest = nearest(name, names);
  if (!closest.empty()) {
    message += ", did you mean \"" + closest + "\"?";
  } else {
    message += "; expected one of:";
    for (const std::string& each : names) message += " " + each;
  }
  throw Error(ErrorKind::input, message);
}

}  // namespace epsfree
