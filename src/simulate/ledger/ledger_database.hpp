// SQLite with errors of this library, and no more of it than the ledger needs.
#pragma once

#include <cstdint>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>

struct sqlite3;
struct sqlite3_stmt;

namespace epsfree {

/// The file's content contradicts itself.
class DamagedDatabase : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// An open database file. Throws DamagedDatabase, or Error with ErrorKind::io or, for a defect of
/// the statements themselves, ErrorKind::internal.
class Database {
 public:
  enum class Mode { create, write, read };
  Database(const std::string& path, Mode mode);
  Database(const Database&) = delete;
  Database& operator=(const Database&) = delete;
  ~Database();

  const std::string& path() const { return path_; }
  void execute(const char* statements);
  std::int64_t integer(const char* query);
  std::string text(const char* query);
  /// Whether a transaction is open: an error may have ended it.
  bool in_transaction() const;
  [[noreturn]] void fail(int code) const;
  sqlite3* handle() const { return handle_; }

 private:
  std::string path_;
  sqlite3* handle_ = nullptr;
};

/// A prepared statement. Bound memory must stay until the next `reset`.
class Statement {
 public:
  Statement(Database& database, const char* text);
  Statement(const Statement&) = delete;
  Statement& operator=(const Statement&) = delete;
  ~Statement();

  /// Parameters and columns count from 1 and 0, as in SQLite.
  Statement& bind(int parameter, std::int64_t value);
  Statement& bind(int parameter, double value);
  Statement& bind_text(int parameter, std::string_view value);
  Statement& bind_blob(int parameter, std::string_view value);
  /// Whether there is a row.
  bool step();
  /// Runs to the end and makes it ready for another run.
  void run();
  void reset();

  std::int64_t integer(int column) const;
  double number(int column) const;
  std::string_view bytes(int column) const;

 private:
  void check(int code);

  Database& database_;
  sqlite3_stmt* handle_ = nullptr;
};

/// Resets a statement on every way out, so that no lock or bound memory outlives its use.
class StatementReset {
 public:
  explicit StatementReset(Statement& statement) : statement_(statement) {}
  StatementReset(const StatementReset&) = delete;
  StatementReset& operator=(const StatementReset&) = delete;
  ~StatementReset() { statement_.reset(); }

 private:
  Statement& statement_;
};

}  // namespace epsfree
