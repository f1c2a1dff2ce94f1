// posterior.json: a posterior that another program can read without this library. docs/formats.md
// says what each field means.
#include <cmath>
#include <nlohmann/json.hpp>
#include <utility>

#include "base/file.hpp"
#include "base/numerics.hpp"
#include "epsfree/error.hpp"
#include "epsfree/posterior.hpp"
#include "epsfree/posterior_algebra.hpp"
#include "io/json_reader.hpp"
#include "io/mixture_json.hpp"
#include "io/prior_json.hpp"

namespace epsfree {
namespace {

using nlohmann::json;

constexpr const char* kPosteriorFormat = "epsfree-posterior";
constexpr int kPosteriorVersion = 1;
// Another version of this library may estimate the mass a little differently.
constexpr double kLogMassTolerance = 0.05;
// The mass is estimated to this relative error in order to compare it.
constexpr double kRoughError = 0.005;

PosteriorPtr read_samples(const JsonReader& reader, PriorPtr prior,
                          std::vector<std::string> names) {
  const Index count = static_cast<Index>(reader.at("points").size());
  const Eigen::MatrixXd points = reader.at("points").matrix(count, prior->dim()).transpose();
  const Eigen::VectorXd weights = reader.at("weights").vector(count);
  if (!weights.allFinite() || (weights.array() < 0).any()) {
    reader.at("weights").fail("must hold numbers that are not negative");
  }
  return std::make_shared<SamplesPosterior>(std::move(prior), std::move(names),
                                            WeightedSamples::from_weights(points, weights));
}

/// "theta", or "base" where z belongs to the base of a linear image.
const char* coordinates_of(const Prior& prior) {
  return prior.kind() == "linear-image" && !prior.coordinates_are_identity() ? "base" : "theta";
}

PosteriorPtr read_mixture(const JsonReader& reader, const PriorPtr& prior,
                          std::vector<std::string> names) {
  // Both follow from the prior; a file in which they differ was damaged, or means something else.
  if (reader.at("coordinates").texts() != coordinate_names(*prior)) {
    reader.at("coordinates").fail("are not those of the prior");
  }
  if (reader.at("coordinates_of").text() != coordinates_of(*prior)) {
    reader.at("coordinates_of")
        .fail(std::string("is not '") + coordinates_of(*prior) + "', as the prior's kind demands");
  }
  auto posterior = std::make_shared<MixturePosterior>(
      prior, std::move(names), mixture_from_json(reader.at("components"), prior->dim()));
  const double log_mass = posterior->coordinates().rough_log_mass(kRoughError);
  if (!(std::abs(reader.at("log_mass_on_support").number() - log_mass) < kLogMassTolerance)) {
    reader.at("log_mass_on_support")
        .fail("does not belong to these components; it should be " + std::to_string(log_mass));
  }
  return posterior;
}

PosteriorPtr read_marginal(const JsonReader& reader, const Prior& prior,
                           const std::vector<std::string>& names);

PosteriorPtr read_posterior(const JsonReader& reader) {
  PriorPtr prior = prior_from_json(reader.at("prior"));
  std::vector<std::string> names = reader.at("names").texts();
  if (static_cast<Index>(names.size()) != prior->dim()) {
    reader.at("names").fail("has " + std::to_string(names.size()) + " entries; expected " +
                            std::to_string(prior->dim()));
  }
  const std::string kind = reader.at("kind").text();
  if (kind == "mixture") {
    return read_mixture(reader, prior, std::move(names));
  }
  if (kind == "samples") return read_samples(reader, std::move(prior), std::move(names));
  if (kind == "marginal") return read_marginal(reader, *prior, names);
  reader.at("kind").fail("is '" + kind + "'; expected 'mixture', 'samples' or 'marginal'");
}

PosteriorPtr read_marginal(const JsonReader& reader, const Prior& prior,
                           const std::vector<std::string>& names) {
  if (reader.at("joint").at("kind").text() != "mixture") {
    reader.at("joint").at("kind").fail("must be 'mixture'");
  }
  const auto joint =
      std::dynamic_pointer_cast<const MixturePosterior>(read_posterior(reader.at("joint")));
  auto posterior =
      std::make_shared<MarginalPosterior>(joint, dims_from_json(reader.at("dims"), joint->dim()));
  if (posterior->names() != names || !same_prior(posterior->prior(), prior)) {
    reader.at("dims").fail("do not belong to the names and the prior");
  }
  return posterior;
}

json posterior_to_json(const Posterior& posterior) {
  check_names_are_utf8(posterior.names());
  json document;
  document["kind"] = posterior.kind();
  document["names"] = posterior.names();
  document["prior"] = prior_to_json(posterior.prior());
  if (const auto* mixture = dynamic_cast<const MixturePosterior*>(&posterior)) {
    document["coordinates"] = coordinate_names(posterior.prior());
    document["coordinates_of"] = coordinates_of(posterior.prior());
    document["components"] = mixture_to_json(mixture->coordinates().mixture());
    document["log_mass_on_support"] = to_json(mixture->coordinates().log_mass());
  } else if (const auto* samples = dynamic_cast<const SamplesPosterior*>(&posterior)) {
    document["points"] = matrix_to_json(samples->samples().points().transpose());
    document["weights"] = to_json(samples->samples().weights());
  } else if (const auto* part = dynamic_cast<const MarginalPosterior*>(&posterior)) {
    document["joint"] = posterior_to_json(part->joint());
    document["dims"] = part->dims();
  } else {
    throw Error(ErrorKind::usage,
                "a posterior of kind '" + posterior.kind() + "' cannot be saved as a file");
  }
  return document;
}

}  // namespace

std::string posterior_text(const Posterior& posterior) {
  json document = posterior_to_json(posterior);
  document["format"] = kPosteriorFormat;
  document["version"] = kPosteriorVersion;
  return document.dump(1) + "\n";
}

void save_posterior(const Posterior& posterior, const std::string& path) {
  write_file_atomically(path, posterior_text(posterior));
}

PosteriorPtr parse_posterior(const std::string& text, const std::string& source) {
  pin_numerics();
  const json document = JsonReader::parse(text, source, kPosteriorFormat, kPosteriorVersion);
  return with_file_name(source, [&] { return read_posterior(JsonReader(document, source)); });
}

PosteriorPtr load_posterior(const std::string& path) {
  return parse_posterior(read_file(path), path);
}

}  // namespace epsfree
