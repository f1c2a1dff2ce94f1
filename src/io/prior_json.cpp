#include "io/prior_json.hpp"

#include <utility>
#include <vector>

#include "epsfree/error.hpp"
#include "epsfree/posterior_algebra.hpp"
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

PriorPtr read_prior(const JsonReader& reader, int depth) {
  if (depth > kMaxDepth) reader.fail("is nested too deeply");
  const std::string kind = reader.at("kind").text();
  if (kind == "independent") {
    const JsonReader list = reader.at("marginals");
    std::vector<Marginal> marginals;
    for (std::size_t i = 0; i < list.size(); ++i)
      marginals.push_back(marginal_from_json(list.at(i)));
    return independent_prior(std::move(marginals));
  }
  if (kind == "gaussian") {
    const long dim = static_cast<long>(reader.at("mean").size());
    if (dim < 1 || dim > kMaxDim) reader.at("mean").fail("has no usable length");
    return gaussian_prior(gaussian_from_json(reader, dim));
  }
  if (kind == "linear-image") {
    PriorPtr base = read_prior(reader.at("base"), depth + 1);
    const Index dim = base->dim();
    return linear_image_prior(std::move(base), reader.at("matrix").matrix(dim, dim),
                              reader.at("shift").vector(dim));
  }
  if (kind == "marginal") {
    PriorPtr base = read_prior(reader.at("base"), depth + 1);
    return marginal_prior(base, dims_from_json(reader.at("dims"), base->dim()));
  }
  reader.at("kind").fail("is '" + kind +
                         "'; expected 'independent', 'gaussian', 'linear-image' or 'marginal'");
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

}  // namespace

json prior_to_json(const Prior& prior) {
  json result = {{"kind", prior.kind()}};
  if (const auto* independent = dynamic_cast<const IndependentPrior*>(&prior)) {
    result["marginals"] = json::array();
    for (const Marginal& marginal : independent->marginals()) {
      result["marginals"].push_back(marginal_to_json(marginal));
    }
  } else if (const auto* gaussian = dynamic_cast<const GaussianPrior*>(&prior)) {
    result.update(gaussian_to_json(gaussian->gaussian()));
  } else if (const auto* image = dynamic_cast<const LinearImagePrior*>(&prior)) {
    result["base"] = prior_to_json(image->base());
    result["matrix"] = matrix_to_json(image->A());
    result["shift"] = to_json(image->b());
  } else if (const auto* part = dynamic_cast<const MarginalPrior*>(&prior)) {
    result["base"] = prior_to_json(part->base());
    result["dims"] = part->dims();
  } else {
    throw Error(ErrorKind::usage,
                "a prior of kind '" + prior.kind() + "' cannot be saved as a file");
  }
  return result;
}

std::vector<std::string> coordinate_names(const Prior& prior) {
  if (const auto* independent = dynamic_cast<const IndependentPrior*>(&prior)) {
    std::vector<std::string> names;
    for (const Marginal& marginal : independent->marginals()) {
      names.push_back(coordinate_name(marginal));
    }
    return names;
  }
  if (!prior.coordinates_are_identity()) {
    if (const auto* image = dynamic_cast<const LinearImagePrior*>(&prior)) {
      return coordinate_names(image->base());
    }
  }
  return std::vector<std::string>(static_cast<std::size_t>(prior.dim()), "identity");
}

PriorPtr prior_from_json(const JsonReader& reader) { return read_prior(reader, 0); }

}  // namespace epsfree
