#include "io/prior_json.hpp"

#include <utility>
#include <vector>

#include "epsfree/error.hpp"
#include "io/kind_table.hpp"
#include "io/mixture_json.hpp"
#include "prob/priors/marginal_factory.hpp"
#include "prob/priors/priors.hpp"

namespace epsfree {

std::vector<Index> dims_from_json(const JsonReader& reader, Index dim) {
  std::vector<Index> dims;
  for (std::size_t i = 0; i < reader.size(); ++i) {
    dims.push_back(reader.at(i).integer(0, static_cast<long>(dim) - 1));
  }
  if (dims.empty()) reader.fail("is empty");
  return dims;
}

namespace {

using nlohmann::json;

// An image of an image of ... is only ever a few deep; a damaged file must not exhaust the stack.
constexpr int kMaxDepth = 16;
// The largest dimension a file may ask for.
constexpr long kMaxDim = 10000;

json marginal_to_json(const Marginal& marginal) {
  json result = {{"family", family_name(marginal.family())}};
  const std::vector<std::string>& names = family_parameter_names(marginal.family());
  for (std::size_t i = 0; i < names.size(); ++i) {
    result[names[i]] = to_json(marginal.parameters()[i]);
  }
  return result;
}

Marginal marginal_from_json(const JsonReader& reader) {
  const Family family = family_from_name(reader.at("family").text());
  std::vector<double> parameters;
  for (const std::string& name : family_parameter_names(family)) {
    parameters.push_back(reader.at(name).number());
  }
  return make_marginal(family, parameters);
}

std::string coordinate_name(const Marginal& marginal) {
  switch (marginal.family()) {
    case Family::log_uniform:
    case Family::log_normal:
      return "log";
    case Family::gamma:
    case Family::beta:
      return "probit-cdf";
    default:
      return "identity";
  }
}

CoordinateForm identity_coordinates(const Prior& prior) {
  return {std::vector<std::string>(static_cast<std::size_t>(prior.dim()), "identity"), "theta"};
}

/// How a kind is written and read. `depth` counts the priors that it is a part of.
struct PriorForm {
  std::type_index type;
  std::string kind;
  std::function<json(const Prior&)> fields;
  PriorPtr (*read)(const JsonReader& reader, int depth);
  std::function<CoordinateForm(const Prior&)> coordinates;
};

template <class Kind>
PriorForm prior_form(const char* kind, json (*fields)(const Kind&),
                     PriorPtr (*read)(const JsonReader&, int),
                     std::function<CoordinateForm(const Prior&)> coordinates) {
  return {typeid(Kind), kind, of_base<Prior>(fields), read, std::move(coordinates)};
}

const KindTable<PriorForm>& prior_forms();

PriorPtr read_prior(const JsonReader& reader, int depth) {
  if (depth > kMaxDepth) reader.fail("is nested too deeply");
  return prior_forms().row_named(reader.at("kind")).read(reader, depth);
}

const PriorForm& form_of(const Prior& prior) {
  const PriorForm* form = prior_forms().row_of(prior);
  if (form == nullptr) {
    throw Error(ErrorKind::usage,
                "a prior of kind '" + prior.kind() + "' has no form in files and cannot be saved");
  }
  return *form;
}

json independent_fields(const IndependentPrior& prior) {
  json marginals = json::array();
  for (const Marginal& marginal : prior.marginals())
    marginals.push_back(marginal_to_json(marginal));
  return {{"marginals", std::move(marginals)}};
}

PriorPtr read_independent(const JsonReader& reader, int) {
  const JsonReader list = reader.at("marginals");
  std::vector<Marginal> marginals;
  for (std::size_t i = 0; i < list.size(); ++i) marginals.push_back(marginal_from_json(list.at(i)));
  return independent_prior(std::move(marginals));
}

CoordinateForm independent_coordinates(const IndependentPrior& prior) {
  CoordinateForm form;
  for (const Marginal& marginal : prior.marginals())
    form.names.push_back(coordinate_name(marginal));
  return form;
}

json gaussian_fields(const GaussianPrior& prior) { return gaussian_to_json(prior.gaussian()); }

PriorPtr read_gaussian(const JsonReader& reader, int) {
  const long dim = static_cast<long>(reader.at("mean").size());
  if (dim < 1 || dim > kMaxDim) reader.at("mean").fail("has no usable length");
  return gaussian_prior(gaussian_from_json(reader, dim));
}

json image_fields(const LinearImagePrior& prior) {
  return {{"base", prior_to_json(prior.base())},
          {"matrix", matrix_to_json(prior.A())},
          {"shift", to_json(prior.b())}};
}

PriorPtr read_image(const JsonReader& reader, int depth) {
  PriorPtr base = read_prior(reader.at("base"), depth + 1);
  const Index dim = base->dim();
  return linear_image_prior(std::move(base), reader.at("matrix").matrix(dim, dim),
                            reader.at("shift").vector(dim));
}

CoordinateForm image_coordinates(const LinearImagePrior& prior) {
  if (prior.coordinates_are_identity()) return identity_coordinates(prior);
  return {coordinate_form(prior.base()).names, "base"};
}

json marginal_prior_fields(const MarginalPrior& prior) {
  return {{"base", prior_to_json(prior.base())}, {"dims", prior.dims()}};
}

PriorPtr read_marginal_prior(const JsonReader& reader, int depth) {
  const PriorPtr base = read_prior(reader.at("base"), depth + 1);
  return base->marginal(dims_from_json(reader.at("dims"), base->dim()));
}

const KindTable<PriorForm>& prior_forms() {
  static const KindTable<PriorForm> table = {
      prior_form("independent", independent_fields, read_independent,
                 of_base<Prior>(independent_coordinates)),
      prior_form("gaussian", gaussian_fields, read_gaussian, identity_coordinates),
      prior_form("linear-image", image_fields, read_image, of_base<Prior>(image_coordinates)),
      prior_form("marginal", marginal_prior_fields, read_marginal_prior, identity_coordinates)};
  return table;
}

}  // namespace

json prior_to_json(const Prior& prior) {
  const PriorForm& form = form_of(prior);
  json result = form.fields(prior);
  result["kind"] = form.kind;
  return result;
}

CoordinateForm coordinate_form(const Prior& prior) { return form_of(prior).coordinates(prior); }

PriorPtr prior_from_json(const JsonReader& reader) { return read_prior(reader, 0); }

}  // namespace epsfree
