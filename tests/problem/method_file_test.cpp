#include "problem/method_file.hpp"

#include <gtest/gtest.h>

#include <sstream>

#include "infer/methods.hpp"
#include "support/error_of.hpp"

namespace epsfree {
namespace {

// Gives every option a value that is valid and not its default.
class Change final : public OptionVisitor {
 public:
  void group(const std::string&, const std::string&) override {}
  void option(const Option& option) override {
    std::visit([&](const auto& place) { change(option.name, place); }, option.place);
  }

 private:
  static void change(const std::string&, bool* field) { *field = !*field; }
  static void change(const std::string& name, double* field) {
    *field = name == "initial_log_std" ? -2.5 : name == "max_error" ? 0.04 : *field + 1.0 / 30;
    if (name == "widening" && *field < 1) *field += 2;
  }
  static void change(const std::string& name, long* field) {
    // The size of a round decides what is left for the final training.
    *field += name == "num_simulations" && *field == 0 ? 20 : name == "population" ? 17 : 7;
  }
  static void change(const std::string&, int* field) { *field += 7; }
  static void change(const std::string&, std::vector<int>* field) { *field = {3, 4, 5}; }
  static void change(const std::string&, std::vector<long>* field) { *field = {50, 60}; }
  static void change(const std::string&, const OptionChoice& choice) {
    choice.set(choice.get() == 0 ? 1 : 0);
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
  for (const MethodEntry& entry : methods()) {
    InferOptions options{.method = entry.defaults};
    Change change;
    visit_options(options, change);
    for (const bool comments : {false, true}) {
      const std::string text = method_toml(options, comments);
      EXPECT_EQ(method_toml(read(text), comments), text);
    }
    // What was changed is in the text: an option that the writer forgets would pass the test above.
    const auto lines = [](const std::string& text) {
      std::vector<std::string> all;
      std::istringstream stream(text);
      for (std::string line; std::getline(stream, line);) all.push_back(line);
      return all;
    };
    const auto before = lines(method_toml({.method = entry.defaults}, false));
    const auto after = lines(method_toml(options, false));
    ASSERT_EQ(before.size(), after.size());
    for (std::size_t i = 0; i < after.size(); ++i) {
      const std::string& line = after[i];
      const bool is_option = line.find(" = ") != std::string::npos && line.rfind("name = ", 0) != 0;
      EXPECT_EQ(line == before[i], !is_option) << entry.name << ": " << line;
    }
  }
  MdnWithProposalOptions own;
  own.network.hidden_units = {3, 4, 5};
  own.rounds.training.batch_size = 107;
  const std::string text = method_toml({.method = own}, false);
  EXPECT_NE(text.find("hidden_units = [3, 4, 5]"), std::string::npos);
  EXPECT_EQ(std::get<MdnWithProposalOptions>(read(text).method).rounds.training.batch_size, 107);
}

TEST(MethodFile, AnOptionOfAnotherMethodNamesTheMethodsThatHaveIt) {
  const auto message = [](const std::string& text) {
    return error_of(ErrorKind::input, [&] { read(text); });
  };
  EXPECT_EQ(message("[method]\nname = \"auto\"\n[method.rounds]\nmax_rounds = 3\n"),
            "f.toml:3: key 'method.rounds': is not for the method \"auto\"; the methods "
            "\"proposal-prior\", \"mdn-with-proposal\" have it");
  EXPECT_EQ(message("[method]\nname = \"smc-abc\"\n[method.pilot]\nscaling = \"whiten\"\n"),
            "f.toml:4: key 'method.pilot.scaling': is not for the method \"smc-abc\"; the methods "
            "\"mdn-with-prior\", \"proposal-prior\", \"mdn-with-proposal\" have it");
  EXPECT_EQ(message("[method]\nname = \"smc-abc\"\n[method.rejection]\nepsilon = 1.0\n"),
            "f.toml:3: key 'method.rejection': is not for the method \"smc-abc\"; only the method "
            "\"rejection-abc\" has it");
  // What no method has is a spelling mistake.
  EXPECT_NE(message("[method]\nname = \"smc-abc\"\n[method.smc]\npopulatoin = 20\n")
                .find("unknown key (did you mean 'population'?)"),
            std::string::npos);
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
  EXPECT_EQ(message(head + "[method.network]\nhidden_units = [10, 0]\n"),
            "f.toml:4: key 'method.network.hidden_units': expected integers from 1 to 10000, got "
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
