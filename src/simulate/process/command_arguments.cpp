#include "simulate/process/command_arguments.hpp"

#include <algorithm>
#include <charconv>

#include "base/nearest.hpp"
#include "base/number_text.hpp"
#include "base/words.hpp"
#include "epsfree/error.hpp"
#include "simulate/process/program.hpp"

namespace epsfree {
namespace {

[[noreturn]] void reject_command(const std::string& message) {
  throw Error(ErrorKind::input, message);
}

std::string default_input_name(CommandFormat format) {
  switch (format) {
    case CommandFormat::json:
      return "input.json";
    case CommandFormat::csv:
      return "input.csv";
    case CommandFormat::text:
      break;
  }
  return "input.txt";
}

std::string json_string(const std::string& text) {
  std::string result = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') result += '\\';
    if (static_cast<unsigned char>(c) < 0x20) {
      constexpr char kDigits[] = "0123456789abcdef";
      result += std::string("\\u00") + kDigits[c >> 4] + kDigits[c & 15];
    } else {
      result += c;
    }
  }
  return result + '"';
}

}  // namespace

CommandArguments::CommandArguments(const CommandOptions& options, const std::string& field)
    : names_(parameter_names(options.process)),
      format_(options.input_format),
      program_(options.process.argv.front()),
      directory_(absolute_path("", options.process.directory)),
      input_name_(options.input_name.empty() ? default_input_name(options.input_format)
                                             : options.input_name),
      output_name_(options.output_name.empty() ? "output.txt" : options.output_name) {
  if (directory_.size() > 1 && directory_.back() == '/') directory_.pop_back();
  for (std::size_t i = 1; i < options.process.argv.size(); ++i) {
    arguments_.push_back(parse(options.process.argv[i], field));
    for (const Piece& piece : arguments_.back()) {
      uses_theta_ = uses_theta_ || piece.kind == Kind::theta || piece.kind == Kind::parameter;
      if (piece.kind == Kind::input && options.input != CommandInput::file) {
        reject_command(field +
                       "argv has {input}, but there is no input file; set input = \"file\"");
      }
      if (piece.kind == Kind::output && options.output != CommandOutput::file) {
        reject_command(field +
                       "argv has {output}, but there is no output file; set output = \"file\"");
      }
    }
  }
}

CommandArguments::Argument CommandArguments::parse(const std::string& argument,
                                                   const std::string& field) const {
  Argument pieces;
  std::string text;
  for (std::size_t at = 0; at < argument.size(); ++at) {
    const char c = argument[at];
    if ((c == '{' || c == '}') && at + 1 < argument.size() && argument[at + 1] == c) {
      text += c;
      ++at;
    } else if (c == '{') {
      const std::size_t end = argument.find('}', at);
      if (end == std::string::npos) {
        reject_command(field + "argv has '" + argument +
                       "', where a { is not closed; write {{ for a brace");
      }
      if (!text.empty()) pieces.push_back({Kind::text, text});
      text.clear();
      pieces.push_back(placeholder(argument.substr(at + 1, end - at - 1), argument, field));
      at = end;
    } else if (c == '}') {
      reject_command(field + "argv has '" + argument +
                     "', where a } was not opened; write }} for a brace");
    } else {
      text += c;
    }
  }
  if (!text.empty() || pieces.empty()) pieces.push_back({Kind::text, text});
  return pieces;
}

CommandArguments::Piece CommandArguments::placeholder(const std::string& name,
                                                      const std::string& argument,
                                                      const std::string& field) const {
  const std::pair<const char*, Kind> words[] = {
      {"theta", Kind::theta}, {"seed", Kind::seed},     {"seed31", Kind::seed31},
      {"input", Kind::input}, {"output", Kind::output}, {"directory", Kind::directory}};
  const auto found = std::find(names_.begin(), names_.end(), name);
  for (const auto& [word, kind] : words) {
    if (name != word) continue;
    if (found != names_.end() && !(kind == Kind::theta && names_.size() == 1)) {
      reject_command(field + "argv has {" + name +
                     "}, which is a reserved name, but a parameter has "
                     "the same name; write {" +
                     std::to_string(found - names_.begin() + 1) +
                     "} for the parameter, or rename the parameter");
    }
    return {kind};
  }
  if (found != names_.end()) return {Kind::parameter, {}, found - names_.begin()};
  Index number = 0;
  const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), number);
  if (!name.empty() && error == std::errc() && end == name.data() + name.size()) {
    if (number >= 1 && number <= static_cast<Index>(names_.size())) {
      return {Kind::parameter, {}, number - 1};
    }
    reject_command(field + "argv has {" + name + "} in '" + argument +
                   "', but parameters are numbered 1 to " + std::to_string(names_.size()));
  }
  std::vector<std::string> known = names_;
  for (const auto& [word, kind] : words) known.emplace_back(word);
  const std::string near = nearest(name, known);
  reject_command(
      field + "argv has {" + name + "} in '" + argument + "', which is not a known name" +
      (near.empty() ? "" : "; did you mean {" + near + "}?") + " (write {{ for a brace)");
}

std::vector<std::string> CommandArguments::fill(const Eigen::Ref<const Eigen::VectorXd>& theta,
                                                std::uint64_t seed,
                                                const std::string& working_directory) const {
  std::vector<std::string> argv = {program_};
  for (const Argument& argument : arguments_) {
    if (argument.size() == 1 && argument.front().kind == Kind::theta) {
      for (const double value : theta) argv.push_back(number_text(value));
      continue;
    }
    std::string text;
    for (const Piece& piece : argument) {
      switch (piece.kind) {
        case Kind::text:
          text += piece.text;
          break;
        case Kind::parameter:
          text += number_text(theta[piece.parameter]);
          break;
        case Kind::theta:
          text += joined(theta, ",", number_text);
          break;
        case Kind::seed:
          text += std::to_string(seed);
          break;
        case Kind::seed31:
          // The low bits: small seeds, which people try things with, stay what they are.
          text += std::to_string(seed & 0x7fffffff);
          break;
        case Kind::input:
          text += working_directory + "/" + input_name_;
          break;
        case Kind::output:
          text += working_directory + "/" + output_name_;
          break;
        case Kind::directory:
          text += directory_;
          break;
      }
    }
    argv.push_back(std::move(text));
  }
  return argv;
}

std::string CommandArguments::input(const Eigen::Ref<const Eigen::VectorXd>& theta,
                                    std::uint64_t seed) const {
  const std::string number = std::to_string(seed);
  if (format_ == CommandFormat::text) return joined(theta, " ", number_text) + "\n" + number + "\n";
  std::string text;
  if (format_ == CommandFormat::csv) {
    for (const std::string& name : names_) text += name + ",";
    return text + "seed\n" + joined(theta, ",", number_text) + "," + number + "\n";
  }
  text = "{\"seed\":\"" + number + "\",\"theta\":[" + joined(theta, ",", number_text) +
         "],\"parameters\":{";
  Listing parameters(",");
  for (std::size_t i = 0; i < names_.size(); ++i) {
    parameters.add(json_string(names_[i]) + ":" + number_text(theta[static_cast<Index>(i)]));
  }
  return text + parameters.text() + "}}\n";
}

std::string shell_text(const std::vector<std::string>& argv) {
  std::string text;
  for (const std::string& argument : argv) {
    if (!text.empty()) text += ' ';
    const bool plain =
        !argument.empty() && std::all_of(argument.begin(), argument.end(), [](unsigned char c) {
          return std::isalnum(c) != 0 ||
                 std::string_view("-_./=,:+@%").find(static_cast<char>(c)) !=
                     std::string_view::npos;
        });
    if (plain) {
      text += argument;
      continue;
    }
    text += '\'';
    for (const char c : argument) {
      if (c == '\'') {
        text += "'\\''";
      } else {
        text += c;
      }
    }
    text += '\'';
  }
  return text;
}

}  // namespace epsfree
