#include "cli/tables.hpp"

#include <algorithm>
#include <cstdio>

namespace epsfree::cli {
namespace {

std::string seconds(double value) { return formatted(value < 10 ? "%.2f s" : "%.1f s", value); }

// Characters, not bytes: names may be Greek.
std::size_t width_of(const std::string& text) {
  return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), [](char c) {
    return (static_cast<unsigned char>(c) & 0xc0) != 0x80;
  }));
}

}  // namespace

std::string short_number(double value) { return formatted("%.4g", value); }

std::string formatted(const char* format, double value) {
  char buffer[256];
  std::snprintf(buffer, sizeof(buffer), format, value);
  return buffer;
}

std::string aligned(const std::vector<std::vector<std::string>>& rows) {
  std::vector<std::size_t> widths;
  for (const auto& row : rows) {
    widths.resize(std::max(widths.size(), row.size()), 0);
    for (std::size_t c = 0; c < row.size(); ++c) widths[c] = std::max(widths[c], width_of(row[c]));
  }
  std::string text;
  for (const auto& row : rows) {
    for (std::size_t c = 0; c < row.size(); ++c) {
      const std::string padding(widths[c] - width_of(row[c]), ' ');
      if (c == 0) {
        text += row[c] + (row.size() > 1 ? padding : "");
      } else {
        text += "  " + padding + row[c];
      }
    }
    text += "\n";
  }
  return text;
}

std::string check_text(const CheckRecord& record) {
  std::vector<std::vector<std::string>> rows;
  std::string complaints;
  for (const Diagnosis& each : record.diagnoses) {
    rows.push_back({to_string(each.verdict) + std::string("  ") + each.name, each.quantity,
                    short_number(each.value)});
    if (each.verdict == Verdict::pass) continue;
    complaints += "\n" + each.name + ": " + each.sentence() + "\n";
  }
  std::string text = aligned(rows) + complaints;
  for (const std::string& note : record.notes) text += "\n" + note + "\n";
  return text + "\nverdict: " + to_string(record.verdict()) + "\n";
}

std::string posterior_table(const PosteriorTable& table) {
  std::vector<std::vector<std::string>> rows = {{"parameter", "mean", "std", "95% interval"}};
  if (table.truth) rows[0].push_back("true value");
  for (std::size_t i = 0; i < table.names.size(); ++i) {
    const auto d = static_cast<Index>(i);
    rows.push_back(
        {table.names[i], short_number(table.mean[d]), short_number(table.standard_deviation[d]),
         "[" + short_number(table.lower[d]) + ", " + short_number(table.upper[d]) + "]"});
    if (table.truth) rows.back().push_back(short_number((*table.truth)[d]));
  }
  return aligned(rows);
}

std::string combination_text(const CombinationSummary& combination) {
  if (combination.is_exact) return "The product of the posteriors is exact.";
  return "Components of the product of the posteriors were merged: probabilities are wrong by at "
         "most about " +
         formatted("%.2g", combination.total_variation) + " (total variation; divergence " +
         formatted("%.2g", combination.divergence) + " nats).";
}

std::string summary_text(const RunSummary& summary) {
  const Summary& run = summary.inference;
  std::string text = "problem      " + summary.problem;
  if (summary.model != summary.problem) {
    // "command ./sir" says itself what it is.
    const bool is_own = summary.model.find(' ') != std::string::npos;
    text += (is_own ? " (" : " (model ") + summary.model + ")";
  }
  text += "\nmethod       " + run.method;
  if (summary.kind == "new observation") text += ", at a new observation without new simulations";
  if (summary.kind == "combination") {
    text += ", of " + std::to_string(summary.sources.size()) + " posteriors";
    if (summary.combination) {
      text +=
          "\nerror        " + (summary.combination->is_exact
                                   ? std::string("none: the product is exact")
                                   : "probabilities wrong by at most about " +
                                         formatted("%.2g", summary.combination->total_variation));
    }
  } else {
    text += "\nseed         " + std::to_string(run.seed);
  }
  if (run.simulations.total() > 0) {
    text += "\nsimulations  " + std::to_string(run.simulations.total());
    for (int s = 1; s < kNumSimStatuses; ++s) {
      const auto status = static_cast<SimStatus>(s);
      if (run.simulations[status] > 0) {
        text += ", " + std::to_string(run.simulations[status]) + " " + to_string(status);
      }
    }
    text += "\ntime         " + seconds(run.total_seconds) + " (simulation " +
            seconds(run.simulation_seconds) + ", training " + seconds(run.training_seconds) + ")";
  }
  if (run.is_abc()) text += "\nepsilon      " + short_number(run.epsilon);
  if (run.effective_sample_size > 0) {
    text += "\nsamples      worth " + short_number(run.effective_sample_size) + " independent ones";
  }
  if (run.chains.num_chains > 0) {
    text += "\nchains       " + std::to_string(run.chains.num_chains) + " of " +
            std::to_string(run.chains.num_steps) + " steps, " +
            formatted("%.3g%% accepted", 100 * run.chains.acceptance_rate);
  }
  if (summary.recording.num_replayed > 0) {
    text += "\nresumed      " + std::to_string(summary.recording.num_replayed) +
            " simulations taken from the ledger, " +
            std::to_string(summary.recording.num_simulated) + " made";
  }
  const std::string note = summary.recording.note();
  if (!note.empty()) text += "\nrecording    " + note;
  text += "\ndigest       " + summary.digest + "\n";
  for (const std::string& warning : run.warnings) text += "warning      " + warning + "\n";
  return text;
}

}  // namespace epsfree::cli
