// What a check found, for other programs.
#include <nlohmann/json.hpp>

#include "epsfree/version.hpp"
#include "problem/simulator_check.hpp"

namespace epsfree {

std::string check_json(const SimulatorCheck& check) {
  nlohmann::ordered_json json;
  json["format"] = "epsfree-simulator-check";
  json["version"] = 1;
  json["epsfree_version"] = version();
  json["simulator"] = check.simulator;
  json["num_parameters"] = check.num_parameters;
  json["num_statistics"] = check.num_statistics;
  json["verdict"] = to_string(check.verdict());
  for (int s = 0; s < kNumSimStatuses; ++s) {
    const auto status = static_cast<SimStatus>(s);
    json["simulations"][to_string(status)] = check.simulations[status];
  }
  json["seconds"] = {{"median", check.median_seconds}, {"slowest", check.slowest_seconds}};
  json["budget"] = {{"simulations", check.budget},
                    {"threads", check.num_threads},
                    {"seconds", check.budget_seconds}};
  json["findings"] = nlohmann::ordered_json::array();
  for (const Finding& finding : check.findings) {
    json["findings"].push_back({{"name", finding.name},
                                {"verdict", to_string(finding.verdict)},
                                {"text", finding.text},
                                {"advice", finding.advice}});
  }
  // What a simulator says need not be UTF-8.
  return json.dump(2, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
}

}  // namespace epsfree
