#include "paper/paper_results.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/order_statistics.hpp"

namespace epsfree {
namespace {

template <class Field>
std::vector<double> values_of(const std::vector<const PaperRecord*>& records, Field field) {
  std::vector<double> values;
  for (const PaperRecord* record : records) values.push_back(static_cast<double>(record->*field));
  return values;
}

std::optional<PaperGroup> least(const std::vector<PaperGroup>& groups, double PaperRecord::*field) {
  std::optional<PaperGroup> chosen;
  for (const PaperGroup& group : groups) {
    if (group.records.empty()) continue;
    if (!chosen || group.median(field) < chosen->median(field)) chosen = group;
  }
  return chosen;
}

}  // namespace

double median_of(std::vector<double> values) {
  std::erase_if(values, [](double value) { return std::isnan(value); });
  if (values.empty()) return std::numeric_limits<double>::quiet_NaN();
  return epsfree::median(std::move(values));
}

double PaperGroup::median(double PaperRecord::*field) const {
  return median_of(values_of(records, field));
}

double PaperGroup::median(long PaperRecord::*field) const {
  return median_of(values_of(records, field));
}

double PaperGroup::median_cost() const {
  std::vector<double> costs;
  for (const PaperRecord* record : records) {
    const auto all = static_cast<double>(record->num_simulations - record->num_start_simulations);
    costs.push_back(std::isnan(record->effective_samples) ? all : all / record->effective_samples);
  }
  return median_of(std::move(costs));
}

const PaperTarget* PaperResults::target(const std::string& model) const {
  const auto found = std::find_if(targets.begin(), targets.end(),
                                  [&](const PaperTarget& each) { return each.model == model; });
  return found == targets.end() ? nullptr : &*found;
}

std::vector<PaperGroup> PaperResults::groups(const std::string& model, PaperTopic topic,
                                             const std::string& method) const {
  std::vector<PaperGroup> groups;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const PaperPart& part = parts[i];
    if (part.model != model || part.topic != topic || part.method != method) continue;
    if (groups.empty() || groups.back().setting != part.setting) {
      groups.push_back({.setting = part.setting, .records = {}, .errors = {}});
    }
    if (records[i].ok()) {
      groups.back().records.push_back(&records[i]);
    } else {
      groups.back().errors.push_back(records[i].error);
    }
  }
  return groups;
}

PaperGroup PaperResults::neural(const std::string& model, const std::string& method) const {
  const std::vector<PaperGroup> all = groups(model, PaperTopic::figure, method);
  return all.empty() ? PaperGroup{} : all.front();
}

std::optional<PaperGroup> PaperResults::nearest(const std::string& model,
                                                const std::string& method) const {
  return least(groups(model, PaperTopic::figure, method), &PaperRecord::epsilon);
}

std::optional<PaperGroup> PaperResults::best(const std::string& model,
                                             const std::string& method) const {
  return least(groups(model, PaperTopic::figure, method), &PaperRecord::divergence);
}

}  // namespace epsfree
