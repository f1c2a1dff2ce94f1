// estimator.json: the trained network with all that is needed to use it. docs/formats.md says what
// each field means.
#include <algorithm>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <utility>

#include "base/file.hpp"
#include "base/numerics.hpp"
#include "epsfree/error.hpp"
#include "epsfree/estimator.hpp"
#include "io/json_reader.hpp"
#include "io/mixture_json.hpp"
#include "io/prior_json.hpp"

namespace epsfree {
namespace {

using nlohmann::json;

constexpr const char* kEstimatorFormat = "epsfree-estimator";
constexpr int kEstimatorVersion = 1;
// More than any network of this kind needs; guards against a damaged file that asks for all memory.
constexpr long kMaxSize = 100000;

json standardiser_to_json(const Standardiser& standardiser) {
  return {{"shift", to_json(standardiser.shift())},
          {"matrix", matrix_to_json(standardiser.matrix())}};
}

Standardiser standardiser_from_json(const JsonReader& reader, Index dim) {
  return Standardiser::from_parts(reader.at("shift").vector(dim),
                                  reader.at("matrix").matrix(dim, dim));
}

json network_to_json(const MixtureDensityNetwork<float>& network) {
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

std::shared_ptr<const MixtureDensityNetwork<float>> network_from_json(const JsonReader& reader,
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

std::shared_ptr<const Estimator> read_estimator(const JsonReader& reader) {
  PriorPtr prior = prior_from_json(reader.at("prior"));
  const Index dim = prior->dim();
  Eigen::VectorXd observed = reader.at("observed").vector();
  std::vector<std::string> names = reader.at("names").texts();
  if (static_cast<Index>(names.size()) != dim) {
    reader.at("names").fail("must have " + std::to_string(dim) + " entries");
  }
  Standardiser parameters = standardiser_from_json(reader.at("parameters"), dim);
  if (!parameters.matrix().isDiagonal(0)) {
    reader.at("parameters").at("matrix").fail("is not diagonal");
  }
  std::optional<Gaussian> proposal;
  if (reader.has("proposal")) proposal = gaussian_from_json(reader.at("proposal"), dim);
  const Index num_statistics = observed.size();
  return std::make_shared<Estimator>(Estimator::Parts{
      .prior = std::move(prior),
      .names = std::move(names),
      .method = reader.at("method").text(),
      .statistics = standardiser_from_json(reader.at("statistics"), num_statistics),
      .parameters = std::move(parameters),
      .network = network_from_json(reader.at("network"), num_statistics, dim),
      .proposal = std::move(proposal),
      .observed = std::move(observed),
      .num_examples = reader.at("num_examples").integer(0, std::numeric_limits<long>::max()),
      .min_weight = reader.at("min_weight").number()});
}

}  // namespace

std::string estimator_text(const Estimator& estimator) {
  const Estimator::Parts& parts = estimator.parts();
  check_names_are_utf8(parts.names);
  json document = {{"format", kEstimatorFormat},
                   {"version", kEstimatorVersion},
                   {"method", parts.method},
                   {"names", parts.names},
                   {"prior", prior_to_json(*parts.prior)},
                   {"observed", to_json(parts.observed)},
                   {"num_examples", parts.num_examples},
                   {"min_weight", parts.min_weight},
                   {"statistics", standardiser_to_json(parts.statistics)},
                   {"parameters", standardiser_to_json(parts.parameters)},
                   {"network", network_to_json(*parts.network)}};
  if (parts.proposal) document["proposal"] = gaussian_to_json(*parts.proposal);
  return document.dump(1) + "\n";
}

void save_estimator(const Estimator& estimator, const std::string& path) {
  write_file_atomically(path, estimator_text(estimator));
}

std::shared_ptr<const Estimator> parse_estimator(const std::string& text,
                                                 const std::string& source) {
  pin_numerics();
  const json document = JsonReader::parse(text, source, kEstimatorFormat, kEstimatorVersion);
  return with_file_name(source, [&] { return read_estimator(JsonReader(document, source)); });
}

std::shared_ptr<const Estimator> load_estimator(const std::string& path) {
  return parse_estimator(read_file(path), path);
}

}  // namespace epsfree
