// ledger.sqlite: to look at, to export in every format (that of NumPy, too), and to go on with,
// which mends what is damaged.
#include "epsfree/ledger.hpp"
#include "fuzz/expect_error.hpp"
#include "fuzz/memory_folder.hpp"
#include "fuzz/target.hpp"
#include "run/ledger_export.hpp"

EPSFREE_FUZZ_TARGET(ledger) {
  using namespace epsfree;
  const MemoryFolder folder;
  const std::string file = folder.write("ledger.sqlite", text_of(data, size));
  for (const ExportFormat format : {ExportFormat::csv, ExportFormat::npy, ExportFormat::json}) {
    expect_error([&] { export_simulations(folder.path(), format, [](std::string_view) {}); });
  }
  expect_error([&] {
    Ledger ledger(file);
    ledger.visit([](const LedgerRow&) {});
    ledger.num_values();
  });
  // What was mended is whole.
  expect_error([&] {
    Ledger ledger(file);
    if (ledger.opening().was_damaged) __builtin_trap();
  });
}
