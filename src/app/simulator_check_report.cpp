// What a check found, for other programs, and durations for people.
#include <cmath>
#include <cstdio>
#include <nlohmann/json.hpp>

#include "app/simulator_check.hpp"
#include "epsfree/version.hpp"

namespace epsfree {

std::string duration_text(double seconds) {
  const auto short_text = [](double value, const char* unit) {
    char buffer[64];
    std::snprintf(buffer, sizeof(buffer), value < 9.95 ? "%.1f %s" : "%.0f %s", value, unit);
    return std::string(buffer);
  };
  // In whole small units, so that nothing is lost to rounding.
  const auto pair_text = [seconds](double small_unit, long ratio, const char* large,
                                   const char* small) {
    const long count = std::lround(seconds / small_unit);
    return std::to_string(count / ratio) + " " + large +
           (count % ratio > 0 ? " " + std::to_string(count % ratio) + " " + small : "");
  };
  if (seconds < 0.9995e-3) return short_text(seconds * 1e6, "us");
  if (seconds < 0.9995) return short_text(seconds * 1e3, "ms");
  if (seconds < 59.5) return short_text(seconds, "s");
  if (seconds < 3599.5) return pair_text(1, 60, "min", "s");
  if (seconds < 86370) return pair_text(60, 60, "h", "min");
  return pair_text(3600, 24, seconds < 171000 ? "day" : "days", "h");
}

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
