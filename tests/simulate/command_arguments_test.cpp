#include "simulate/process/command_arguments.hpp"

#include <gtest/gtest.h>

#include "support/contains.hpp"
#include "support/error_of.hpp"

namespace epsfree {
namespace {

using Words = std::vector<std::string>;

CommandOptions options(std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), "program");
  return {.process = {.num_parameters = 2,
                      .num_statistics = 1,
                      .names = {"rate", "scale"},
                      .argv = std::move(arguments),
                      .directory = "/here"}};
}

std::vector<std::string> fill(const CommandOptions& options,
                              std::uint64_t seed = 18446744073709551615u) {
  return CommandArguments(options, "simulator.")
      .fill(Eigen::Vector2d(0.1, -1e-300), seed, "/tmp/w");
}

TEST(CommandArguments, FillsPlaceholders) {
  EXPECT_EQ(fill(options({"-r{rate}", "{2}", "{theta}", "--theta={theta}", "{seed}", "{seed31}"})),
            (Words{"program", "-r0.1", "-1e-300", "0.1", "-1e-300", "--theta=0.1,-1e-300",
                   "18446744073709551615", "2147483647"}));
  EXPECT_EQ(fill(options({"{theta}", "{seed31}"}), 7).back(), "7") << "small ones stay";
  EXPECT_EQ(fill(options({"{directory}/x", "{{rate}}", "a{{{1}}}b", ""})),
            (Words{"program", "/here/x", "{rate}", "a{0.1}b", ""}));
  CommandOptions files = options({"{input}", "{output}"});
  files.input = CommandInput::file;
  files.input_format = CommandFormat::csv;
  files.output = CommandOutput::file;
  EXPECT_EQ(fill(files), (Words{"program", "/tmp/w/input.csv", "/tmp/w/output.txt"}));
}

TEST(CommandArguments, SaysWhatAPlaceholderMayBe) {
  const auto message = [](const std::string& argument) {
    return error_of(ErrorKind::input, [&] { fill(options({argument})); });
  };
  EXPECT_CONTAINS(message("{rat}"), "did you mean {rate}?");
  EXPECT_CONTAINS(message("{0}"), "numbered 1 to 2");
  EXPECT_CONTAINS(message("{3}"), "numbered 1 to 2");
  EXPECT_CONTAINS(message("{}"), "is not a known name");
  EXPECT_CONTAINS(message("{rate"), "not closed");
  EXPECT_CONTAINS(message("rate}"), "not opened");
  EXPECT_CONTAINS(message("{input}"), "no input file");
  EXPECT_CONTAINS(message("{output}"), "no output file");
  CommandOptions clash = options({"{seed}"});
  clash.process.names = {"rate", "seed"};
  EXPECT_CONTAINS(error_of(ErrorKind::input, [&] { fill(clash); }), "{2} for the parameter");
}

TEST(CommandArguments, WritesInputs) {
  CommandOptions any = options({"{theta}"});
  any.process.names[1] = "sca\"le";
  const auto input = [&](CommandFormat format) {
    any.input_format = format;
    return CommandArguments(any, "").input(Eigen::Vector2d(0.1, 2), 7);
  };
  EXPECT_EQ(input(CommandFormat::json),
            "{\"seed\":\"7\",\"theta\":[0.1,2],\"parameters\":{\"rate\":0.1,\"sca\\\"le\":2}}\n");
  EXPECT_EQ(input(CommandFormat::text), "0.1 2\n7\n");
  any.process.names[1] = "scale";
  EXPECT_EQ(input(CommandFormat::csv), "rate,scale,seed\n0.1,2,7\n");
}

TEST(ShellText, QuotesWhereNeeded) {
  EXPECT_EQ(shell_text({"a/b-c", "", "d e", "f'g", "$h"}), "a/b-c '' 'd e' 'f'\\''g' '$h'");
}

}  // namespace
}  // namespace epsfree
