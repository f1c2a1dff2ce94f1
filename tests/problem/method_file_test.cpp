#include "problem/method_file.hpp"

#include <gtest/gtest.h>

#include "problem/option_groups.hpp"
#include "support/error_of.hpp"

namespace epsfree {
namespace {

// Gives every option a value that is valid and not its default.
struct Change {
  void group(const std::string&, const std::string&) {}
  void operator()(const char*, bool& field, const char*) { field = !field; }
  void operator()(const char* name, double& field, const char*) {
    field = std::string(name) == "initial_log_std" ? -2.5 : field + 1.0 / 3 * 0.1;
  }
  void operator()(const char*, long& field, const char*) { field += 7; }
  void operator()(const char*, int& field, const char*) { field += 7; }
  void operator()(const char*, std::vector<int>& field, const char*) { field = {3, 4, 5}; }
  void operator()(const char*, std::vector<long>& field, const char*) { field = {50, 60}; }
  template <class Enum>
  requires std::is_enum_v<Enum>
  void operator()(const char*, Enum& field, const char*) {
    field = enum_values<Enum>()[field == enum_values<Enum>()[0] ? 1 : 0];
  }
};

InferOptions read(const std::string& text) {
  const Node document = parse_toml(text, "f.toml");
  Section root(document);
  Section method = root.section("method");
  InferOptions options;
  read_method(method, options);
  return options;
}

TEST(MethodFile, EveryOptionIsWrittenAndReadBack) {
  InferOptions options;
  options.method = Method::proposal_prior;
  Change change;
  visit_method_options(options, change);
  for (const bool comments : {false, true}) {
    const std::string text = method_toml(options, comments);
    EXPECT_EQ(method_toml(read(text), comments), text);
  }
  // What was changed is in the text: an option that the writer forgets would pass the test above.
  EXPECT_NE(method_toml(options, false), method_toml(InferOptions{}, false));
  EXPECT_NE(method_toml(options, false).find("hidden_units = [3, 4, 5]"), std::string::npos);
  EXPECT_EQ(read(method_toml(options, false)).rounds.training.batch_size,
            options.rounds.training.batch_size);
}

TEST(MethodFile, NothingSaidMeansTheDefaults) {
  EXPECT_EQ(method_toml(read(""), false), method_toml(InferOptions{}, false));
}

TEST(MethodFile, WhatTheLibraryRefusesGetsItsPlace) {
  const auto message = [](const std::string& text) {
    return error_of(ErrorKind::input, [&] { read(text); });
  };
  // Of a strategy that has these options.
  const std::string head = "[method]\nname = \"mdn-with-proposal\"\n";
  EXPECT_EQ(message(head + "[method.rounds.training]\nbatch_size = 0\n")
                .rfind("f.toml:4: key 'method.rounds.training.batch_size': batch_size is 0", 0),
            0u);
  EXPECT_EQ(message(head + "min_weight = 1.5\n")
                .rfind("f.toml:3: key 'method.min_weight': min_weight is 1.5", 0),
            0u);
  EXPECT_EQ(message("[method.network]\nhidden_units = [10, 0]\n"),
            "f.toml:2: key 'method.network.hidden_units': expected integers from 1 to 10000, got "
            "the integer 0");
  EXPECT_EQ(
      message(head + "[method.training]\nbatch_size = 3000000000\n"),
      "f.toml:4: key 'method.training.batch_size': batch_size is 3000000000; it must be from 1 to "
      "1000000");
  EXPECT_EQ(message("[method]\nnum_simulations = 0\n"),
            "f.toml:2: key 'method.num_simulations': num_simulations is 0; it must be from 40 to "
            "1000000000");
  EXPECT_EQ(message("[method.auto]\nmax_components = 0\n"),
            "f.toml:2: key 'method.auto.max_components': max_components is 0; it must be from 1 to "
            "256");
}

}  // namespace
}  // namespace epsfree
