// The [method] table of a problem file.
#pragma once

#include <string>

#include "epsfree/infer.hpp"
#include "io/section.hpp"

namespace epsfree {

/// Reads method.name and every option of that method over the defaults, and validates them. An
/// option of another method is an error, except in a resolved problem of version 0.1, which lists
/// the options of all. `has_published_scale`: a built-in model, whose statistics need no pilot run
/// unless the file asks for one. Throws ErrorKind::input with place, key, value and what was
/// expected.
void read_method(Section& method, InferOptions& options, bool has_published_scale = false);

/// [method] and its groups as TOML, every option of the method included. With `comments`, each
/// carries its help.
std::string method_toml(const InferOptions& options, bool comments);

}  // namespace epsfree
