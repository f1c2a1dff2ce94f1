#include "infer/methods.hpp"

#include "base/require.hpp"
#include "base/words.hpp"
#include "infer/abc/abc_methods.hpp"
#include "infer/local/auto_method.hpp"
#include "infer/mdn/mdn_methods.hpp"
#include "infer/synthetic/synthetic_likelihood.hpp"

namespace epsfree {

const std::vector<MethodEntry>& methods() {
  static const std::vector<MethodEntry> table = {
      auto_entry(),           mdn_with_prior_entry(),
      proposal_prior_entry(), mdn_with_proposal_entry(),
      rejection_abc_entry(),  mcmc_abc_entry(),
      smc_abc_entry(),        synthetic_likelihood_entry()};
  return table;
}

const MethodEntry& method_of(const MethodOptions& options) {
  static_assert(std::variant_size_v<MethodOptions> == 8, "methods() lists a method for each");
  return methods().at(options.index());
}

std::string method_name(const MethodOptions& method) { return method_of(method).name; }

std::vector<std::string> method_names() {
  std::vector<std::string> names;
  for (const MethodEntry& entry : methods()) names.push_back(entry.name);
  return names;
}

MethodOptions method_by_name(const std::string& name) {
  for (const MethodEntry& entry : methods()) {
    if (entry.name == name) return entry.defaults;
  }
  throw Error(ErrorKind::usage,
              "method: expected one of " + joined(method_names()) + ", got '" + name + "'");
}

bool learns_any_observation(const MethodOptions& method) {
  return method_of(method).learns_any_observation;
}

void visit_options(InferOptions& options, OptionVisitor& visit) {
  const MethodEntry& entry = method_of(options);
  visit.group("", "");
  visit("num_simulations", options.num_simulations,
        "the budget: every call of the simulator, those of a pilot run included",
        from_to(entry.fewest_simulations, kMostSimulations));
  entry.visit(options.method, visit);
}

void InferOptions::validate() const {
  InferOptions copy = *this;  // a visitor may write
  OptionValidator validator;
  visit_options(copy, validator);
  const MethodEntry& entry = method_of(method);
  if (entry.check != nullptr) entry.check(*this);
}

namespace {

class OptionFinder final : public OptionVisitor {
 public:
  explicit OptionFinder(std::string path) : wanted_(std::move(path)) {}
  void group(const std::string& path, const std::string&) override {
    path_ = path;
    found_ = found_ || (!path.empty() && path == wanted_);
  }
  void option(const Option& option) override {
    found_ = found_ || (path_.empty() ? option.name : path_ + "." + option.name) == wanted_;
  }
  bool found() const { return found_; }

 private:
  std::string wanted_, path_;
  bool found_ = false;
};

}  // namespace

std::vector<std::string> methods_with_option(const std::string& path) {
  std::vector<std::string> names;
  for (const MethodEntry& entry : methods()) {
    OptionFinder finder(path);
    MethodOptions options = entry.defaults;
    entry.visit(options, finder);
    if (finder.found()) names.push_back(entry.name);
  }
  return names;
}

InferOptions with_budget(InferOptions options, Index budget) {
  const MethodEntry& entry = method_of(options);
  if (entry.rescale != nullptr) {
    entry.rescale(options, budget);
  } else if (budget < entry.fewest_simulations) {
    throw Error(ErrorKind::usage, "--budget is " + std::to_string(budget) + "; the method \"" +
                                      entry.name + "\" needs at least " +
                                      std::to_string(entry.fewest_simulations) + " simulations");
  }
  options.num_simulations = budget;
  return options;
}

}  // namespace epsfree
