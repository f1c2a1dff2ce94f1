#include "run/ledger_export.hpp"

#include <bit>
#include <limits>
#include <memory>
#include <nlohmann/json.hpp>
#include <vector>

#include "base/numbered_names.hpp"
#include "epsfree/error.hpp"
#include "io/csv.hpp"
#include "io/number_text.hpp"
#include "problem/problem_file.hpp"
#include "run/ledger_origin.hpp"
#include "run/ledger_report.hpp"

namespace epsfree {
namespace {

using Write = std::function<void(std::string_view)>;

constexpr std::size_t kBlock = 1 << 20;

/// What must be known before the first simulation is written.
struct Shape {
  long num_simulations = 0;
  std::size_t num_parameters = 0, num_statistics = 0;
  std::vector<std::string> parameters, statistics;  ///< names
};

/// A row that says what it was drawn from, where that is certain.
LedgerRow with_origin(LedgerRow row, const LedgerOrigin& origin) {
  row.drawn_from = origin.of(row);
  return row;
}

Shape shape_of(Ledger& ledger) {
  Shape shape;
  ledger.visit([&](const LedgerRow& row) {
    ++shape.num_simulations;
    shape.num_parameters = std::max(shape.num_parameters, row.theta.size());
    shape.num_statistics = std::max(shape.num_statistics, row.x.size());
  });
  try {
    const ProblemSpec spec = parse_problem(ledger.note("problem").value_or(""), ledger.path());
    shape.parameters = spec.problem.names;
    shape.statistics = spec.statistic_names;
  } catch (const Error&) {
    // A simulator that is not on this machine has no names here.
  }
  if (shape.parameters.size() != shape.num_parameters) {
    shape.parameters = numbered_names("theta", static_cast<Index>(shape.num_parameters));
  }
  if (shape.statistics.size() != shape.num_statistics) {
    shape.statistics = numbered_names("x", static_cast<Index>(shape.num_statistics));
  }
  return shape;
}

class CsvWriter {
 public:
  CsvWriter(const Shape& shape, std::string& out) : shape_(shape), out_(out) {
    std::vector<std::string> header = {"replicate", "purpose",  "round",   "index",
                                       "status",    "attempts", "seconds", "drawn_from"};
    for (const std::string& name : shape.parameters) header.push_back("theta:" + name);
    for (const std::string& name : shape.statistics) header.push_back("x:" + name);
    out_ += csv_header(header);
  }
  void add(const LedgerRow& row) {
    out_ += std::to_string(row.key.replicate) + "," + purpose_name(row.key.purpose) + "," +
            std::to_string(row.key.round) + "," + std::to_string(row.key.index) + "," +
            to_string(row.status) + "," + std::to_string(row.attempts) + "," +
            number_text(row.seconds) + "," + to_string(row.drawn_from);
    for (const double value : row.theta) out_ += "," + number_text(value);
    for (const double value : row.x) out_ += "," + number_text(value);
    for (std::size_t i = row.x.size(); i < shape_.num_statistics; ++i) out_ += ",nan";
    out_ += "\n";
  }
  void finish() {}

 private:
  const Shape& shape_;
  std::string& out_;
};

/// NumPy's own format, version 1.0: an array of records.
class NpyWriter {
 public:
  static_assert(std::endian::native == std::endian::little);
  NpyWriter(const Shape& shape, std::string& out) : shape_(shape), out_(out) {
    std::string header =
        "{'descr': [('replicate', '<u4'), ('purpose', '<u4'), ('round', '<u4'), ('index', '<u8'), "
        "('status', '|u1'), ('attempts', '<i4'), ('seconds', '<f8'), ('drawn_from', '|u1'), "
        "('theta', '<f8', (" +
        std::to_string(shape.num_parameters) + ",)), ('x', '<f8', (" +
        std::to_string(shape.num_statistics) + ",))], 'fortran_order': False, 'shape': (" +
        std::to_string(shape.num_simulations) + ",), }";
    constexpr std::size_t kHead = 10, kAlign = 64;
    header.append(kAlign - (kHead + header.size() + 1) % kAlign, ' ');
    header += '\n';
    out_ += std::string("\x93NUMPY\x01\x00", 8);
    add_value(static_cast<std::uint16_t>(header.size()));
    out_ += header;
  }
  void add(const LedgerRow& row) {
    add_value(row.key.replicate);
    add_value(static_cast<std::uint32_t>(row.key.purpose));
    add_value(row.key.round);
    add_value(row.key.index);
    add_value(static_cast<std::uint8_t>(row.status));
    add_value(static_cast<std::int32_t>(row.attempts));
    add_value(row.seconds);
    add_value(static_cast<std::uint8_t>(row.drawn_from));
    add_doubles(row.theta, shape_.num_parameters);
    add_doubles(row.x, shape_.num_statistics);
  }
  void finish() {}

 private:
  template <class T>
  void add_value(T value) {
    out_.append(reinterpret_cast<const char*>(&value), sizeof value);
  }
  void add_doubles(std::span<const double> values, std::size_t size) {
    for (std::size_t i = 0; i < size; ++i) {
      add_value(i < values.size() ? values[i] : std::numeric_limits<double>::quiet_NaN());
    }
  }

  const Shape& shape_;
  std::string& out_;
};

class JsonWriter {
 public:
  JsonWriter(const Shape& shape, std::string& out) : out_(out) {
    out_ += "{\"format\": \"epsfree-simulations\", \"version\": 1, \"parameters\": " +
            nlohmann::json(shape.parameters).dump() +
            ", \"statistics\": " + nlohmann::json(shape.statistics).dump() + ", \"simulations\": [";
  }
  void add(const LedgerRow& row) {
    nlohmann::ordered_json json;
    json["replicate"] = row.key.replicate;
    json["purpose"] = purpose_name(row.key.purpose);
    json["round"] = row.key.round;
    json["index"] = row.key.index;
    json["status"] = to_string(row.status);
    json["attempts"] = row.attempts;
    json["seconds"] = row.seconds;
    json["drawn_from"] = to_string(row.drawn_from);
    json["theta"] = std::vector<double>(row.theta.begin(), row.theta.end());
    json["x"] = row.status == SimStatus::ok
                    ? nlohmann::ordered_json(std::vector<double>(row.x.begin(), row.x.end()))
                    : nlohmann::ordered_json();
    if (!row.message.empty()) json["message"] = std::string(row.message);
    out_ += first_ ? "\n" : ",\n";
    out_ += json.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
    first_ = false;
  }
  void finish() { out_ += "\n]}\n"; }

 private:
  std::string& out_;
  bool first_ = true;
};

template <class Writer>
void write_all(Ledger& ledger, const Shape& shape, const Write& write) {
  std::string block;
  Writer writer(shape, block);
  const LedgerOrigin origin(ledger);
  ledger.visit([&](const LedgerRow& row) {
    writer.add(with_origin(row, origin));
    if (block.size() < kBlock) return;
    write(block);
    block.clear();
  });
  writer.finish();
  write(block);
}

}  // namespace

ExportFormat export_format(const std::string& name) {
  if (name == "csv") return ExportFormat::csv;
  if (name == "npy") return ExportFormat::npy;
  if (name == "json") return ExportFormat::json;
  throw Error(ErrorKind::usage, "--format: expected csv, npy or json, got '" + name + "'");
}

long export_simulations(const std::string& run_directory, ExportFormat format, const Write& write) {
  Ledger ledger = open_ledger(run_directory);
  const Shape shape = shape_of(ledger);
  switch (format) {
    case ExportFormat::csv:
      write_all<CsvWriter>(ledger, shape, write);
      break;
    case ExportFormat::npy:
      write_all<NpyWriter>(ledger, shape, write);
      break;
    case ExportFormat::json:
      write_all<JsonWriter>(ledger, shape, write);
      break;
  }
  return shape.num_simulations;
}

}  // namespace epsfree
