#include "run/simulator_fingerprint.hpp"

#include <gtest/gtest.h>

#include <filesystem>

#include "base/file.hpp"
#include "problem/problem_file.hpp"
#include "run/python_imports.hpp"
#include "support/contains.hpp"
#include "support/error_of.hpp"
#include "support/temporary_directory.hpp"

namespace epsfree {
namespace {

namespace fs = std::filesystem;

class Fingerprint : public ::testing::Test {
 protected:
  void write(const std::string& name, const std::string& text) const {
    fs::create_directories(fs::path(root.file(name)).parent_path());
    write_file_atomically(root.file(name), text);
    fs::permissions(root.file(name), fs::perms::owner_all);
  }
  SimulatorFingerprint of(const std::string& simulator) const {
    return SimulatorFingerprint::of(
        parse_problem("[simulator]\n" + simulator +
                          "\nnum_statistics = 1\n[prior]\nkind = \"independent\"\n"
                          "[[prior.parameter]]\nname = \"a\"\nfamily = \"uniform\"\nlow = 0\n"
                          "high = 1\n[observed]\nvalues = [1]\n",
                      root.file("p.toml"))
            .simulator);
  }
  /// Which files a simulator notices a change of.
  std::string change(const std::string& simulator, const std::string& file) const {
    const SimulatorFingerprint before = of(simulator);
    write(file, read_file(root.file(file)) + "\n# changed\n");
    return describe(of(simulator).changes_since(before));
  }
  TemporaryDirectory root;
};

TEST_F(Fingerprint, OfAPythonModuleHasWhatItImportsFromItsFolder) {
  write("sir.py", "import numpy as np, os\nfrom helpers.rates import beta\nimport plain\n");
  write("helpers/__init__.py", "");
  write("helpers/rates.py", "from . import constants\nfrom .deep import *\n");
  write("helpers/constants.py", "b = 1\n");
  write("helpers/deep.py", "");
  write("plain.py", "def f():\n    import late\n");
  write("late.py", "");
  write("unrelated.py", "");
  const std::string python = "python = \"sir:simulate\"";
  for (const char* file : {"sir.py", "helpers/__init__.py", "helpers/rates.py",
                           "helpers/constants.py", "helpers/deep.py", "plain.py", "late.py"}) {
    EXPECT_CONTAINS(change(python, file), root.file(file)) << file;
  }
  EXPECT_EQ(change(python, "unrelated.py"), "");
  EXPECT_EQ(of(python).parts().size(), 7u);
  EXPECT_EQ(python_files(root.file("gone.py"), root.path()).size(), 1u);
}

TEST_F(Fingerprint, OfACommandHasItsProgramAndTheFilesAmongItsArguments) {
  write("sim.sh", "#!/bin/sh\necho 1\n");
  write("mesh.dat", "1 2 3\n");
  write("beside.dat", "");
  const std::string command = "command = [\"./sim.sh\", \"mesh.dat\", \"{a}\", \"--fast\"]";
  EXPECT_CONTAINS(change(command, "sim.sh"), root.file("sim.sh") + "' (program)");
  EXPECT_CONTAINS(change(command, "mesh.dat"), root.file("mesh.dat") + "' (argument 1)");
  EXPECT_EQ(change(command, "beside.dat"), "");
  write("sim.py", "import helper\n");
  write("helper.py", "");
  EXPECT_CONTAINS(change("worker = [\"python3\", \"sim.py\"]", "helper.py"), "helper.py");
  EXPECT_CONTAINS(change("plugin = \"mesh.dat\"", "mesh.dat"), "(library)");
}

TEST_F(Fingerprint, DoesNotDependOnWhereTheFolderIs) {
  write("one/sim.sh", "#!/bin/sh\necho 1\n");
  write("two/sim.sh", "#!/bin/sh\necho 1\n");
  const auto in = [&](const std::string& folder) {
    return of("command = [\"./sim.sh\", \"{a}\"]\ndirectory = \"" + folder + "\"");
  };
  EXPECT_TRUE(in("one").changes_since(in("two")).empty());
  const SimulatorFingerprint read = SimulatorFingerprint::from_text(in("one").text(), "a ledger");
  EXPECT_TRUE(in("two").changes_since(read).empty());
  EXPECT_EQ(read.text(), in("one").text());
  fs::remove(root.file("two/sim.sh"));
  EXPECT_EQ(in("two").changes_since(read).size(), 1u) << "it is gone";
  EXPECT_CONTAINS(
      error_of(ErrorKind::input, [] { SimulatorFingerprint::from_text("[{}]", "a ledger"); }),
      "a ledger");
}

TEST_F(Fingerprint, FindsModulesRunByNameAndOnThePythonPath) {
  write("mysim.py", "print(1)\n");
  write("lib/far.py", "def simulate(a): return a\n");
  EXPECT_CONTAINS(change("worker = [\"/usr/bin/env\", \"-m\", \"mysim\"]", "mysim.py"),
                  "(module mysim)");
  EXPECT_CONTAINS(
      change("python = \"far:simulate\"\nenvironment = {PYTHONPATH = \"" + root.file("lib") + "\"}",
             "lib/far.py"),
      "(module far)");
}

TEST_F(Fingerprint, LeavesOutFilesThatTheSimulatorWritesTo) {
  write("sim.sh", "exit 0\n");
  write_file_atomically(root.file("log.txt"), "");
  write_file_atomically(root.file("mesh.dat"), "1 2 3");
  const std::string simulator = "command = [\"./sim.sh\", \"log.txt\", \"mesh.dat\", \"{a}\"]";
  const SimulatorFingerprint started = of(simulator);
  write_file_atomically(root.file("log.txt"), "one line");
  const SimulatorFingerprint stopped = started.without_outputs(of(simulator));
  EXPECT_EQ(stopped.parts().size(), 2u);
  write_file_atomically(root.file("log.txt"), "two lines");
  EXPECT_TRUE(of(simulator).changes_since(stopped).empty());
  write_file_atomically(root.file("mesh.dat"), "4 5 6");
  EXPECT_CONTAINS(describe(of(simulator).changes_since(stopped)), "mesh.dat");
}

TEST_F(Fingerprint, PartsOfOneNameAreToldApartByTheirDigests) {
  const SimulatorFingerprint two(
      {{"function <lambda>", "a:1", "x"}, {"function <lambda>", "a:2", "y"}});
  const SimulatorFingerprint moved(
      {{"function <lambda>", "a:2", "x"}, {"function <lambda>", "a:3", "y"}});
  const SimulatorFingerprint other(
      {{"function <lambda>", "a:1", "x"}, {"function <lambda>", "a:2", "z"}});
  EXPECT_TRUE(moved.changes_since(two).empty());
  EXPECT_EQ(other.changes_since(two).size(), 1u);
}

}  // namespace
}  // namespace epsfree
