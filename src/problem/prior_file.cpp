#include "problem/prior_file.hpp"

#include <set>

#include "epsfree/error.hpp"
#include "prob/priors/marginal_factory.hpp"

namespace epsfree {
namespace {

std::vector<std::string> family_names() {
  std::vector<std::string> names;
  for (const Family family : all_families()) names.push_back(family_name(family));
  return names;
}

Marginal read_marginal(Section& parameter) {
  const std::vector<std::string> families = family_names();
  const auto choice = parameter.choice("family", families);
  std::vector<std::string> keys = {"name", "family"};
  for (const Family family : all_families()) {
    if (choice && family_name(family) != families[*choice]) continue;
    const auto arguments = family_parameter_names(family);
    keys.insert(keys.end(), arguments.begin(), arguments.end());
  }
  parameter.expect_only(keys);
  if (!choice) parameter.fail_missing("family", "a family such as \"uniform\" or \"normal\"");
  const Family family = family_from_name(families[*choice]);
  std::vector<double> arguments;
  for (const std::string& name : family_parameter_names(family)) {
    // Only the bounds of a truncation may be infinite.
    const auto value = parameter.number(
        name, family == Family::truncated_normal && (name == "low" || name == "high"));
    if (!value) parameter.fail_missing(name, "a number, for family \"" + families[*choice] + "\"");
    arguments.push_back(*value);
  }
  try {
    return make_marginal(family, arguments);
  } catch (const Error& error) {
    parameter.fail(error.what());
  }
}

NamedPrior read_independent(Section& section) {
  NamedPrior named;
  std::vector<Marginal> marginals;
  bool any_name = false;
  for (Section& parameter : section.sections("parameter")) {
    const auto name = parameter.text("name");
    any_name = any_name || name.has_value();
    named.names.push_back(name.value_or("theta" + std::to_string(named.names.size() + 1)));
    marginals.push_back(read_marginal(parameter));
  }
  if (marginals.empty()) {
    section.fail_missing("parameter", "one [[prior.parameter]] table per parameter");
  }
  if (!any_name) named.names.clear();
  named.prior = independent_prior(std::move(marginals));
  return named;
}

NamedPrior read_gaussian(Section& section) {
  NamedPrior named;
  const auto mean = section.vector("mean");
  if (!mean || mean->size() == 0) section.fail_missing("mean", "an array of numbers");
  const Index dim = mean->size();
  const auto covariance = section.matrix("covariance");
  const auto std = section.vector("std");
  if (covariance.has_value() == std.has_value()) {
    section.fail(covariance ? "std" : "covariance",
                 "expected exactly one of 'covariance' (rows) and 'std' (an array)");
  }
  if (std) {
    if (std->size() != dim) {
      section.fail("std", "got " + std::to_string(std->size()) + " numbers, expected " +
                              std::to_string(dim) + " as in 'mean'");
    }
    if ((std->array() <= 0).any()) section.fail("std", "expected positive numbers");
  }
  if (covariance && (covariance->rows() != dim || covariance->cols() != dim)) {
    section.fail("covariance", "got " + std::to_string(covariance->rows()) + " x " +
                                   std::to_string(covariance->cols()) + " numbers, expected " +
                                   std::to_string(dim) + " x " + std::to_string(dim));
  }
  if (covariance && !covariance->isApprox(covariance->transpose(), 1e-12)) {
    section.fail("covariance", "expected a symmetric matrix");
  }
  const Eigen::MatrixXd S =
      covariance ? *covariance : Eigen::MatrixXd(std->array().square().matrix().asDiagonal());
  try {
    named.prior = gaussian_prior(Gaussian::from_covariance(*mean, S));
  } catch (const Error& error) {
    section.fail(covariance ? "covariance" : "std", error.what());
  }
  return named;
}

NamedPrior read_linear_image(Section& section) {
  NamedPrior named;
  Section base = section.section("base");
  if (!base.present())
    section.fail_missing("base", "a table [" + section.full_key("base") + "] with the prior of u");
  NamedPrior inner = read_prior(base);
  const Index dim = inner.prior->dim();
  const auto matrix = section.matrix("matrix");
  if (!matrix) section.fail_missing("matrix", "the rows of A in theta = A u + b");
  if (matrix->rows() != dim || matrix->cols() != dim) {
    section.fail("matrix", "got " + std::to_string(matrix->rows()) + " x " +
                               std::to_string(matrix->cols()) + " numbers, expected " +
                               std::to_string(dim) + " x " + std::to_string(dim) +
                               " for a base of " + std::to_string(dim) + " parameters");
  }
  const Eigen::VectorXd shift =
      section.vector("shift").value_or(Eigen::VectorXd(Eigen::VectorXd::Zero(dim)));
  if (shift.size() != dim) {
    section.fail("shift", "got " + std::to_string(shift.size()) + " numbers, expected " +
                              std::to_string(dim));
  }
  try {
    named.prior = linear_image_prior(inner.prior, *matrix, shift);
  } catch (const Error& error) {
    section.fail("matrix", error.what());
  }
  return named;
}

}  // namespace

NamedPrior read_prior(Section& section) {
  const auto kind = section.choice("kind", {"independent", "gaussian", "linear-image"});
  std::vector<std::string> keys = {"kind"};
  if (!kind || *kind == 0) keys.push_back("parameter");
  if (!kind || *kind == 1) keys.insert(keys.end(), {"mean", "covariance", "std"});
  if (!kind || *kind == 2) keys.insert(keys.end(), {"matrix", "shift", "base"});
  if (!kind || *kind != 0) keys.push_back("names");
  section.expect_only(keys);
  if (!kind) section.fail_missing("kind", "\"independent\", \"gaussian\" or \"linear-image\"");
  NamedPrior named = *kind == 0   ? read_independent(section)
                     : *kind == 1 ? read_gaussian(section)
                                  : read_linear_image(section);
  if (*kind != 0) {
    if (const auto names = section.texts("names")) {
      if (static_cast<Index>(names->size()) != named.prior->dim()) {
        section.fail("names", "got " + std::to_string(names->size()) + " names, expected " +
                                  std::to_string(named.prior->dim()));
      }
      named.names = *names;
    }
  }
  for (const std::string& name : named.names) {
    if (name.empty()) section.fail("a parameter's name is empty");
    if (has_control_character(name)) {
      section.fail("a parameter's name is " + toml_quote(name) + ", expected one line of text");
    }
  }
  if (std::set<std::string>(named.names.begin(), named.names.end()).size() != named.names.size()) {
    section.fail("two parameters have the same name");
  }
  return named;
}

}  // namespace epsfree
