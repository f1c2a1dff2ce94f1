// The methods of inference, each with options of its own.
#pragma once

#include <string>
#include <variant>
#include <vector>

#include "epsfree/abc.hpp"
#include "epsfree/auto_options.hpp"
#include "epsfree/mdn_options.hpp"
#include "epsfree/synthetic_options.hpp"

namespace epsfree {

/// The options of one method. Which type it holds says which method runs:
///   InferOptions options{.method = SmcOptions{.population = 500}, .num_simulations = 20000};
using MethodOptions =
    std::variant<AutoOptions, MdnWithPriorOptions, ProposalPriorOptions, MdnWithProposalOptions,
                 RejectionOptions, McmcOptions, SmcOptions, SyntheticOptions>;

/// "auto", "mdn-with-prior", ...: as problem files call it.
std::string method_name(const MethodOptions& method);
/// All of them, the default first.
std::vector<std::string> method_names();
/// A method by its name, with its default options. Throws ErrorKind::usage, with all names, for
/// another.
MethodOptions method_by_name(const std::string& name);
/// Whether what it learns holds for any observation, without new simulations.
bool learns_any_observation(const MethodOptions& method);

}  // namespace epsfree
