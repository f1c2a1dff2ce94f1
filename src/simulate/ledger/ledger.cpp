#include "epsfree/ledger.hpp"
#include "base/words.hpp"

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <vector>

#include "base/file.hpp"
#include "epsfree/error.hpp"
#include "simulate/ledger/ledger_database.hpp"
#include "simulate/ledger/ledger_row.hpp"
#include "simulate/ledger/ledger_salvage.hpp"
#include "simulate/ledger/ledger_tables.hpp"

namespace epsfree {
namespace fs = std::filesystem;
namespace {

using Clock = std::chrono::steady_clock;

// What a killed run loses at most.
constexpr double kCommitSeconds = 1;

// A write-ahead log without shared memory, since one process has the file for itself: works
// wherever files can be locked, network file systems included. A commit survives a kill without a
// sync; a checkpoint, once in a while, makes it survive a power cut (docs/decisions/0013).
// secure_delete leaves no old content that a salvage could take for the present one.
constexpr const char* kSettings =
    "PRAGMA locking_mode = EXCLUSIVE; PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL;"
    "PRAGMA wal_autocheckpoint = 0; PRAGMA secure_delete = ON; PRAGMA cache_size = -65536;"
    "PRAGMA temp_store = MEMORY;";

[[noreturn]] void fail_io(const std::string& action, const std::string& path,
                          const std::error_code& error) {
  throw Error(ErrorKind::io, "cannot " + action + " '" + path + "': " + error.message());
}

/// "(2,3,4)"
std::string fault_statuses() {
  Listing list(",");
  for (int status = 0; status < kNumSimStatuses; ++status) {
    if (is_fault(static_cast<SimStatus>(status))) list.add(std::to_string(status));
  }
  return "(" + list.text() + ")";
}

/// "run/ledger.damaged-1.sqlite", the first that is free.
std::string name_for_damaged(const std::string& path) {
  const fs::path whole(path);
  for (int number = 1;; ++number) {
    const fs::path name =
        whole.parent_path() /
        (whole.stem().string() + ".damaged-" + std::to_string(number) + whole.extension().string());
    std::error_code ignored;
    if (!fs::exists(fs::symlink_status(name, ignored))) return name.string();
  }
}

}  // namespace

struct Ledger::State {
  State(const std::string& file, Database::Mode mode) : path(file), database(file, mode) {}

  /// Takes the file for this process alone, makes the tables where there are none, and reads all
  /// there is.
  void open_to_write() {
    std::error_code ignored;
    const bool has_content = fs::file_size(database.path(), ignored) > 0 && !ignored;
    // Only a new file can choose its pages.
    database.execute(("PRAGMA page_size = " + std::to_string(kLedgerPageBytes)).c_str());
    database.execute(kSettings);
    database.execute("BEGIN EXCLUSIVE; COMMIT");
    is_writer = true;
    if (database.integer("SELECT count(*) FROM sqlite_master") == 0) {
      if (has_content && fs::file_size(database.path(), ignored) > 0) {
        throw DamagedDatabase("it has no tables");
      }
      create_ledger_tables(database);
      opening.is_new = true;
    }
    upgrade_ledger(database);
    tables.emplace(database);
    tables->verify();
  }

  /// False: it is empty, as a run leaves it that is killed while it makes the tables.
  bool open_to_read() {
    database.execute(
        "PRAGMA locking_mode = EXCLUSIVE");  // a killed run's log needs no memory shared
    if (database.integer("SELECT count(*) FROM sqlite_master") == 0) return false;
    check_ledger_format(database);
    tables.emplace(database);
    return true;
  }

  void begin() {
    if (!database.in_transaction()) database.execute("BEGIN IMMEDIATE");
  }

  /// Survives a kill from now on.
  void end_transaction() {
    if (!database.in_transaction()) return;
    database.execute("COMMIT");
    has_log = true;
  }

  /// Survives a power cut, too.
  void commit() {
    last_commit = Clock::now();
    end_transaction();
    if (!has_log) return;
    database.execute("PRAGMA wal_checkpoint(TRUNCATE)");
    has_log = false;
  }

  /// Damage that shows only now.
  template <class Call>
  auto guarded(Call&& call) {
    try {
      return call();
    } catch (const DamagedDatabase& damage) {
      throw Error(ErrorKind::input, "the ledger '" + database.path() + "' is damaged (" +
                                        damage.what() +
                                        "); `epsfree run` on its directory saves what can be read");
    }
  }

  std::string path;
  Database database;
  std::optional<LedgerTables> tables;
  bool is_writer = false;
  bool has_log = false;  // commits that are not in the file itself yet
  Opening opening;
  double commit_seconds = kCommitSeconds;
  Clock::time_point last_commit = Clock::now();
};

namespace {

/// Writes what is left of the file at `path` to a new one in its place; the old one stays beside
/// it.
Ledger::Opening mend(const std::string& path, const std::string& damage) {
  Ledger::Opening opening;
  opening.was_damaged = true;
  opening.damage = damage;
  const std::string fresh = path + ".mending";
  std::error_code error;
  fs::remove(fresh, error);
  fs::remove(fresh + "-wal", error);
  {
    std::error_code none;
    const std::string log = fs::exists(path + "-wal", none) ? read_file(path + "-wal") : "";
    const std::string bytes = read_file(path);
    Ledger ledger(fresh);
    salvage_ledger(bytes, log,
                   {.simulation =
                        [&](const LedgerRow& row) {
                          ledger.record(row);
                          ++opening.num_recovered;
                        },
                    .note =
                        [&](std::string_view name, std::string_view text) {
                          ledger.set_note(std::string(name), std::string(text));
                        },
                    .value =
                        [&](std::string_view name, std::string_view value) {
                          ledger.put(std::string(name), std::string(value));
                        }});
    ledger.commit();
  }
  opening.damaged_copy = name_for_damaged(path);
  fs::create_hard_link(path, opening.damaged_copy, error);
  if (error) fs::copy_file(path, opening.damaged_copy, error);
  if (error) fail_io("copy the damaged ledger to", opening.damaged_copy, error);
  // It would be taken for the new file's.
  if (fs::exists(path + "-wal", error)) {
    fs::rename(path + "-wal", opening.damaged_copy + "-wal", error);
    if (error) fail_io("move", path + "-wal", error);
  }
  fs::rename(fresh, path, error);
  if (error) fail_io("replace", path, error);
  return opening;
}

}  // namespace

Ledger::Ledger(const std::string& path, Access access) {
  if (access == Access::read) {
    bool has_tables = false;
    try {
      state_ = std::make_unique<State>(path, Database::Mode::write);
      has_tables = state_->open_to_read();
    } catch (const Error& error) {
      // A place that cannot be written to can still be read from, unless a run was killed there.
      if (error.kind() != ErrorKind::io) throw;
      state_ = std::make_unique<State>(path, Database::Mode::read);
      has_tables = state_->open_to_read();
    } catch (const DamagedDatabase& damage) {
      state_->guarded([&] { throw damage; });
    }
    if (has_tables) return;
    state_ = std::make_unique<State>(":memory:", Database::Mode::create);
    state_->path = path;
    create_ledger_tables(state_->database);
    state_->open_to_read();
    return;
  }
  std::string damage;
  try {
    state_ = std::make_unique<State>(path, Database::Mode::create);
    state_->open_to_write();
    return;
  } catch (const DamagedDatabase& found) {
    damage = found.what();
  }
  state_.reset();
  const Opening mended = mend(path, damage);
  state_ = std::make_unique<State>(path, Database::Mode::write);
  state_->guarded([&] { state_->open_to_write(); });
  state_->opening = mended;
}

Ledger::~Ledger() {
  if (!state_) return;
  if (!state_->is_writer) return;
  try {
    state_->commit();
    state_->database.execute("PRAGMA journal_mode = DELETE");  // leaves one file behind
  } catch (const std::exception&) {
    // What could not be written is simulated again.
  }
}

const std::string& Ledger::path() const { return state_->path; }
const Ledger::Opening& Ledger::opening() const { return state_->opening; }

std::optional<std::string> Ledger::find(const std::string& name) {
  return state_->guarded([&] { return state_->tables->find_value(name); });
}

void Ledger::put(const std::string& name, const std::string& bytes) {
  state_->guarded([&] {
    state_->begin();
    state_->tables->put_value(name, bytes);
    state_->end_transaction();
  });
  commit_if_due();
}

void Ledger::erase(const std::string& name) {
  state_->guarded([&] {
    state_->begin();
    state_->tables->erase_value(name);
  });
  commit_if_due();
}

void Ledger::clear_journal() {
  state_->guarded([&] {
    state_->begin();
    state_->database.execute("DELETE FROM journal");
    state_->commit();
  });
}

void Ledger::clear() {
  state_->guarded([&] {
    state_->begin();
    state_->database.execute("DELETE FROM simulations; DELETE FROM journal");
    state_->commit();
  });
}

long Ledger::num_values() {
  return state_->guarded(
      [&] { return static_cast<long>(state_->database.integer("SELECT count(*) FROM journal")); });
}

std::optional<std::string> Ledger::note(const std::string& name) {
  return state_->guarded([&] { return state_->tables->find_note(name); });
}

void Ledger::set_note(const std::string& name, const std::string& text) {
  state_->guarded([&] {
    state_->begin();
    state_->tables->put_note(name, text);
  });
}

void Ledger::record(const SimulationRequest& request, std::span<const SimulationRecord> records,
                    const Eigen::Ref<const Eigen::MatrixXd>& statistics) {
  if (records.empty()) return;
  // In the order of their keys pages are filled one after the other.
  std::vector<Index> order(records.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = static_cast<Index>(i);
  std::sort(order.begin(), order.end(), [&](Index a, Index b) {
    return records[static_cast<std::size_t>(a)].column <
           records[static_cast<std::size_t>(b)].column;
  });
  state_->guarded([&] {
    state_->begin();
    const auto size = static_cast<std::size_t>(statistics.rows());
    for (const Index i : order) {
      const SimulationRecord& record = records[static_cast<std::size_t>(i)];
      LedgerRow row;
      row.key = request.key(record.column);
      row.status = record.status;
      row.attempts = record.attempts;
      row.seconds = record.seconds;
      row.theta = {request.thetas.col(record.column).data(),
                   static_cast<std::size_t>(request.thetas.rows())};
      if (record.status == SimStatus::ok) row.x = {statistics.col(i).data(), size};
      row.message = record.message;
      row.drawn_from = request.recorded_as();
      state_->tables->write(row);
    }
  });
  commit_if_due();
}

void Ledger::record(const LedgerRow& row) {
  state_->guarded([&] {
    state_->begin();
    state_->tables->write(row);
  });
  commit_if_due();
}

void Ledger::erase(const Key& key) {
  state_->guarded([&] {
    state_->begin();
    state_->tables->erase(key);
  });
}

long Ledger::erase_faults() {
  return state_->guarded([&] {
    state_->begin();
    const auto before = state_->database.integer("SELECT count(*) FROM simulations");
    state_->database.execute(
        ("DELETE FROM simulations WHERE status IN " + fault_statuses()).c_str());
    return static_cast<long>(before - state_->database.integer("SELECT count(*) FROM simulations"));
  });
}

void Ledger::visit(const Key& first, std::uint64_t last_index, const Visitor& visitor) {
  state_->guarded([&] { state_->tables->visit(first, last_index, visitor); });
}

void Ledger::visit(const Visitor& visitor) {
  state_->guarded([&] { state_->tables->visit(visitor); });
}

long Ledger::num_simulations() {
  return state_->guarded([&] {
    return static_cast<long>(state_->database.integer("SELECT count(*) FROM simulations"));
  });
}

long Ledger::num_faults() {
  return state_->guarded([&] {
    return static_cast<long>(state_->database.integer(
        ("SELECT count(*) FROM simulations WHERE status IN " + fault_statuses()).c_str()));
  });
}

void Ledger::commit() {
  state_->guarded([&] { state_->commit(); });
}

void Ledger::roll_back() {
  if (state_->database.in_transaction()) state_->database.execute("ROLLBACK");
}

void Ledger::commit_if_due() {
  const std::chrono::duration<double> since = Clock::now() - state_->last_commit;
  if (since.count() >= state_->commit_seconds) commit();
}

void Ledger::set_commit_interval(double seconds) { state_->commit_seconds = seconds; }

}  // namespace epsfree
