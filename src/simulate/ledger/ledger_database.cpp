#include "simulate/ledger/ledger_database.hpp"

#include <sqlite3.h>

#include <cstring>
#include <filesystem>
#include <new>

#include "epsfree/error.hpp"

namespace epsfree {
namespace {

int open_flags(Database::Mode mode) {
  switch (mode) {
    case Database::Mode::create:
      return SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE;
    case Database::Mode::write:
      return SQLITE_OPEN_READWRITE;
    case Database::Mode::read:
      break;
  }
  return SQLITE_OPEN_READONLY;
}

}  // namespace

Database::Database(const std::string& path, Mode mode) : path_(path) {
  // A run directory from elsewhere must not lead to a file of the user's own.
  if (mode != Mode::read && std::filesystem::is_symlink(path)) {
    throw Error(ErrorKind::io, "cannot use the ledger '" + path +
                                   "': it is a symbolic link. Move the file itself here, or make "
                                   "the whole run directory a link");
  }
  // One thread uses it, so SQLite need not guard against more.
  const int code =
      sqlite3_open_v2(path.c_str(), &handle_, open_flags(mode) | SQLITE_OPEN_NOMUTEX, nullptr);
  if (code == SQLITE_OK) {
    // What a file says of itself is not to be run: functions in its schema, or writes to its pages.
    sqlite3_db_config(handle_, SQLITE_DBCONFIG_DEFENSIVE, 1, nullptr);
    sqlite3_db_config(handle_, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, nullptr);
    sqlite3_db_config(handle_, SQLITE_DBCONFIG_ENABLE_VIEW, 0, nullptr);
    sqlite3_db_config(handle_, SQLITE_DBCONFIG_ENABLE_TRIGGER, 0, nullptr);
    return;
  }
  try {
    fail(code);
  } catch (...) {
    sqlite3_close(handle_);
    throw;
  }
}

Database::~Database() { sqlite3_close(handle_); }

void Database::execute(const char* statements) {
  const int code = sqlite3_exec(handle_, statements, nullptr, nullptr, nullptr);
  if (code != SQLITE_OK) fail(code);
}

std::int64_t Database::integer(const char* query) {
  Statement statement(*this, query);
  return statement.step() ? statement.integer(0) : 0;
}

std::string Database::text(const char* query) {
  Statement statement(*this, query);
  return statement.step() ? std::string(statement.bytes(0)) : std::string();
}

bool Database::in_transaction() const { return sqlite3_get_autocommit(handle_) == 0; }

void Database::fail(int code) const {
  const auto io = [this](const std::string& reason) {
    throw Error(ErrorKind::io, "cannot use the ledger '" + path_ + "': " + reason);
  };
  switch (code & 0xff) {
    case SQLITE_CORRUPT:
    case SQLITE_NOTADB:
      throw DamagedDatabase(sqlite3_errstr(code));
    case SQLITE_NOMEM:
      throw std::bad_alloc();
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
      io("another run is at work on it");
      break;
    case SQLITE_FULL:
      io("no space left on the device");
      break;
    case SQLITE_READONLY:
      io("it cannot be written to (a read-only file, directory or file system)");
      break;
    case SQLITE_IOERR:
    case SQLITE_CANTOPEN:
    case SQLITE_PERM:
    case SQLITE_NOLFS:
    case SQLITE_AUTH: {
      const int system = handle_ != nullptr ? sqlite3_system_errno(handle_) : 0;
      io(std::string(sqlite3_errstr(code)) +
         (system != 0 ? std::string(": ") + std::strerror(system) : ""));
      break;
    }
    default:
      break;
  }
  throw Error(ErrorKind::internal, "ledger '" + path_ + "': " + sqlite3_errmsg(handle_));
}

Statement::Statement(Database& database, const char* text) : database_(database) {
  check(sqlite3_prepare_v3(database.handle(), text, -1, SQLITE_PREPARE_PERSISTENT, &handle_,
                           nullptr));
}

Statement::~Statement() { sqlite3_finalize(handle_); }

void Statement::check(int code) {
  if (code != SQLITE_OK) database_.fail(code);
}

Statement& Statement::bind(int parameter, std::int64_t value) {
  check(sqlite3_bind_int64(handle_, parameter, value));
  return *this;
}

Statement& Statement::bind(int parameter, double value) {
  check(sqlite3_bind_double(handle_, parameter, value));
  return *this;
}

Statement& Statement::bind_text(int parameter, std::string_view value) {
  check(sqlite3_bind_text64(handle_, parameter, value.data() != nullptr ? value.data() : "",
                            value.size(), SQLITE_STATIC, SQLITE_UTF8));
  return *this;
}

Statement& Statement::bind_blob(int parameter, std::string_view value) {
  check(sqlite3_bind_blob64(handle_, parameter, value.data() != nullptr ? value.data() : "",
                            value.size(), SQLITE_STATIC));
  return *this;
}

bool Statement::step() {
  const int code = sqlite3_step(handle_);
  if (code == SQLITE_ROW) return true;
  if (code != SQLITE_DONE) {
    const int extended = sqlite3_extended_errcode(database_.handle());
    database_.fail((extended & 0xff) == (code & 0xff) ? extended : code);
  }
  return false;
}

void Statement::run() {
  const StatementReset reset(*this);
  while (step()) {
  }
}

void Statement::reset() { sqlite3_reset(handle_); }

std::int64_t Statement::integer(int column) const { return sqlite3_column_int64(handle_, column); }
double Statement::number(int column) const { return sqlite3_column_double(handle_, column); }

std::string_view Statement::bytes(int column) const {
  // The order matters: the first call may convert, the second tells the size of the result.
  const void* data = sqlite3_column_blob(handle_, column);
  if (data == nullptr) return {};
  return {static_cast<const char*>(data),
          static_cast<std::size_t>(sqlite3_column_bytes(handle_, column))};
}

}  // namespace epsfree
