#include "simulate/ledger/ledger_salvage.hpp"

#include <array>
#include <bit>
#include <cstdint>
#include <optional>
#include <vector>

#include "simulate/ledger/ledger_row.hpp"

namespace epsfree {
namespace {

constexpr std::size_t kPage = kLedgerPageBytes;
constexpr unsigned char kLeaf = 0x0a, kInterior = 0x02;  // of a table WITHOUT ROWID

/// Bytes that end: what lies beyond reads as nothing.
class Reader {
 public:
  explicit Reader(std::string_view bytes) : rest_(bytes) {}

  std::optional<std::uint64_t> big_endian(std::size_t count) {
    if (rest_.size() < count) return std::nullopt;
    std::uint64_t value = 0;
    for (std::size_t i = 0; i < count; ++i) {
      value = (value << 8) | static_cast<unsigned char>(rest_[i]);
    }
    rest_.remove_prefix(count);
    return value;
  }

  std::optional<std::uint64_t> varint() {
    std::uint64_t value = 0;
    for (std::size_t i = 0; i < 9 && i < rest_.size(); ++i) {
      const auto byte = static_cast<unsigned char>(rest_[i]);
      value = i == 8 ? (value << 8) | byte : (value << 7) | (byte & 0x7fU);
      if (i < 8 && (byte & 0x80U) != 0) continue;
      rest_.remove_prefix(i + 1);
      return value;
    }
    return std::nullopt;
  }

  std::optional<std::string_view> take(std::uint64_t count) {
    if (count > rest_.size()) return std::nullopt;
    const std::string_view taken = rest_.substr(0, static_cast<std::size_t>(count));
    rest_.remove_prefix(static_cast<std::size_t>(count));
    return taken;
  }

  std::string_view rest() const { return rest_; }

 private:
  std::string_view rest_;
};

struct Field {
  enum class Kind { integer, number, text, blob, none };
  Kind kind = Kind::none;
  std::int64_t integer = 0;
  double number = 0;
  std::string_view bytes = {};
};

std::optional<Field> read_field(std::uint64_t type, Reader& body) {
  using Kind = Field::Kind;
  constexpr std::array<std::size_t, 8> kSizes = {0, 1, 2, 3, 4, 6, 8, 8};
  if (type == 8 || type == 9) return Field{.kind = Kind::integer, .integer = type == 9 ? 1 : 0};
  if (type == 10 || type == 11) return std::nullopt;
  if (type < 8) {
    if (type == 0) return Field{};
    const std::size_t size = kSizes[type];
    const auto word = body.big_endian(size);
    if (!word) return std::nullopt;
    if (type == 7) return Field{.kind = Kind::number, .number = std::bit_cast<double>(*word)};
    const auto shift = static_cast<int>(64 - 8 * size);
    return Field{.kind = Kind::integer,
                 .integer = static_cast<std::int64_t>(*word << shift) >> shift};
  }
  const auto bytes = body.take((type - 12) / 2);
  if (!bytes) return std::nullopt;
  return Field{.kind = type % 2 == 0 ? Kind::blob : Kind::text, .bytes = *bytes};
}

std::vector<Field> read_record(std::string_view payload) {
  Reader header(payload);
  const auto header_size = header.varint();
  if (!header_size || *header_size > payload.size()) return {};
  const std::size_t used = payload.size() - header.rest().size();
  if (*header_size < used) return {};
  Reader types(payload.substr(used, *header_size - used));
  Reader body(payload.substr(*header_size));
  std::vector<Field> fields;
  while (!types.rest().empty()) {
    const auto type = types.varint();
    if (!type || fields.size() >= static_cast<std::size_t>(kNumSimulationColumns)) return {};
    const auto field = read_field(*type, body);
    if (!field) return {};
    fields.push_back(*field);
  }
  return fields;
}

class Salvage {
 public:
  Salvage(std::string_view file, const Salvaged& salvaged) : file_(file), salvaged_(salvaged) {}

  void run() {
    for (std::size_t page = 0; page * kPage < file_.size(); ++page) read_page(page);
  }

 private:
  void read_page(std::size_t number) {
    const std::string_view page = file_.substr(number * kPage, kPage);
    const std::size_t start = number == 0 ? 100 : 0;  // the first begins with the file's header
    if (page.size() < start + 12) return;
    const auto kind = static_cast<unsigned char>(page[start]);
    if (kind != kLeaf && kind != kInterior) return;
    Reader header(page.substr(start + 3));
    const std::uint64_t count = header.big_endian(2).value_or(0);
    Reader pointers(page.substr(start + (kind == kLeaf ? 8 : 12)));
    for (std::uint64_t i = 0; i < count; ++i) {
      const auto offset = pointers.big_endian(2);
      if (!offset) return;
      if (*offset < page.size()) read_cell(page.substr(*offset), kind == kInterior);
    }
  }

  void read_cell(std::string_view bytes, bool interior) {
    Reader cell(bytes);
    if (interior) cell.take(4);  // its child
    const auto size = cell.varint();
    if (!size || *size > file_.size()) return;
    constexpr std::size_t kMost = (kPage - 12) * 64 / 255 - 23,
                          kLeast = (kPage - 12) * 32 / 255 - 23;
    if (*size <= kMost) {
      if (const auto payload = cell.take(*size)) take_record(*payload);
      return;
    }
    const std::size_t fitting = kLeast + (*size - kLeast) % (kPage - 4);
    const auto local = cell.take(fitting <= kMost ? fitting : kLeast);
    auto next = cell.big_endian(4);
    if (!local) return;
    std::string payload(*local);
    while (payload.size() < *size && next && *next > 0 && (*next - 1) * kPage < file_.size()) {
      Reader page(file_.substr((*next - 1) * kPage, kPage));
      next = page.big_endian(4);
      // In a whole file each page belongs to one record: a damaged one must not be copied for ever.
      if (page.rest().empty() || (copied_ += kPage) > 2 * file_.size()) return;
      payload += page.rest().substr(0, *size - payload.size());
    }
    if (payload.size() == *size) take_record(payload);
  }

  void take_record(std::string_view payload) {
    const std::vector<Field> fields = read_record(payload);
    if (fields.size() == static_cast<std::size_t>(kNumSimulationColumns) ||
        fields.size() == static_cast<std::size_t>(kNumSimulationColumnsOfFormat1)) {
      take_simulation(fields);
    }
    if (fields.size() == static_cast<std::size_t>(kNumValueColumns)) take_value(fields);
  }

  void take_simulation(const std::vector<Field>& f) {
    // The theta and x of a row need not be aligned.
    const auto doubles = [](std::string_view bytes, std::vector<double>& to) {
      to.resize(bytes.size() / sizeof(double));
      if (!to.empty()) std::memcpy(to.data(), bytes.data(), to.size() * sizeof(double));
    };
    doubles(f[7].bytes, theta_);
    doubles(f[8].bytes, x_);
    LedgerRow row;
    row.key = {.purpose = static_cast<Purpose>(f[1].integer),
               .replicate = static_cast<std::uint32_t>(f[0].integer),
               .round = static_cast<std::uint32_t>(f[2].integer),
               .index = static_cast<std::uint64_t>(f[3].integer)};
    if (f[4].integer < 0 || f[4].integer >= kNumSimStatuses) return;
    row.status = static_cast<SimStatus>(f[4].integer);
    row.attempts = static_cast<int>(f[5].integer);
    row.seconds =
        f[6].kind == Field::Kind::number ? f[6].number : static_cast<double>(f[6].integer);
    row.theta = theta_;
    row.x = x_;
    row.message = f[9].bytes;
    if (f.size() == static_cast<std::size_t>(kNumSimulationColumns)) {
      if (f[11].integer < 0 || f[11].integer >= kNumDrawnFrom) return;
      row.drawn_from = static_cast<DrawnFrom>(f[11].integer);
    }
    if (checksum_of(row) == f[10].integer) salvaged_.simulation(row);
  }

  void take_value(const std::vector<Field>& f) {
    if (checksum_of(f[0].bytes, f[1].bytes) != f[2].integer) return;
    const auto& taker = f[1].kind == Field::Kind::text ? salvaged_.note : salvaged_.value;
    taker(f[0].bytes, f[1].bytes);
  }

  std::string_view file_;
  const Salvaged& salvaged_;
  std::size_t copied_ = 0;  // bytes of pages that continue a record
  std::vector<double> theta_, x_;
};

/// Puts the pages of a write-ahead log where they belong. Frames of an earlier log have another
/// salt.
void apply_log(std::string_view log, std::string& file) {
  constexpr std::size_t kHeader = 32, kFrame = 24, kMostPages = 1U << 28;
  if (log.size() < kHeader) return;
  const std::string_view salt = log.substr(16, 8);
  for (std::size_t at = kHeader; at + kFrame + kPage <= log.size(); at += kFrame + kPage) {
    const std::string_view frame = log.substr(at, kFrame);
    if (frame.substr(8, 8) != salt) return;
    const std::uint64_t page = Reader(frame).big_endian(4).value_or(0);
    // A number that cannot be is damage; a file grows by what is in its log at most.
    if (page == 0 || page > kMostPages || page * kPage > file.size() + log.size()) continue;
    if (file.size() < page * kPage) file.resize(page * kPage);
    file.replace((page - 1) * kPage, kPage, log.substr(at + kFrame, kPage));
  }
}

}  // namespace

void salvage_ledger(std::string bytes, const std::string& log, const Salvaged& salvaged) {
  apply_log(log, bytes);
  Salvage(bytes, salvaged).run();
}

}  // namespace epsfree
