#include "paper/paper_part.hpp"

#include <cmath>
#include <nlohmann/json.hpp>

#include "epsfree/error.hpp"
#include "infer/mdn/mdn_options.hpp"
#include "io/json_reader.hpp"
#include "io/number_text.hpp"
#include "io/sha256.hpp"
#include "problem/method_file.hpp"

namespace epsfree {
namespace {

using Json = nlohmann::ordered_json;

constexpr const char* kPartFormat = "epsfree-paper-part";
constexpr int kPartVersion = 2;

Eigen::MatrixXd read_columns(const JsonReader& json) {
  if (json.size() == 0) return {};
  const Index rows = json.at(std::size_t{0}).vector().size();
  Eigen::MatrixXd matrix(rows, static_cast<Index>(json.size()));
  for (std::size_t j = 0; j < json.size(); ++j) {
    matrix.col(static_cast<Index>(j)) = json.at(j).vector(rows);
  }
  return matrix;
}

/// Steps of a network's training take about so many times as long as a simulation.
double training_steps(const MdnSettings& settings) {
  long steps = settings.training != nullptr ? settings.training->num_steps : 0;
  if (settings.rounds != nullptr) {
    steps += settings.rounds->training.num_steps * settings.rounds->max_rounds;
  }
  return static_cast<double>(steps);
}

}  // namespace

std::string to_string(PaperTopic topic) {
  switch (topic) {
    case PaperTopic::figure:
      return "figure";
    case PaperTopic::rounds:
      return "rounds";
    case PaperTopic::components:
      return "components";
    case PaperTopic::layers:
      return "layers";
    case PaperTopic::overfitting:
      break;
  }
  return "overfitting";
}

std::string PaperPart::key() const {
  const std::string all = model + "\n" + target + "\n" + std::to_string(options.seed) + "\n" +
                          method_toml(options, false) + std::to_string(kPartVersion);
  return model + "-" + method + "-" + sha256(all).substr(0, 16);
}

double PaperPart::cost() const {
  double training = 0;
  if (const auto settings = mdn_settings(options.method)) {
    const NetworkOptions& network = settings->network;
    training = 4e-5 * std::sqrt(static_cast<double>(network.num_components)) *
               static_cast<double>(network.hidden_units.size()) * training_steps(*settings);
  }
  const auto* const chains = std::get_if<McmcOptions>(&options.method);
  const Index in_chains =
      chains != nullptr ? options.num_simulations - chains->start_simulations : 0;
  return training + 2e-7 * static_cast<double>(options.num_simulations) +
         5e-6 * static_cast<double>(in_chains);
}

std::string PaperPart::describe() const {
  std::string text = model + " " + method;
  if (setting != 0) text += " " + number_text(setting);
  return text + ", seed " + std::to_string(options.seed);
}

std::string record_json(const PaperPart& part, const PaperRecord& record) {
  Json json;
  json["format"] = kPartFormat;
  json["version"] = kPartVersion;
  json["part"] = part.key();
  json["topic"] = to_string(part.topic);
  json["setting"] = to_json(part.setting);
  json["seed"] = part.options.seed;
  json["error"] = record.error;
  json["num_simulations"] = record.num_simulations;
  json["num_start_simulations"] = record.num_start_simulations;
  json["effective_samples"] = to_json(record.effective_samples);
  json["epsilon"] = to_json(record.epsilon);
  json["seconds"] = to_json(record.seconds);
  json["divergence"] = to_json(record.divergence);
  json["truth_score"] = to_json(record.truth_score);
  json["mean"] = to_json(record.mean);
  json["standard_deviation"] = to_json(record.standard_deviation);
  json["marginal"] = {{"x", to_json(record.marginal.x)}, {"y", to_json(record.marginal.y)}};
  json["num_rounds"] = record.num_rounds;
  json["num_corrections"] = record.num_corrections;
  json["num_improper"] = record.num_improper;
  json["num_damped"] = record.num_damped;
  json["active_components"] = to_json(record.active_components);
  json["x_grid"] = to_json(record.x_grid);
  json["theta_grid"] = to_json(record.theta_grid);
  json["conditional"] = matrix_to_json(record.conditional.transpose());
  json["divergence_by_x"] = to_json(record.divergence_by_x);
  return json.dump() + "\n";
}

PaperRecord parse_record(const std::string& text, const PaperPart& part, const std::string& file) {
  constexpr long kMostParts = 1000000000000;
  const nlohmann::json document = JsonReader::parse(text, file, kPartFormat, kPartVersion);
  const JsonReader json(document, file);
  if (json.at("part").text() != part.key()) {
    throw Error(ErrorKind::input, file + ": is not of " + part.describe());
  }
  PaperRecord record;
  record.error = json.at("error").text();
  record.num_simulations = json.at("num_simulations").integer(0, kMostParts);
  record.num_start_simulations = json.at("num_start_simulations").integer(0, kMostParts);
  record.effective_samples = json.at("effective_samples").number();
  record.epsilon = json.at("epsilon").number();
  record.seconds = json.at("seconds").number();
  record.divergence = json.at("divergence").number();
  record.truth_score = json.at("truth_score").number();
  record.mean = json.at("mean").vector();
  record.standard_deviation = json.at("standard_deviation").vector();
  record.marginal = {json.at("marginal").at("x").vector(), json.at("marginal").at("y").vector()};
  record.num_rounds = static_cast<int>(json.at("num_rounds").integer(0, kMostParts));
  record.num_corrections = json.at("num_corrections").integer(0, kMostParts);
  record.num_improper = json.at("num_improper").integer(0, kMostParts);
  record.num_damped = json.at("num_damped").integer(0, kMostParts);
  record.active_components = json.at("active_components").number();
  record.x_grid = json.at("x_grid").vector();
  record.theta_grid = json.at("theta_grid").vector();
  record.conditional = read_columns(json.at("conditional"));
  record.divergence_by_x = json.at("divergence_by_x").vector();
  return record;
}

}  // namespace epsfree
