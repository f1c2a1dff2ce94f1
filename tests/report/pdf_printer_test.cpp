#include "report/drawing/pdf_printer.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "base/file.hpp"
#include "report/drawing/figure_files.hpp"
#include "report/search_path.hpp"
#include "support/contains.hpp"
#include "support/error_of.hpp"
#include "support/temporary_directory.hpp"

namespace epsfree {
namespace {

constexpr const char* kPicture =
    "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"480\" height=\"348\">"
    "<text x=\"20\" y=\"40\">θ</text></svg>";

/// Puts an rsvg-convert with these commands into a directory for the PATH.
void put_converter(const TemporaryDirectory& directory, const std::string& script) {
  const std::string path = directory.file("rsvg-convert");
  std::ofstream(path) << "#!/bin/sh\n" << script;
  std::filesystem::permissions(path, std::filesystem::perms::owner_all);
}

Figure named(const std::string& name) {
  Figure figure;
  figure.name = name;
  return figure;
}

TEST(PdfPrinter, PrintsAPixelAsAPoint) {
  const PdfPrinter printer;
  ASSERT_TRUE(printer.is_usable()) << printer.why_not();
  const std::string pdf = printer.print(kPicture);
  EXPECT_EQ(pdf.substr(0, 5), "%PDF-");
  EXPECT_CONTAINS(pdf, "/MediaBox [ 0 0 480 348 ]");
}

TEST(PdfPrinter, TheTimeOfMakingIsNotInIt) {
  EXPECT_CONTAINS(PdfPrinter().print(kPicture), "20000101000000");
}

TEST(PdfPrinter, TakesPicturesOfAnySize) {
  std::string svg = "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"9\" height=\"9\">";
  while (svg.size() < 1000000) svg += "<path d=\"M1 2L3 4\" stroke=\"#123456\"/>\n";
  EXPECT_EQ(PdfPrinter().print(svg + "</svg>").substr(0, 5), "%PDF-");
}

TEST(PdfPrinter, SaysWhatItSaidIfItFails) {
  EXPECT_CONTAINS(error_of(ErrorKind::io, [] { PdfPrinter().print("<svg"); }), "XML");
}

TEST(PdfPrinter, SaysWhatToInstallIfThereIsNone) {
  const TemporaryDirectory empty;
  const SearchPath path(empty.path());
  const PdfPrinter printer;
  EXPECT_FALSE(printer.is_usable());
  EXPECT_CONTAINS(printer.why_not(), "no rsvg-convert on the PATH");
  EXPECT_CONTAINS(printer.why_not(), "librsvg2-bin");
}

TEST(PdfPrinter, FiguresAreDrawnWithoutIt) {
  const TemporaryDirectory directory;
  std::ofstream(directory.file("a.pdf")) << "of an earlier call";
  const SearchPath path(directory.path());
  draw_figure(named("a"), directory.path(), PdfPrinter());
  EXPECT_TRUE(std::filesystem::exists(directory.file("a.svg")));
  EXPECT_TRUE(std::filesystem::exists(directory.file("a.csv")));
  EXPECT_FALSE(std::filesystem::exists(directory.file("a.pdf"))) << "it is not of this figure";
}

TEST(PdfPrinter, ABrokenOneIsNamedWithWhatItSaid) {
  const TemporaryDirectory directory;
  const SearchPath path(directory.path());
  put_converter(directory, "echo 'it is broken' >&2\nexit 1\n");
  const PdfPrinter printer;
  EXPECT_FALSE(printer.is_usable());
  EXPECT_CONTAINS(printer.why_not(), directory.file("rsvg-convert") + " exited with code 1");
  EXPECT_CONTAINS(printer.why_not(), "it is broken");
  EXPECT_CONTAINS(printer.why_not(), "librsvg2-bin");
}

TEST(PdfPrinter, OneThatIsKilledIsToldOf) {
  const TemporaryDirectory directory;
  const SearchPath path(directory.path());
  put_converter(directory, "kill -9 $$\n");
  EXPECT_CONTAINS(PdfPrinter().why_not(), "signal 9");
}

TEST(PdfPrinter, APictureThatIsNoneIsRefused) {
  const TemporaryDirectory directory;
  const SearchPath path(directory.path());
  put_converter(directory, "exit 0\n");
  EXPECT_CONTAINS(PdfPrinter().why_not(), "made no PDF");
  // One that is usable at first and fails later.
  put_converter(directory, "echo %PDF-1.5\n");
  const PdfPrinter printer;
  ASSERT_TRUE(printer.is_usable()) << printer.why_not();
  put_converter(directory, "exit 0\n");
  EXPECT_CONTAINS(
      error_of(ErrorKind::io, [&] { draw_figure(named("a"), directory.path(), printer); }),
      "made no PDF");
  EXPECT_FALSE(std::filesystem::exists(directory.file("a.svg")));
}

// Neither the name of a figure nor what is in it is anything to a shell or an option.
TEST(PdfPrinter, GivesThePictureAsInputAndNothingElse) {
  const TemporaryDirectory directory;
  const SearchPath path(directory.path() + ":/usr/bin:/bin");
  put_converter(directory, "cat > '" + directory.file("input") + "'\necho \"$@\" > '" +
                               directory.file("arguments") + "'\necho %PDF-1.5\n");
  const PdfPrinter printer;
  Figure figure = named("a");
  figure.title = "$(touch x); --output=y";
  draw_figure(figure, directory.path(), printer);
  EXPECT_EQ(read_file(directory.file("input")), read_file(directory.file("a.svg")));
  EXPECT_EQ(read_file(directory.file("arguments")), "--format=pdf --dpi-x=72 --dpi-y=72\n");
}

}  // namespace
}  // namespace epsfree
