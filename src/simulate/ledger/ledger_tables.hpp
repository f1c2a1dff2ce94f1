// The ledger's tables: rows in, rows out, each with its checksum.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "epsfree/ledger.hpp"
#include "simulate/ledger/ledger_database.hpp"

namespace epsfree {

/// Makes the tables in a database that has none.
void create_ledger_tables(Database& database);
/// Throws ErrorKind::input if it is no ledger, or one of a newer format. Returns its format.
std::int64_t check_ledger_format(Database& database);
/// The same; then makes an older one a ledger of this format.
void upgrade_ledger(Database& database);

class LedgerTables {
 public:
  /// The database must outlive it and have the tables.
  explicit LedgerTables(Database& database);

  void write(const LedgerRow& row);
  void erase(const Key& key);
  void visit(const Ledger::Visitor& visitor);
  void visit(const Key& first, std::uint64_t last_index, const Ledger::Visitor& visitor);

  std::optional<std::string> find_note(const std::string& name) { return find(find_note_, name); }
  void put_note(std::string_view name, std::string_view text);
  std::optional<std::string> find_value(const std::string& name) { return find(find_value_, name); }
  void put_value(std::string_view name, std::string_view bytes);
  void erase_value(const std::string& name);

  /// Reads everything; throws DamagedDatabase.
  void verify();

 private:
  LedgerRow read(const Statement& statement);
  static std::optional<std::string> find(Statement& statement, const std::string& name);

  Database& database_;
  Statement insert_, erase_, select_all_, select_range_;
  Statement find_note_, put_note_, find_value_, put_value_, erase_value_;
  std::vector<double> theta_, x_;
};

}  // namespace epsfree
