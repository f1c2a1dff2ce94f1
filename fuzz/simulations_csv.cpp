// Simulations made elsewhere, which `epsfree import` takes into a run directory.
#include "fuzz/expect_error.hpp"
#include "fuzz/memory_folder.hpp"
#include "fuzz/target.hpp"
#include "run/ledger_import.hpp"

EPSFREE_FUZZ_TARGET(simulations_csv) {
  using namespace epsfree;
  const MemoryFolder folder;
  ImportSettings settings;
  settings.run = folder.path() + "/run";
  settings.file = folder.write("simulations.csv", text_of(data, size));
  settings.problem = folder.write("problem.toml", "[simulator]\nmodel = \"mixture\"\n");
  expect_error([&] { import_simulations(settings); });
}
