#include "io/network_json.hpp"

#include <algorithm>
#include <utility>

#include "epsfree/mixture_density_network.hpp"

namespace epsfree {
namespace {

using nlohmann::json;

// More than any network of this kind needs; guards against a damaged file that asks for all memory.
constexpr long kMaxSize = 100000;

NetworkOptions options_from_json(const JsonReader& reader) {
  NetworkOptions options;
  options.hidden_units.clear();
  const JsonReader hidden = reader.at("hidden_units");
  for (std::size_t i = 0; i < hidden.size(); ++i) {
    options.hidden_units.push_back(static_cast<int>(hidden.at(i).integer(1, kMaxSize)));
  }
  const std::string activation = reader.at("activation").text();
  if (activation != "tanh" && activation != "relu") {
    reader.at("activation").fail("is '" + activation + "'; expected 'tanh' or 'relu'");
  }
  options.activation = activation == "tanh" ? Activation::tanh : Activation::relu;
  options.num_components = static_cast<int>(reader.at("num_components").integer(1, kMaxSize));
  options.variational = reader.at("variational").boolean();
  options.weight_precision = reader.at("weight_precision").number();
  options.initial_log_std = reader.at("initial_log_std").number();
  return options;
}

/// How many parameters a network of this shape has; in floating point, since a damaged file may ask
/// for more than an integer holds.
double num_parameters(Index context_dim, Index target_dim, const NetworkOptions& options) {
  const double d = static_cast<double>(target_dim);
  const double k = options.num_components;
  double inputs = static_cast<double>(context_dim);
  double count = 0;
  for (int units : options.hidden_units) {
    count += (inputs + 1) * units;
    inputs = units;
  }
  count += (inputs + 1) * (k * (d + d * (d + 1) / 2) + (k > 1 ? k : 0));
  return options.variational ? 2 * count : count;
}

}  // namespace

nlohmann::json network_to_json(const ConditionalDensity<float>& density) {
  const auto& network = dynamic_cast<const MixtureDensityNetwork<float>&>(density);
  const NetworkOptions& options = network.options();
  json parameters = json::array();
  for (float value : network.parameters()) parameters.push_back(to_json(value));
  return {
      {"context_dim", network.context_dim()},         {"target_dim", network.target_dim()},
      {"hidden_units", options.hidden_units},         {"activation", to_string(options.activation)},
      {"num_components", options.num_components},     {"variational", options.variational},
      {"weight_precision", options.weight_precision}, {"initial_log_std", options.initial_log_std},
      {"parameters", std::move(parameters)}};
}

std::shared_ptr<const ConditionalDensity<float>> network_from_json(const JsonReader& reader,
                                                                   Index context_dim,
                                                                   Index target_dim) {
  reader.at("context_dim").integer(context_dim, context_dim);
  reader.at("target_dim").integer(target_dim, target_dim);
  const NetworkOptions options = options_from_json(reader);
  options.validate();
  const JsonReader parameters = reader.at("parameters");
  const double expected = num_parameters(context_dim, target_dim, options);
  if (expected != static_cast<double>(parameters.size())) {
    parameters.fail("has " + std::to_string(parameters.size()) +
                    " entries; expected as many as the network's shape needs");
  }
  Stream init(0);
  auto network =
      std::make_shared<MixtureDensityNetwork<float>>(context_dim, target_dim, options, init);
  const Eigen::VectorXd values = parameters.vector();
  if (!values.allFinite()) parameters.fail("holds a number that is not finite");
  std::transform(values.begin(), values.end(), network->parameters().begin(),
                 [](double value) { return static_cast<float>(value); });
  return network;
}

}  // namespace epsfree
