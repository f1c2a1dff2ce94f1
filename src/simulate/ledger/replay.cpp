#include "simulate/ledger/replay.hpp"

#include <algorithm>
#include <cstring>
#include <limits>

#include "base/number_text.hpp"
#include "base/words.hpp"
#include "epsfree/error.hpp"

namespace epsfree {
namespace {

std::string describe(const Key& key) {
  return "replicate " + std::to_string(key.replicate) + ", purpose " +
         std::to_string(static_cast<std::uint32_t>(key.purpose)) + ", round " +
         std::to_string(key.round) + ", index " + std::to_string(key.index);
}

std::string describe(std::span<const double> theta) {
  return "(" + joined(theta, ", ", number_text) + ")";
}

}  // namespace

Replay::Replay(const SimulationRequest& request, Ledger& ledger, bool replace_others)
    : request_(request), total_(request.thetas.cols()), replace_others_(replace_others) {
  if (total_ == 0) {
    make_room();
    return;
  }
  index_columns();
  const Key first = key_at(0);
  ledger.visit(first, key_at(total_ - 1).index, [&](const LedgerRow& row) { take(row); });
  if (num_found_ == 0) return;
  for (Index i = 0; i < total_; ++i) {
    if (found_[static_cast<std::size_t>(i)] == 0) missing_.push_back(i);
  }
}

void Replay::note_failure(Index column, std::string_view message) {
  if (results_.first_failure_column >= 0 && results_.first_failure_column < column) return;
  results_.first_failure_column = column;
  results_.first_failure = message;
}

/// With offsets in no order, columns in the order of their keys.
void Replay::index_columns() {
  if (request_.offsets.empty() || std::is_sorted(request_.offsets.begin(), request_.offsets.end()))
    return;
  order_.resize(static_cast<std::size_t>(total_));
  for (Index i = 0; i < total_; ++i) order_[static_cast<std::size_t>(i)] = i;
  std::sort(order_.begin(), order_.end(), [&](Index a, Index b) {
    return request_.offsets[static_cast<std::size_t>(a)] <
           request_.offsets[static_cast<std::size_t>(b)];
  });
}

void Replay::take(const LedgerRow& row) {
  while (place_ < total_ && key_at(place_).index < row.key.index) ++place_;
  if (place_ == total_ || key_at(place_).index != row.key.index) return;
  const Index column = column_at(place_);
  const auto asked = request_.thetas.col(column);
  const bool same = static_cast<Index>(row.theta.size()) == asked.size() &&
                    std::memcmp(row.theta.data(), asked.data(), row.theta.size_bytes()) == 0;
  if (!same) {
    if (replace_others_) return;
    throw Error(ErrorKind::input,
                "the recorded simulation (" + describe(row.key) + ") has theta " +
                    describe(row.theta) + ", but " +
                    describe({asked.data(), static_cast<std::size_t>(asked.size())}) +
                    " was asked for: the ledger belongs to another problem, or was made by "
                    "another program or kind of CPU; start over with --force");
  }
  if (num_found_ == 0) make_room();
  if (row.status == SimStatus::ok) {
    if (static_cast<Index>(row.x.size()) != results_.statistics.rows()) {
      throw Error(ErrorKind::input, "the recorded simulation (" + describe(row.key) + ") has " +
                                        std::to_string(row.x.size()) +
                                        " statistics, expected the simulator's " +
                                        std::to_string(results_.statistics.rows()));
    }
    std::copy(row.x.begin(), row.x.end(), results_.statistics.col(column).begin());
  } else {
    ++num_bad_;
  }
  if (is_fault(row.status)) {
    note_failure(column, row.message);
  } else {
    any_good_ = true;
  }
  results_.statuses[static_cast<std::size_t>(column)] = row.status;
  char& found = found_[static_cast<std::size_t>(column)];
  if (found == 0) ++num_found_;
  found = 1;
}

void Replay::make_room() {
  results_.statuses.assign(static_cast<std::size_t>(total_), SimStatus::lost);
  results_.statistics.setConstant(request_.simulator.num_statistics(), total_,
                                  std::numeric_limits<double>::quiet_NaN());
  found_.assign(static_cast<std::size_t>(total_), 0);
}

}  // namespace epsfree
