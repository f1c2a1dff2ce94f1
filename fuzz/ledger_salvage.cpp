// What can be read of a damaged ledger, page by page.
#include "simulate/ledger/ledger_salvage.hpp"
#include "fuzz/expect_error.hpp"
#include "fuzz/target.hpp"

EPSFREE_FUZZ_TARGET(ledger_salvage) {
  using namespace epsfree;
  const std::string bytes = text_of(data, size);
  // The first page is taken for the file, all of it for its log, and the other way round.
  const Salvaged nothing{.simulation = [](const LedgerRow&) {},
                         .note = [](std::string_view, std::string_view) {},
                         .value = [](std::string_view, std::string_view) {}};
  salvage_ledger(bytes, bytes, nothing);
}
