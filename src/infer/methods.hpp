// The table of methods. Files, help, completion, documentation, progress, budgets and Python are
// made from it. docs/adding-a-method.md lists the steps of adding a method.
#pragma once

#include <string>
#include <vector>

#include "infer/method_entry.hpp"

namespace epsfree {

/// All methods, in the order of MethodOptions: the default first.
const std::vector<MethodEntry>& methods();

const MethodEntry& method_of(const MethodOptions& options);
inline const MethodEntry& method_of(const InferOptions& options) {
  return method_of(options.method);
}

/// Visits num_simulations and all options of the method.
void visit_options(InferOptions& options, OptionVisitor& visit);

/// Names of the methods that have an option of this path, such as "rounds.max_rounds".
std::vector<std::string> methods_with_option(const std::string& path);

/// The same options for another budget; methods in rounds share it in the proportion they have in
/// `options`. Throws ErrorKind::usage if it is too small for the method.
InferOptions with_budget(InferOptions options, Index budget);

}  // namespace epsfree
