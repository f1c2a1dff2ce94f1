#include "epsfree/ledger.hpp"

#include <gtest/gtest.h>
#include <sqlite3.h>
#include <sys/wait.h>
#include <unistd.h>

#include <bit>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <limits>
#include <map>

#include "base/file.hpp"
#include "epsfree/error.hpp"
#include "support/contains.hpp"
#include "support/error_of.hpp"
#include "support/temporary_directory.hpp"

namespace epsfree {
namespace {

Key key_of(std::uint64_t index, std::uint32_t round = 1) {
  return {.purpose = Purpose::simulation, .round = round, .index = index};
}

/// A row that is known from its index.
struct Row {
  explicit Row(std::uint64_t index, std::size_t num_statistics = 9)
      : theta(4), x(num_statistics), key(key_of(index)) {
    Stream stream(7, key);
    for (double& value : theta) value = stream.normal();
    for (double& value : x) value = stream.normal();
    if (index % 10 == 3) {
      status = SimStatus::failed;
      message = "simulation " + std::to_string(index) + " crashed";
      x.clear();
    }
  }
  LedgerRow row() const {
    LedgerRow result;
    result.key = key;
    result.status = status;
    result.attempts = 2;
    result.seconds = 0.25;
    result.theta = theta;
    result.x = x;
    result.message = message;
    return result;
  }

  std::vector<double> theta, x;
  Key key;
  SimStatus status = SimStatus::ok;
  std::string message;
};

void fill(Ledger& ledger, std::uint64_t count, std::size_t num_statistics = 9) {
  for (std::uint64_t i = 0; i < count; ++i) ledger.record(Row(i, num_statistics).row());
}

/// Every row of the ledger must be one that was written, bit for bit. Returns their number.
long count_good(Ledger& ledger, std::size_t num_statistics = 9) {
  long count = 0;
  ledger.visit([&](const LedgerRow& row) {
    ++count;
    const Row expected(row.key.index, num_statistics);
    EXPECT_EQ(row.key, expected.key);
    EXPECT_EQ(row.status, expected.status);
    EXPECT_EQ(row.message, expected.message);
    EXPECT_TRUE(std::equal(row.theta.begin(), row.theta.end(), expected.theta.begin(),
                           expected.theta.end()));
    EXPECT_TRUE(std::equal(row.x.begin(), row.x.end(), expected.x.begin(), expected.x.end()));
  });
  return count;
}

TEST(Ledger, GivesBackWhatItWasGivenBitForBit) {
  const TemporaryDirectory root;
  const std::vector<double> odd = {-0.0, std::numeric_limits<double>::denorm_min(), M_PI,
                                   std::bit_cast<double>(0x7ff8000000001234ULL)};
  const std::vector<double> long_x(3000, 1.0 / 3);  // more than a page of the file
  {
    Ledger ledger(root.file("l.sqlite"));
    EXPECT_TRUE(ledger.opening().is_new);
    LedgerRow row;
    row.key = {
        .purpose = Purpose::simulation, .replicate = 4000000000U, .round = 2, .index = 1ULL << 62};
    row.status = SimStatus::ok;
    row.seconds = 3;
    row.theta = odd;
    row.x = long_x;
    ledger.record(row);
    ledger.put("network", std::string("\0\1\2", 3));
    ledger.put("network", std::string("\0\3", 2));
    ledger.put("other", "");
    ledger.erase("other");
    ledger.set_note("problem", "x = 1\n");
  }
  EXPECT_FALSE(std::filesystem::exists(root.file("l.sqlite-wal")));
  Ledger ledger(root.file("l.sqlite"));
  EXPECT_FALSE(ledger.opening().is_new);
  EXPECT_FALSE(ledger.opening().was_damaged);
  EXPECT_EQ(ledger.find("network"), std::string("\0\3", 2));
  EXPECT_EQ(ledger.find("other"), std::nullopt);
  EXPECT_EQ(ledger.num_values(), 1);
  EXPECT_EQ(ledger.note("problem"), "x = 1\n");
  EXPECT_EQ(ledger.num_simulations(), 1);
  ledger.visit([&](const LedgerRow& row) {
    EXPECT_EQ(row.key.replicate, 4000000000U);
    EXPECT_EQ(row.key.index, 1ULL << 62);
    ASSERT_EQ(row.theta.size(), odd.size());
    for (std::size_t i = 0; i < odd.size(); ++i) {
      EXPECT_EQ(std::bit_cast<std::uint64_t>(row.theta[i]), std::bit_cast<std::uint64_t>(odd[i]));
    }
    EXPECT_TRUE(std::equal(row.x.begin(), row.x.end(), long_x.begin(), long_x.end()));
    EXPECT_EQ(row.seconds, 3);
  });
  ledger.clear_journal();
  EXPECT_EQ(ledger.num_values(), 0);
}

TEST(Ledger, HasOneWriterAtATime) {
  const TemporaryDirectory root;
  const std::string path = root.file("l.sqlite");
  Ledger first(path);
  const std::string message = error_of(ErrorKind::io, [&] { Ledger second(path); });
  EXPECT_NE(message.find("another run"), std::string::npos) << message;
  EXPECT_NE(message.find(path), std::string::npos) << message;
  error_of(ErrorKind::io, [&] { (void)Ledger(path, Ledger::Access::read).num_simulations(); });
}

TEST(Ledger, WhatWasPutSurvivesAKill) {
  const TemporaryDirectory root;
  const std::string path = root.file("l.sqlite");
  const pid_t child = ::fork();
  if (child == 0) {
    Ledger ledger(path);
    fill(ledger, 50);
    ledger.put("checkpoint", "state");  // commits the rows before it
    ledger.record(Row(50).row());       // not committed
    ::kill(::getpid(), SIGKILL);
  }
  ASSERT_EQ(::waitpid(child, nullptr, 0), child);
  Ledger ledger(path);
  EXPECT_FALSE(ledger.opening().was_damaged) << ledger.opening().damage;
  EXPECT_EQ(ledger.find("checkpoint"), "state");
  EXPECT_EQ(count_good(ledger), 50);
}

// What a killed run has in its log only is not lost with the file.
TEST(Ledger, AKilledRunsLogIsSalvagedToo) {
  const TemporaryDirectory root;
  const std::string path = root.file("l.sqlite");
  const pid_t child = ::fork();
  if (child == 0) {
    Ledger ledger(path);
    fill(ledger, 300);
    ledger.commit();
    for (std::uint64_t i = 300; i < 500; ++i) ledger.record(Row(i).row());
    ledger.put("checkpoint", "state");
    ::kill(::getpid(), SIGKILL);
  }
  ASSERT_EQ(::waitpid(child, nullptr, 0), child);
  ASSERT_GT(std::filesystem::file_size(path + "-wal"), 0u);
  std::string bytes = read_file(path);
  ASSERT_GT(bytes.size(), 50000u);
  bytes.replace(26000, 8000, std::string(8000, 'x'));
  write_file_atomically(path, bytes);
  Ledger ledger(path);
  EXPECT_TRUE(ledger.opening().was_damaged);
  const long good = count_good(ledger);
  EXPECT_GE(good, 390);
  EXPECT_LT(good, 500);
  long from_log = 0;
  ledger.visit([&](const LedgerRow& row) { from_log += row.key.index >= 300 ? 1 : 0; });
  EXPECT_EQ(from_log, 200);
  EXPECT_EQ(ledger.find("checkpoint"), "state");
}

/// Makes a ledger what version 0.1 would have written: without a column for what rows were drawn
/// from.
void make_format_1(const std::string& path) {
  sqlite3* database = nullptr;
  ASSERT_EQ(sqlite3_open(path.c_str(), &database), SQLITE_OK);
  ASSERT_EQ(sqlite3_exec(database,
                         "ALTER TABLE simulations DROP COLUMN drawn_from; PRAGMA user_version = 1",
                         nullptr, nullptr, nullptr),
            SQLITE_OK)
      << sqlite3_errmsg(database);
  sqlite3_close(database);
}

TEST(Ledger, OfVersion01IsReadAndGoesOn) {
  const TemporaryDirectory root;
  const std::string path = root.file("l.sqlite");
  {
    Ledger ledger(path);
    fill(ledger, 500);
  }
  make_format_1(path);
  {
    Ledger ledger(path, Ledger::Access::read);
    EXPECT_EQ(count_good(ledger), 500);
  }
  {
    Ledger ledger(path);
    EXPECT_FALSE(ledger.opening().was_damaged) << ledger.opening().damage;
    EXPECT_EQ(count_good(ledger), 500);
    for (std::uint64_t i = 500; i < 700; ++i) {
      const Row row(i);
      LedgerRow entry = row.row();
      entry.drawn_from = DrawnFrom::proposal;
      ledger.record(entry);
    }
  }
  // Rows of both kinds survive damage.
  std::string bytes = read_file(path);
  bytes.replace(0, 100, 100, 'x');
  write_file_atomically(path, bytes);
  Ledger ledger(path);
  EXPECT_TRUE(ledger.opening().was_damaged);
  EXPECT_GE(ledger.opening().num_recovered, 650);
  EXPECT_EQ(count_good(ledger), ledger.opening().num_recovered);
  long known = 0, unknown = 0;
  ledger.visit([&](const LedgerRow& row) {
    EXPECT_EQ(row.drawn_from, row.key.index < 500 ? DrawnFrom::unknown : DrawnFrom::proposal);
    ++(row.drawn_from == DrawnFrom::proposal ? known : unknown);
  });
  EXPECT_GE(known, 150);
  EXPECT_GE(unknown, 450);
}

TEST(Ledger, RefusesForeignAndNewerFiles) {
  const TemporaryDirectory root;
  sqlite3* other = nullptr;
  ASSERT_EQ(sqlite3_open(root.file("other.sqlite").c_str(), &other), SQLITE_OK);
  ASSERT_EQ(sqlite3_exec(other, "CREATE TABLE t(a)", nullptr, nullptr, nullptr), SQLITE_OK);
  sqlite3_close(other);
  EXPECT_NE(
      error_of(ErrorKind::input, [&] { Ledger(root.file("other.sqlite")); }).find("not a ledger"),
      std::string::npos);
  { Ledger ledger(root.file("new.sqlite")); }
  ASSERT_EQ(sqlite3_open(root.file("new.sqlite").c_str(), &other), SQLITE_OK);
  ASSERT_EQ(sqlite3_exec(other, "PRAGMA user_version = 99", nullptr, nullptr, nullptr), SQLITE_OK);
  sqlite3_close(other);
  EXPECT_NE(error_of(ErrorKind::input, [&] { Ledger(root.file("new.sqlite")); }).find("newer"),
            std::string::npos);
  // A run that is killed at its very start leaves an empty file.
  write_file_atomically(root.file("empty.sqlite"), "");
  EXPECT_EQ(Ledger(root.file("empty.sqlite"), Ledger::Access::read).num_simulations(), 0);
  error_of(ErrorKind::io, [&] { Ledger(root.file("none.sqlite"), Ledger::Access::read); });
  EXPECT_FALSE(std::filesystem::exists(root.file("none.sqlite")));
}

// What is whole is recovered, whatever else is gone, and nothing false is taken for it.
// A view in place of the table would compute for ever.
TEST(Ledger, RefusesAFileWhoseTablesAreViews) {
  const TemporaryDirectory root;
  const std::string path = root.file("l.sqlite");
  { Ledger ledger(path); }
  sqlite3* handle = nullptr;
  ASSERT_EQ(sqlite3_open(path.c_str(), &handle), SQLITE_OK);
  ASSERT_EQ(
      sqlite3_exec(handle,
                   "DROP TABLE simulations; CREATE VIEW simulations AS WITH RECURSIVE n(i) AS "
                   "(SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT i FROM n",
                   nullptr, nullptr, nullptr),
      SQLITE_OK);
  sqlite3_close(handle);
  for (const auto access : {Ledger::Access::read, Ledger::Access::write}) {
    EXPECT_CONTAINS(error_of(ErrorKind::input, [&] { Ledger ledger(path, access); }),
                    "is no ledger");
  }
}

TEST(Ledger, IsNotWrittenThroughASymbolicLink) {
  const TemporaryDirectory root;
  { Ledger ledger(root.file("mine.sqlite")); }
  std::filesystem::create_symlink(root.file("mine.sqlite"), root.file("link.sqlite"));
  EXPECT_CONTAINS(error_of(ErrorKind::io, [&] { Ledger ledger(root.file("link.sqlite")); }),
                  "it is a symbolic link");
}

TEST(Ledger, ATruncatedFileKeepsItsGoodPart) {
  const TemporaryDirectory root;
  constexpr std::uint64_t kRows = 600;
  {
    Ledger ledger(root.file("whole.sqlite"));
    ledger.set_note("problem", "text");
    ledger.put("network", std::string(20000, 'n'));
    fill(ledger, kRows);
  }
  const std::string whole = read_file(root.file("whole.sqlite"));
  long most = 0;
  for (std::size_t step = 0; step <= 40; ++step) {
    const std::size_t length =
        step < 8 ? step * 37 : whole.size() * (step - 7) / 33 - (step % 3) * 1000;
    const std::string path = root.file("cut.sqlite");
    write_file_atomically(path, whole.substr(0, length), Durability::none);
    Ledger ledger(path);
    EXPECT_TRUE(ledger.opening().was_damaged || length == 0) << length;
    const long good = count_good(ledger);
    EXPECT_EQ(good, ledger.opening().num_recovered);
    // A page holds some fifty rows; all but the first few are the table's.
    const double pages = static_cast<double>(length) / static_cast<double>(whole.size());
    EXPECT_GE(good, static_cast<long>((pages - 0.4) * kRows)) << length;
    most = std::max(most, good);
    if (length > 0) {
      EXPECT_EQ(read_file(ledger.opening().damaged_copy).size(), length) << "the old file is kept";
      std::filesystem::remove(ledger.opening().damaged_copy);
    }
    ledger.record(Row(kRows).row());  // and it can be gone on with
    ledger.commit();
  }
  EXPECT_GE(most, static_cast<long>(kRows * 8 / 10));
}

TEST(Ledger, DamagedBytesNeverPassForGoodOnes) {
  const TemporaryDirectory root;
  constexpr std::uint64_t kRows = 400;
  {
    Ledger ledger(root.file("whole.sqlite"));
    fill(ledger, kRows / 2);
    ledger.put("network", std::string(3000, 'n'));
    fill(ledger, kRows);
  }
  const std::string whole = read_file(root.file("whole.sqlite"));
  Stream stream(3);
  int damaged = 0;
  for (int trial = 0; trial < 40; ++trial) {
    std::string bytes = whole;
    const std::size_t count = 1 + stream.below(trial % 4 == 0 ? 2000 : 8);
    const std::size_t start = stream.below(bytes.size() - count);
    for (std::size_t i = 0; i < count; ++i) {
      bytes[start + i] = static_cast<char>(bytes[start + i] ^ (1 + stream.below(255)));
    }
    const std::string path = root.file("damaged.sqlite");
    write_file_atomically(path, bytes, Durability::none);
    try {
      Ledger ledger(path);
      if (ledger.opening().was_damaged) {
        ++damaged;
        std::filesystem::remove(ledger.opening().damaged_copy);
      }
      EXPECT_GE(count_good(ledger), static_cast<long>(kRows) - 120) << trial << " at " << start;
      EXPECT_EQ(ledger.find("network").value_or(std::string(3000, 'n')), std::string(3000, 'n'));
    } catch (const Error& error) {
      // Only where the marks that make it a ledger are hit.
      EXPECT_LT(start, 100u) << error.what();
    }
  }
  EXPECT_GT(damaged, 15) << "most damage is noticed; the rest lies where nothing is stored";
}

}  // namespace
}  // namespace epsfree
