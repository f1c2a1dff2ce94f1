#include "io/check_file.hpp"

#include <limits>
#include <nlohmann/json.hpp>

#include "io/json_reader.hpp"

namespace epsfree {
namespace {

using Json = nlohmann::ordered_json;

constexpr const char* kCheckFormat = "epsfree-check";
constexpr int kCheckVersion = 1;
constexpr long kMostChecks = std::numeric_limits<long>::max();

Json table_json(const DiagnosisTable& table) {
  Json json;
  json["name"] = table.name;
  json["columns"] = table.columns;
  if (!table.labels.empty()) json["labels"] = table.labels;
  json["values"] = matrix_to_json(table.values);
  return json;
}

Json diagnosis_json(const Diagnosis& each) {
  Json json;
  json["name"] = each.name;
  json["verdict"] = to_string(each.verdict);
  json["quantity"] = each.quantity;
  json["value"] = to_json(each.value);
  json["bad"] = each.bad == Bad::low ? "low" : "high";
  json["warn_at"] = to_json(each.warn_at);
  json["threshold"] = to_json(each.threshold);
  json["is_p_value"] = each.is_p_value;
  json["num_tests"] = each.num_tests;
  json["meaning"] = each.meaning;
  json["advice"] = each.advice;
  json["citation"] = each.citation;
  json["tables"] = Json::array();
  for (const DiagnosisTable& table : each.tables) json["tables"].push_back(table_json(table));
  return json;
}

Verdict read_verdict(const JsonReader& from) {
  const std::string text = from.text();
  for (const Verdict verdict : {Verdict::pass, Verdict::warn, Verdict::fail}) {
    if (text == to_string(verdict)) return verdict;
  }
  from.fail("expected \"pass\", \"warn\" or \"fail\", got \"" + text + "\"");
}

DiagnosisTable read_table(const JsonReader& from) {
  DiagnosisTable table{from.at("name").text(), from.at("columns").texts(), {}};
  if (from.has("labels")) table.labels = from.at("labels").texts();
  table.values = from.at("values").matrix(static_cast<Index>(from.at("values").size()),
                                          static_cast<Index>(table.columns.size()));
  return table;
}

Diagnosis read_diagnosis(const JsonReader& from) {
  Diagnosis each;
  each.name = from.at("name").text();
  each.verdict = read_verdict(from.at("verdict"));
  each.quantity = from.at("quantity").text();
  each.value = from.at("value").number();
  each.bad = from.at("bad").text() == "low" ? Bad::low : Bad::high;
  each.warn_at = from.at("warn_at").number();
  each.threshold = from.at("threshold").number();
  each.is_p_value = from.at("is_p_value").boolean();
  each.num_tests = static_cast<int>(from.at("num_tests").integer(1, 1'000'000));
  each.meaning = from.at("meaning").text();
  each.advice = from.at("advice").text();
  each.citation = from.at("citation").text();
  const JsonReader tables = from.at("tables");
  for (std::size_t i = 0; i < tables.size(); ++i) each.tables.push_back(read_table(tables.at(i)));
  return each;
}

}  // namespace

const Diagnosis* CheckRecord::find(const std::string& name) const {
  for (const Diagnosis& each : diagnoses) {
    if (each.name == name) return &each;
  }
  return nullptr;
}

std::string check_json(const CheckRecord& record) {
  Json json;
  json["format"] = kCheckFormat;
  json["version"] = kCheckVersion;
  json["epsfree_version"] = record.version;
  json["verdict"] = to_string(record.verdict());
  json["digest"] = record.digest;
  json["seed"] = record.seed;
  json["simulations"] = {{"posterior", record.num_posterior}, {"prior", record.num_prior}};
  json["repetitions"] = record.num_repetitions;
  json["seconds"] = record.seconds;
  json["notes"] = record.notes;
  json["diagnoses"] = Json::array();
  for (const Diagnosis& each : record.diagnoses) json["diagnoses"].push_back(diagnosis_json(each));
  return json.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
}

CheckRecord parse_check(const std::string& text, const std::string& source) {
  const nlohmann::json json = JsonReader::parse(text, source, kCheckFormat, kCheckVersion);
  const JsonReader root(json, source);
  CheckRecord record;
  record.version = root.at("epsfree_version").text();
  record.digest = root.at("digest").text();
  record.seed = static_cast<std::uint64_t>(root.at("seed").integer(0, kMostChecks));
  record.num_posterior = root.at("simulations").at("posterior").integer(0, kMostChecks);
  record.num_prior = root.at("simulations").at("prior").integer(0, kMostChecks);
  record.num_repetitions = root.at("repetitions").integer(0, kMostChecks);
  record.seconds = root.at("seconds").number();
  record.notes = root.at("notes").texts();
  const JsonReader all = root.at("diagnoses");
  for (std::size_t i = 0; i < all.size(); ++i)
    record.diagnoses.push_back(read_diagnosis(all.at(i)));
  return record;
}

}  // namespace epsfree
