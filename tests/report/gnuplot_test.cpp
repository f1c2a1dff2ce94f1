#include "report/drawing/gnuplot.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "report/drawing/figure_files.hpp"
#include "report/search_path.hpp"
#include "support/contains.hpp"
#include "support/error_of.hpp"
#include "support/temporary_directory.hpp"

namespace epsfree {
namespace {

/// A directory for the PATH with a program of this name in it.
void put_program(const TemporaryDirectory& directory, const std::string& name,
                 const std::string& script) {
  std::ofstream(directory.file(name)) << "#!/bin/sh\n" << script;
  std::filesystem::permissions(directory.file(name), std::filesystem::perms::owner_all);
}

TEST(Gnuplot, IsThere) { EXPECT_NO_THROW(require_gnuplot()); }

TEST(Gnuplot, AnswersOnItsStandardOutput) {
  EXPECT_EQ(run_gnuplot("set print '-'\nprint 6 * 7\n"), "42\n");
}

TEST(Gnuplot, TakesScriptsAndGivesAnswersOfAnySize) {
  std::string script = "set print '-'\n";
  for (int i = 0; i < 20000; ++i) script += "print 'a line of some length'\n";
  EXPECT_EQ(run_gnuplot(script).size(), 20000u * 22);
}

TEST(Gnuplot, SaysWhatToInstallIfThereIsNone) {
  const TemporaryDirectory empty;
  const SearchPath path(empty.path());
  const std::string message = error_of(ErrorKind::usage, [] { require_gnuplot(); });
  EXPECT_CONTAINS(message, "gnuplot-nox");
  EXPECT_CONTAINS(message, "none on the PATH");
  Figure figure;
  figure.name = "a";
  EXPECT_EQ(error_of(ErrorKind::usage, [&] { draw_figure(figure, empty.path()); }), message);
}

TEST(Gnuplot, SaysWhatItSaidIfItFails) {
  EXPECT_CONTAINS(error_of(ErrorKind::io, [] { run_gnuplot("set nonsense\n"); }),
                  "unrecognized option");
}

TEST(Gnuplot, AnUnusableOneIsNamed) {
  const TemporaryDirectory directory;
  const SearchPath path(directory.path());
  put_program(directory, "gnuplot", "echo 'it is broken' >&2\nexit 1\n");
  EXPECT_CONTAINS(error_of(ErrorKind::io, [] { run_gnuplot(""); }), "it is broken");
  const std::string message = error_of(ErrorKind::usage, [] { require_gnuplot(); });
  EXPECT_CONTAINS(message, "it is broken");
  EXPECT_CONTAINS(message, "gnuplot-nox");
}

TEST(Gnuplot, OneThatIsTooOldIsNamed) {
  const TemporaryDirectory directory;
  const SearchPath path(directory.path());
  put_program(directory, "gnuplot", "echo 'it is gnuplot 4.6'\n");
  EXPECT_CONTAINS(error_of(ErrorKind::usage, [] { require_gnuplot(); }), "it is gnuplot 4.6");
}

TEST(Gnuplot, OneThatIsKilledIsToldOf) {
  const TemporaryDirectory directory;
  const SearchPath path(directory.path());
  put_program(directory, "gnuplot", "kill -9 $$\n");
  EXPECT_CONTAINS(error_of(ErrorKind::io, [] { run_gnuplot(""); }), "signal 9");
}

TEST(Gnuplot, APictureThatIsNoneIsRefused) {
  const TemporaryDirectory directory;
  const SearchPath path(directory.path());
  put_program(directory, "gnuplot", "exit 0\n");
  Figure figure;
  figure.name = "a";
  EXPECT_CONTAINS(error_of(ErrorKind::io, [&] { draw_figure(figure, directory.path()); }),
                  "made no");
  EXPECT_FALSE(std::filesystem::exists(directory.file("a.svg")));
}

}  // namespace
}  // namespace epsfree
