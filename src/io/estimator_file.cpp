// estimator.json: the learnt density with all that is needed to use it. docs/formats.md says what
// each field means.
#include <limits>
#include <nlohmann/json.hpp>
#include <utility>

#include "base/file.hpp"
#include "base/numerics.hpp"
#include "epsfree/error.hpp"
#include "epsfree/estimator.hpp"
#include "epsfree/mixture_density_network.hpp"
#include "io/density_json.hpp"
#include "io/json_reader.hpp"
#include "io/mixture_json.hpp"
#include "io/prior_json.hpp"

namespace epsfree {
namespace {

using nlohmann::json;

constexpr const char* kEstimatorFormat = "epsfree-estimator";
// Version 1 has neither kind nor direction: it holds a mixture density network for the posterior.
// Such estimators are still written as version 1, so that older programs read them.
constexpr int kEstimatorVersion = 2;

json standardiser_to_json(const Standardiser& standardiser) {
  return {{"shift", to_json(standardiser.shift())},
          {"matrix", matrix_to_json(standardiser.matrix())}};
}

Standardiser standardiser_from_json(const JsonReader& reader, Index dim) {
  return Standardiser::from_parts(reader.at("shift").vector(dim),
                                  reader.at("matrix").matrix(dim, dim));
}

Direction direction_from_json(const JsonReader& reader) {
  const std::string direction = reader.text();
  for (const Direction each : {Direction::posterior, Direction::likelihood}) {
    if (direction == to_string(each)) return each;
  }
  reader.fail("is '" + direction + "'; expected 'posterior' or 'likelihood'");
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
  std::string kind = kMixtureDensityNetwork;
  Direction direction = Direction::posterior;
  if (reader.at("version").integer(1, kEstimatorVersion) > 1) {
    kind = reader.at("kind").text();
    direction = direction_from_json(reader.at("direction"));
  }
  const Index num_statistics = observed.size();
  const bool is_posterior = direction == Direction::posterior;
  return std::make_shared<Estimator>(Estimator::Parts{
      .prior = std::move(prior),
      .names = std::move(names),
      .method = reader.at("method").text(),
      .statistics = standardiser_from_json(reader.at("statistics"), num_statistics),
      .parameters = std::move(parameters),
      .conditional =
          density_from_json(kind, reader.at("network"), is_posterior ? num_statistics : dim,
                            is_posterior ? dim : num_statistics),
      .direction = direction,
      .proposal = std::move(proposal),
      .observed = std::move(observed),
      .num_examples = reader.at("num_examples").integer(0, std::numeric_limits<long>::max()),
      .min_weight = reader.at("min_weight").number()});
}

}  // namespace

std::string estimator_text(const Estimator& estimator) {
  const Estimator::Parts& parts = estimator.parts();
  check_names_are_utf8(parts.names);
  const std::string kind = parts.conditional->kind();
  const bool has_defaults =
      kind == kMixtureDensityNetwork && parts.direction == Direction::posterior;
  json document = {{"format", kEstimatorFormat},
                   {"version", has_defaults ? 1 : kEstimatorVersion},
                   {"method", parts.method},
                   {"names", parts.names},
                   {"prior", prior_to_json(*parts.prior)},
                   {"observed", to_json(parts.observed)},
                   {"num_examples", parts.num_examples},
                   {"min_weight", parts.min_weight},
                   {"statistics", standardiser_to_json(parts.statistics)},
                   {"parameters", standardiser_to_json(parts.parameters)},
                   {"network", density_to_json(*parts.conditional)}};
  if (!has_defaults) {
    document["kind"] = kind;
    document["direction"] = to_string(parts.direction);
  }
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
