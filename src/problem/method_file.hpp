// The [method] table of a problem file.
#pragma once

#include <string>

#include "epsfree/infer.hpp"
#include "io/section.hpp"

namespace epsfree {

/// Reads method.name and every option over the defaults that `options` comes with, and validates
/// them. Throws ErrorKind::input with place, key, value and what was expected.
void read_method(Section& method, InferOptions& options);

/// [method] and its groups as TOML, every option included. With `comments`, each carries its help.
std::string method_toml(const InferOptions& options, bool comments);

/// By the name that problem files use; throws ErrorKind::usage with all of them.
Method method_from_name(const std::string& name);

}  // namespace epsfree
