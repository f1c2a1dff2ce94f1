// A command's arguments and input, with their placeholders filled in.
#pragma once

#include <Eigen/Core>
#include <cstdint>
#include <string>
#include <vector>

#include "epsfree/process_simulators.hpp"

namespace epsfree {

class CommandArguments {
 public:
  /// Throws ErrorKind::input, with `field` before the option's name, if a placeholder means
  /// nothing.
  CommandArguments(const CommandOptions& options, const std::string& field);

  /// For a simulation that runs in `working_directory`.
  std::vector<std::string> fill(const Eigen::Ref<const Eigen::VectorXd>& theta, std::uint64_t seed,
                                const std::string& working_directory) const;
  /// What stands on standard input or in the input file.
  std::string input(const Eigen::Ref<const Eigen::VectorXd>& theta, std::uint64_t seed) const;

  const std::string& input_name() const { return input_name_; }
  const std::string& output_name() const { return output_name_; }
  bool uses_theta() const { return uses_theta_; }

 private:
  enum class Kind : unsigned char {
    text,
    parameter,
    theta,
    seed,
    seed31,
    input,
    output,
    directory
  };
  struct Piece {
    Kind kind = Kind::text;
    std::string text = {};
    Index parameter = 0;
  };
  using Argument = std::vector<Piece>;

  Argument parse(const std::string& argument, const std::string& field) const;
  Piece placeholder(const std::string& name, const std::string& argument,
                    const std::string& field) const;

  std::vector<std::string> names_;
  CommandFormat format_;
  std::string program_, directory_, input_name_, output_name_;
  std::vector<Argument> arguments_;  // all but the first of argv
  bool uses_theta_ = false;
};

/// For messages: as it would be typed in a shell.
std::string shell_text(const std::vector<std::string>& argv);

}  // namespace epsfree
