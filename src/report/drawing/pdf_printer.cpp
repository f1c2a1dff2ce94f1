#include "report/drawing/pdf_printer.hpp"

#include "epsfree/error.hpp"
#include "report/markup.hpp"
#include "simulate/process/command_run.hpp"
#include "simulate/process/program.hpp"

namespace epsfree {
namespace {

constexpr const char* kName = "rsvg-convert";
// The first call on a machine may have to look through all of its fonts.
constexpr CommandLimits kLimits{.seconds = 120, .output_size = std::size_t{1} << 28};
constexpr const char* kTrial =
    "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"9\" height=\"9\">"
    "<text y=\"9\">a</text></svg>";

std::string without_pdf(const std::string& reason) {
  return "PDF files were left out: " + reason +
         ". The Debian package librsvg2-bin brings a program that makes them (apt install "
         "librsvg2-bin).";
}

}  // namespace

PdfPrinter::PdfPrinter() {
  const auto path = find_on_path(kName);
  if (!path) {
    why_not_ = without_pdf(std::string("there is no ") + kName + " on the PATH");
    return;
  }
  program_ = *path;
  try {
    print(kTrial);
  } catch (const Error& error) {
    why_not_ = without_pdf(error.what());
  }
}

std::string PdfPrinter::print(const std::string& svg) const {
  // Without the time of making: 2000-01-01.
  const SpawnRequest request{.program = program_,
                             .argv = {kName, "--format=pdf", "--dpi-x=72", "--dpi-y=72"},
                             .environment = {{"SOURCE_DATE_EPOCH", "946684800"}},
                             .directory = "/",
                             .with_input = true};
  CommandRun run = run_command(*Nursery::shared(), request, svg, kLimits, {});
  if (run.end == RunEnd::timeout) {
    throw Error(ErrorKind::io, program_ + " took longer than two minutes for a figure");
  }
  if (run.end == RunEnd::by_itself && run.child->succeeded() && run.output.starts_with("%PDF")) {
    return std::move(run.output);
  }
  const std::string said = clean_text(run.child->tail.text());
  const bool no_pdf = run.end != RunEnd::by_itself || run.child->succeeded();
  throw Error(ErrorKind::io, program_ + " " + (no_pdf ? "made no PDF" : run.child->ending()) +
                                 (said.empty() ? "" : ": " + said));
}

}  // namespace epsfree
