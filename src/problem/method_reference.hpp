// The methods and their options for people: made from the table of methods.
#pragma once

#include <string>

namespace epsfree {

/// A Markdown table: each method, what it does and the tables of [method] that it has.
std::string methods_markdown();

/// Markdown: each table of [method] with its options, defaults, ranges and meaning, and which
/// methods have it.
std::string options_markdown();

}  // namespace epsfree
