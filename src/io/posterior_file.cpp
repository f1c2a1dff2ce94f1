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
#include "io/kind_table.hpp"
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

/// How a kind is written and read.
struct PosteriorForm {
  std::type_index type;
  std::string kind;
  std::function<json(const Posterior&)> fields;
  PosteriorPtr (*read)(const JsonReader& reader, PriorPtr prior, std::vector<std::string> names);
  /// Whether files have marginals that keep a posterior of this kind.
  bool is_kept_by_marginals;
};

template <class Kind>
PosteriorForm posterior_form(const char* kind, json (*fields)(const Kind&),
                             PosteriorPtr (*read)(const JsonReader&, PriorPtr,
                                                  std::vector<std::string>),
                             bool is_kept_by_marginals = false) {
  return {typeid(Kind), kind, of_base<Posterior>(fields), read, is_kept_by_marginals};
}

const KindTable<PosteriorForm>& posterior_forms();

PosteriorPtr read_posterior(const JsonReader& reader) {
  PriorPtr prior = prior_from_json(reader.at("prior"));
  std::vector<std::string> names = reader.at("names").texts();
  if (static_cast<Index>(names.size()) != prior->dim()) {
    reader.at("names").fail("has " + std::to_string(names.size()) + " entries; expected " +
                            std::to_string(prior->dim()));
  }
  const PosteriorForm& form = posterior_forms().row_named(reader.at("kind"));
  return form.read(reader, std::move(prior), std::move(names));
}

json posterior_to_json(const Posterior& posterior) {
  const PosteriorForm* form = posterior_forms().row_of(posterior);
  if (form == nullptr) {
    throw Error(ErrorKind::usage, "a posterior of kind '" + posterior.kind() +
                                      "' has no form in files and cannot be saved; save samples of "
                                      "it instead");
  }
  check_names_are_utf8(posterior.names());
  json document = form->fields(posterior);
  document["kind"] = form->kind;
  document["names"] = posterior.names();
  document["prior"] = prior_to_json(posterior.prior());
  return document;
}

json mixture_fields(const MixturePosterior& posterior) {
  const CoordinateForm form = coordinate_form(posterior.prior());
  return {{"coordinates", form.names},
          {"coordinates_of", form.of},
          {"components", mixture_to_json(posterior.coordinates().mixture())},
          {"log_mass_on_support", to_json(posterior.coordinates().log_mass())}};
}

PosteriorPtr read_mixture(const JsonReader& reader, PriorPtr prior,
                          std::vector<std::string> names) {
  // Both follow from the prior; a file in which they differ was damaged, or means something else.
  const CoordinateForm form = coordinate_form(*prior);
  if (reader.at("coordinates").texts() != form.names) {
    reader.at("coordinates").fail("are not those of the prior");
  }
  if (reader.at("coordinates_of").text() != form.of) {
    reader.at("coordinates_of").fail("is not '" + form.of + "', as the prior's kind demands");
  }
  const Index dim = prior->dim();
  auto posterior = std::make_shared<MixturePosterior>(
      std::move(prior), std::move(names), mixture_from_json(reader.at("components"), dim));
  const double log_mass = posterior->coordinates().rough_log_mass(kRoughError);
  if (!(std::abs(reader.at("log_mass_on_support").number() - log_mass) < kLogMassTolerance)) {
    reader.at("log_mass_on_support")
        .fail("does not belong to these components; it should be " + std::to_string(log_mass));
  }
  return posterior;
}

json samples_fields(const SamplesPosterior& posterior) {
  return {{"points", matrix_to_json(posterior.samples().points().transpose())},
          {"weights", to_json(posterior.samples().weights())}};
}

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

json marginal_fields(const MarginalPosterior& posterior) {
  return {{"joint", posterior_to_json(posterior.joint())}, {"dims", posterior.dims()}};
}

PosteriorPtr read_marginal(const JsonReader& reader, PriorPtr prior,
                           std::vector<std::string> names) {
  const JsonReader kind = reader.at("joint").at("kind");
  if (!posterior_forms().row_named(kind).is_kept_by_marginals) {
    kind.fail("is '" + kind.text() + "', of which no marginals are kept");
  }
  const PosteriorPtr joint = read_posterior(reader.at("joint"));
  auto posterior =
      std::make_shared<MarginalPosterior>(joint, dims_from_json(reader.at("dims"), joint->dim()));
  if (posterior->names() != names || !same_prior(posterior->prior(), *prior)) {
    reader.at("dims").fail("do not belong to the names and the prior");
  }
  return posterior;
}

const KindTable<PosteriorForm>& posterior_forms() {
  static const KindTable<PosteriorForm> table = {
      posterior_form("mixture", mixture_fields, read_mixture, true),
      posterior_form("samples", samples_fields, read_samples),
      posterior_form("marginal", marginal_fields, read_marginal)};
  return table;
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
