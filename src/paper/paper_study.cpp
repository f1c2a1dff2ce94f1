#include "paper/paper_study.hpp"

#include <algorithm>
#include <filesystem>
#include <map>
#include <mutex>

#include "base/file.hpp"
#include "base/numerics.hpp"
#include "base/parallel.hpp"
#include "epsfree/error.hpp"
#include "epsfree/models.hpp"
#include "infer/stop_observer.hpp"
#include "paper/paper_figures.hpp"
#include "paper/paper_page.hpp"
#include "report/drawing/figure_files.hpp"
#include "report/drawing/pdf_printer.hpp"
#include "run/run_directory.hpp"

namespace epsfree {
namespace {

namespace fs = std::filesystem;

class Study {
 public:
  Study(const PaperSettings& settings, PaperListener& listener)
      : settings_(settings),
        listener_(listener),
        parts_directory_(fs::path(settings.out) / "parts") {
    make_run_directory(parts_directory_.string());
    report_.results.scale = settings.scale;
  }

  void find_targets(const std::vector<std::string>& models) {
    for (const std::string& name : models) {
      const PosteriorPtr made =
          needs_reference(name, settings_.reference) ? reference_posterior(name) : PosteriorPtr();
      report_.results.targets.push_back(
          paper_target(name, settings_.reference, made ? made->weighted_samples() : nullptr));
    }
  }

  void make_parts() {
    PaperResults& results = report_.results;
    for (const PaperTarget& target : results.targets) {
      for (PaperPart& part : plan_paper(target.model, settings_.scale)) {
        part.target = target.fingerprint();
        results.parts.push_back(std::move(part));
      }
    }
    results.records.resize(results.parts.size());
    run_missing(remember());
    for (std::size_t i = 0; i < results.parts.size(); ++i) {
      results.records[i] = results.records[first_[results.parts[i].key()]];
    }
  }

  void write(const std::vector<Figure>& figures) {
    const PdfPrinter printer;
    report_.without_pdf = printer.why_not();
    const fs::path out = settings_.out;
    const auto add = [&](const std::string& name) {
      report_.files.push_back((out / name).string());
    };
    report_.claims = judge_claims(report_.results);
    for (const Figure& figure : figures) {
      if (listener_.stop()) throw Error(ErrorKind::interrupted, "interrupted while drawing");
      listener_.on_stage("drawing " + figure.name);
      draw_figure(figure, settings_.out, printer);
    }
    write_file_atomically((out / "claims.json").string(),
                          claims_json(report_.claims, report_.results));
    write_file_atomically(
        (out / "figures.html").string(),
        figures_html(report_.results, report_.claims, figures, report_.without_pdf));
    add("figures.html");
    add("claims.json");
    for (const Figure& figure : figures) {
      for (const char* ending : {".svg", ".pdf", ".csv"}) {
        if (ending == std::string(".pdf") && !printer.is_usable()) continue;
        add(figure.name + ending);
      }
    }
  }

  const PaperResults& results() const { return report_.results; }
  PaperReport take() { return std::move(report_); }

 private:
  /// Samples to measure by, kept beside the parts.
  PosteriorPtr reference_posterior(const std::string& name) {
    const PaperScale& scale = settings_.scale;
    const std::string form = scale.full ? "full" : "quick";
    const std::string file =
        name + "-reference-" + form + "-" + std::to_string(scale.seed) + ".json";
    const std::string path = (parts_directory_ / file).string();
    std::error_code ignored;
    if (fs::exists(path, ignored)) {
      try {
        return load_posterior(path);
      } catch (const Error&) {
        // Damaged: made again.
      }
    }
    listener_.on_stage("making samples of the true posterior of " + name);
    StopObserver observer([&] { return listener_.stop(); });
    ThreadRunner runner(settings_.num_threads);
    const ReferenceRun run = reference_run(name, scale.full, scale.seed, runner, observer);
    const InferResult result = infer(run.problem, run.options, runner, &observer);
    save_posterior(*result.posterior, path);
    return result.posterior;
  }

  std::string path_of(const PaperPart& part) const {
    return (parts_directory_ / (part.key() + ".json")).string();
  }

  /// Reads what an earlier call has left; the rest is still to be made.
  std::vector<std::size_t> remember() {
    PaperResults& results = report_.results;
    std::vector<std::size_t> missing;
    for (std::size_t i = 0; i < results.parts.size(); ++i) {
      // One inference may serve a figure and a claim.
      if (!first_.emplace(results.parts[i].key(), i).second) continue;
      const std::string path = path_of(results.parts[i]);
      std::error_code ignored;
      bool found = false;
      if (fs::exists(path, ignored)) {
        try {
          results.records[i] = parse_record(read_file(path), results.parts[i], path);
          found = true;
        } catch (const Error&) {
          // Damaged: made again.
        }
      }
      if (found) {
        ++report_.num_remembered;
      } else {
        missing.push_back(i);
      }
    }
    return missing;
  }

  void run_missing(std::vector<std::size_t> missing) {
    PaperResults& results = report_.results;
    const auto cost = [&](std::size_t i) { return results.parts[i].cost(); };
    // The longest first, so that no core is left with one at the end.
    std::stable_sort(missing.begin(), missing.end(),
                     [&](std::size_t a, std::size_t b) { return cost(a) > cost(b); });
    double total = 0, spent = 0;
    for (const std::size_t i : missing) total += cost(i);
    std::size_t done = 0;
    std::mutex mutex;
    parallel_for(settings_.num_threads, missing.size(), 1, [&](std::size_t begin, std::size_t end) {
      for (std::size_t j = begin; j < end; ++j) {
        if (listener_.stop()) throw Error(ErrorKind::interrupted, "interrupted");
        const std::size_t i = missing[j];
        const PaperPart& part = results.parts[i];
        StopObserver observer([&] { return listener_.stop(); });
        results.records[i] = run_part(part, *results.target(part.model), observer);
        write_file_atomically(path_of(part), record_json(part, results.records[i]));
        const std::lock_guard lock(mutex);
        spent += cost(i);
        listener_.on_part(++done, missing.size(), spent / total, part, results.records[i]);
      }
    });
  }

  const PaperSettings& settings_;
  PaperListener& listener_;
  fs::path parts_directory_;
  PaperReport report_;
  std::map<std::string, std::size_t> first_;  ///< of the parts with a key
};

/// In the paper's order, each once.
std::vector<std::string> chosen_models(const std::vector<std::string>& names) {
  std::vector<std::string> chosen;
  for (const char* each : {"mixture", "linear-regression", "lotka-volterra", "mg1-queue"}) {
    const bool is_chosen = std::any_of(names.begin(), names.end(), [&](const std::string& name) {
      return model(name)->name() == each;
    });
    if (names.empty() || is_chosen) chosen.emplace_back(each);
  }
  return chosen;
}

}  // namespace

PaperReport run_paper(const PaperSettings& settings, PaperListener* listener) {
  PaperListener silent;
  const std::vector<std::string> models = chosen_models(settings.models);
  pin_numerics();
  Study study(settings, listener != nullptr ? *listener : silent);
  study.find_targets(models);
  study.make_parts();
  study.write(paper_figures(study.results()));
  return study.take();
}

}  // namespace epsfree
