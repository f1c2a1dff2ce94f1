// `epsfree watch`: a run at work, seen from another terminal.
#include <algorithm>
#include <chrono>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "cli/commands.hpp"
#include "cli/exit_code.hpp"
#include "cli/interrupt.hpp"
#include "cli/output.hpp"
#include "cli/terminal.hpp"
#include "epsfree/error.hpp"
#include "run/run_status.hpp"

namespace epsfree::cli {
namespace {

struct WatchArguments {
  std::string run;
  bool once = false;
  double interval = 0.5;
};

/// Bytes that begin a character take a column each.
bool begins_character(char c) { return (static_cast<unsigned char>(c) & 0xc0) != 0x80; }

/// Breaks lines at a given column, as the terminal would. So the number of rows is known even if
/// the terminal becomes wider or narrower later.
std::vector<std::string> rows_of(const std::string& text, int columns) {
  std::vector<std::string> rows;
  std::string row;
  int width = 0;
  for (const char c : text) {
    if (c == '\n' || (width == columns && begins_character(c))) {
      rows.push_back(std::move(row));
      row.clear();
      width = 0;
    }
    if (c == '\n') continue;
    row += c;
    if (begins_character(c)) ++width;
  }
  if (!row.empty()) rows.push_back(std::move(row));
  return rows;
}

/// Replaces what was drawn before.
class Screen {
 public:
  explicit Screen(bool moves) : moves_(moves) {}

  void draw(const std::string& text) {
    if (!moves_) {
      if (text != last_) write_out(text + "\n");
    } else {
      redraw(text);
    }
    flush_out();
    last_ = text;
  }

 private:
  void redraw(const std::string& text) {
    const TerminalSize size = stdout_size();
    // The last column stays free: terminals differ in when they start the next row.
    const std::vector<std::string> rows = rows_of(text, std::max(1, size.columns - 1));
    // Rows that scrolled off the top of the screen cannot be redrawn.
    const std::size_t shown =
        std::min(rows.size(), static_cast<std::size_t>(std::max(1, size.rows - 1)));
    std::string out = num_rows_ > 0 ? "\r\033[" + std::to_string(num_rows_) + "A\033[J" : "";
    for (std::size_t i = 0; i < shown; ++i) out += rows[i] + "\n";
    write_out(out);
    num_rows_ = shown;
  }

  bool moves_;
  std::size_t num_rows_ = 0;
  std::string last_;
};

/// Elsewhere than on a terminal a change of state is worth a line, not every simulation.
std::string short_form(const RunProgress& progress) {
  const std::string text = progress_text(progress);
  return text.substr(0, text.find('\n'));
}

/// With the exit code of a run that has ended.
void end_as(const RunProgress& progress) {
  if (progress.state == "interrupted") throw Exit{exit_code(ErrorKind::interrupted)};
  if (progress.state != "finished" && !progress.at_work()) {
    throw Exit{exit_code(ErrorKind::stopped)};
  }
}

void watch(const WatchArguments& arguments) {
  RunProgress progress = read_progress(arguments.run);
  if (arguments.once) {
    write_out(progress_text(progress));
    return end_as(progress);
  }
  catch_interrupts();
  const bool moves = stdout_is_terminal();
  Screen screen(moves);
  for (;;) {
    const bool last = !progress.at_work();
    screen.draw(moves || last ? progress_text(progress) : short_form(progress));
    if (last) break;
    for (double waited = 0; waited < arguments.interval && !interrupted(); waited += 0.1) {
      std::this_thread::sleep_for(std::chrono::milliseconds(100));
    }
    if (interrupted()) return;  // whoever looks away is not wrong; the run goes on
    progress = read_progress(arguments.run);
  }
  end_as(progress);
}

}  // namespace

void add_watch(CLI::App& app, Chosen& chosen) {
  auto arguments = std::make_shared<WatchArguments>();
  CLI::App* command = app.add_subcommand(
      "watch", "show a running inference live: rounds, speed, failures, time left");
  command->add_option("RUN", arguments->run, "the run directory")->required()->type_name("DIR");
  command->add_flag("--once", arguments->once, "say how far it is and end");
  command->add_option("--interval", arguments->interval, "seconds between looks [0.5]")
      ->type_name("SECONDS")
      ->check(CLI::Range(0.1, 86400.0));
  command->footer(R"(Examples:
  epsfree watch runs/lotka-volterra
  epsfree watch runs/lotka-volterra --once

Reads status.json alone, so that the run is not disturbed, also from another machine that sees the
directory. Ctrl-C ends the watching, not the run. Exit codes: 0 the run is finished (with
--once also: at work), 75 it stopped, failed or died, 130 it was interrupted.)");
  command->callback([arguments, &chosen] { chosen = [arguments] { watch(*arguments); }; });
}

}  // namespace epsfree::cli
