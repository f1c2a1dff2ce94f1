#include "simulate/ledger/ledger_tables.hpp"

#include <cstring>

#include "epsfree/error.hpp"
#include "simulate/ledger/ledger_row.hpp"

namespace epsfree {
namespace {

constexpr std::int64_t kApplication = 0x45505346;  // "EPSF"
constexpr std::int64_t kFormat = 2;
// What is read of a simulation, in the order of the table.
constexpr const char* kColumns =
    "replicate, purpose, round, number, status, attempts, seconds, theta, x, message, checksum, ";

/// One that may only be read stays as it is, whatever its format.
bool says_origin(Database& database) { return database.integer("PRAGMA user_version") >= 2; }

std::string select_simulations(Database& database, const std::string& rest) {
  const bool says = says_origin(database);
  return std::string("SELECT ") + kColumns + (says ? "drawn_from" : "0") + " FROM simulations " +
         rest;
}

// Blobs of a file need not be aligned.
void copy_doubles(std::string_view bytes, std::vector<double>& to) {
  to.resize(bytes.size() / sizeof(double));
  if (!to.empty()) std::memcpy(to.data(), bytes.data(), to.size() * sizeof(double));
}

}  // namespace

void create_ledger_tables(Database& database) {
  database.execute("BEGIN IMMEDIATE");
  database.execute(kLedgerSchema);
  database.execute(("PRAGMA application_id = " + std::to_string(kApplication) +
                    "; PRAGMA user_version = " + std::to_string(kFormat) + "; COMMIT")
                       .c_str());
}

std::int64_t check_ledger_format(Database& database) {
  if (database.integer("PRAGMA application_id") != kApplication) {
    throw Error(ErrorKind::input, "'" + database.path() + "' is a database, but not a ledger");
  }
  // A view or a virtual table could compute for ever.
  if (database.integer("SELECT count(*) FROM sqlite_master WHERE type NOT IN ('table', 'index') OR "
                       "sql LIKE 'CREATE VIRTUAL%' OR (type = 'table' AND "
                       "name NOT IN ('simulations', 'notes', 'journal'))") != 0) {
    throw Error(ErrorKind::input,
                "'" + database.path() + "' is no ledger: it has tables or views of another kind");
  }
  const std::int64_t format = database.integer("PRAGMA user_version");
  if (format > kFormat) {
    throw Error(ErrorKind::input,
                "'" + database.path() + "' is a ledger of format " + std::to_string(format) +
                    ", made by a newer epsfree; this one knows up to " + std::to_string(kFormat));
  }
  return format;
}

void upgrade_ledger(Database& database) {
  if (check_ledger_format(database) == kFormat) return;
  database.execute("BEGIN IMMEDIATE");
  database.execute(kLedgerUpgrade);
  database.execute(("PRAGMA user_version = " + std::to_string(kFormat) + "; COMMIT").c_str());
}

LedgerTables::LedgerTables(Database& database)
    : database_(database),
      insert_(database, says_origin(database)
                            ? "INSERT OR REPLACE INTO simulations VALUES (?,?,?,?,?,?,?,?,?,?,?,?)"
                            : "INSERT OR REPLACE INTO simulations VALUES (?,?,?,?,?,?,?,?,?,?,?)"),
      erase_(database,
             "DELETE FROM simulations WHERE replicate = ? AND purpose = ? AND round = ? AND "
             "number = ?"),
      select_all_(
          database,
          select_simulations(database, "ORDER BY replicate, purpose, round, number").c_str()),
      select_range_(database,
                    select_simulations(database,
                                       "WHERE replicate = ? AND purpose = ? AND round = ? "
                                       "AND number BETWEEN ? AND ? ORDER BY number")
                        .c_str()),
      find_note_(database, "SELECT value, checksum FROM notes WHERE name = ?"),
      put_note_(database, "INSERT OR REPLACE INTO notes VALUES (?,?,?)"),
      find_value_(database, "SELECT value, checksum FROM journal WHERE name = ?"),
      put_value_(database, "INSERT OR REPLACE INTO journal VALUES (?,?,?)"),
      erase_value_(database, "DELETE FROM journal WHERE name = ?") {}

void LedgerTables::write(const LedgerRow& row) {
  insert_.bind(1, std::int64_t{row.key.replicate})
      .bind(2, static_cast<std::int64_t>(row.key.purpose))
      .bind(3, std::int64_t{row.key.round})
      .bind(4, static_cast<std::int64_t>(row.key.index))
      .bind(5, static_cast<std::int64_t>(row.status))
      .bind(6, std::int64_t{row.attempts})
      .bind(7, row.seconds)
      .bind_blob(8, bytes_of(row.theta))
      .bind_blob(9, bytes_of(row.x))
      .bind_text(10, row.message)
      .bind(11, checksum_of(row))
      .bind(12, static_cast<std::int64_t>(row.drawn_from));
  insert_.run();
}

void LedgerTables::erase(const Key& key) {
  erase_.bind(1, std::int64_t{key.replicate})
      .bind(2, static_cast<std::int64_t>(key.purpose))
      .bind(3, std::int64_t{key.round})
      .bind(4, static_cast<std::int64_t>(key.index));
  erase_.run();
}

LedgerRow LedgerTables::read(const Statement& s) {
  LedgerRow row;
  row.key = {.purpose = static_cast<Purpose>(s.integer(1)),
             .replicate = static_cast<std::uint32_t>(s.integer(0)),
             .round = static_cast<std::uint32_t>(s.integer(2)),
             .index = static_cast<std::uint64_t>(s.integer(3))};
  const std::int64_t status = s.integer(4);
  if (status < 0 || status >= kNumSimStatuses) throw DamagedDatabase("an unknown status");
  row.status = static_cast<SimStatus>(status);
  row.attempts = static_cast<int>(s.integer(5));
  row.seconds = s.number(6);
  copy_doubles(s.bytes(7), theta_);
  copy_doubles(s.bytes(8), x_);
  row.theta = theta_;
  row.x = x_;
  row.message = s.bytes(9);
  const std::int64_t drawn_from = s.integer(11);
  if (drawn_from < 0 || drawn_from >= kNumDrawnFrom) throw DamagedDatabase("an unknown origin");
  row.drawn_from = static_cast<DrawnFrom>(drawn_from);
  if (checksum_of(row) != s.integer(10)) {
    throw DamagedDatabase("the checksum of a simulation is wrong");
  }
  return row;
}

void LedgerTables::visit(const Ledger::Visitor& visitor) {
  const StatementReset reset(select_all_);
  while (select_all_.step()) visitor(read(select_all_));
}

void LedgerTables::visit(const Key& first, std::uint64_t last_index,
                         const Ledger::Visitor& visitor) {
  const StatementReset reset(select_range_);
  select_range_.bind(1, std::int64_t{first.replicate})
      .bind(2, static_cast<std::int64_t>(first.purpose))
      .bind(3, std::int64_t{first.round})
      .bind(4, static_cast<std::int64_t>(first.index))
      .bind(5, static_cast<std::int64_t>(last_index));
  while (select_range_.step()) visitor(read(select_range_));
}

std::optional<std::string> LedgerTables::find(Statement& statement, const std::string& name) {
  const StatementReset reset(statement);
  statement.bind_text(1, name);
  if (!statement.step()) return std::nullopt;
  std::string value(statement.bytes(0));
  if (checksum_of(name, value) != statement.integer(1)) {
    throw DamagedDatabase("the checksum of '" + name + "' is wrong");
  }
  return value;
}

void LedgerTables::put_note(std::string_view name, std::string_view text) {
  put_note_.bind_text(1, name).bind_text(2, text).bind(3, checksum_of(name, text));
  put_note_.run();
}

void LedgerTables::put_value(std::string_view name, std::string_view bytes) {
  put_value_.bind_text(1, name).bind_blob(2, bytes).bind(3, checksum_of(name, bytes));
  put_value_.run();
}

void LedgerTables::erase_value(const std::string& name) {
  erase_value_.bind_text(1, name);
  erase_value_.run();
}

void LedgerTables::verify() {
  const std::string verdict = database_.text("PRAGMA quick_check(1)");
  if (verdict != "ok") throw DamagedDatabase(verdict);
  for (const char* query :
       {"SELECT name, value, checksum FROM notes", "SELECT name, value, checksum FROM journal"}) {
    Statement statement(database_, query);
    while (statement.step()) {
      if (checksum_of(statement.bytes(0), statement.bytes(1)) != statement.integer(2)) {
        throw DamagedDatabase("the checksum of a value is wrong");
      }
    }
  }
  visit([](const LedgerRow&) {});
}

}  // namespace epsfree
