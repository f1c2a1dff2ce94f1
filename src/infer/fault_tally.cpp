#include "infer/fault_tally.hpp"

#include <algorithm>

namespace epsfree {

void FaultTally::Moments::add(const Eigen::Ref<const Eigen::VectorXd>& distance) {
  if (count++ == 0) {
    sum.setZero(distance.size());
    square_sum.setZero(distance.size());
  }
  sum += distance;
  square_sum += distance.cwiseAbs2();
}

Eigen::VectorXd FaultTally::Moments::mean() const { return sum / static_cast<double>(count); }

Eigen::VectorXd FaultTally::Moments::squares_about_mean() const {
  return (square_sum - sum.cwiseAbs2() / static_cast<double>(count)).cwiseMax(0);
}

void FaultTally::add(const RoundSummary& round, const Eigen::MatrixXd& thetas,
                     const std::vector<SimStatus>& statuses) {
  if (statuses.empty()) return;
  if (rounds_.empty() || rounds_.back().phase != round.phase ||
      rounds_.back().number != round.round) {
    rounds_.push_back({round.phase, round.round, thetas.col(0), {}, {}});
  }
  Round& here = rounds_.back();
  for (std::size_t i = 0; i < statuses.size(); ++i) {
    const bool is_ok = statuses[i] == SimStatus::ok;
    if (!is_ok && !is_fault(statuses[i])) continue;
    (is_ok ? here.successful : here.failed).add(thetas.col(static_cast<Index>(i)) - here.origin);
  }
}

FaultSummary FaultTally::summary() const {
  FaultSummary result;
  double count = 0, failed_freedom = 0;
  Eigen::VectorXd failed_squares, successful_squares;
  for (const Round& round : rounds_) {
    if (round.failed.count == 0 || round.successful.count < 2) continue;
    const Index dim = round.origin.size();
    if (count == 0) {
      for (Eigen::VectorXd* each :
           {&result.failed_mean, &result.successful_mean, &failed_squares, &successful_squares}) {
        each->setZero(dim);
      }
    }
    // Successful ones count as often as failed ones do in the same round.
    const auto weight = static_cast<double>(round.failed.count);
    count += weight;
    failed_freedom += weight - 1;
    result.failed_mean += weight * (round.origin + round.failed.mean());
    result.successful_mean += weight * (round.origin + round.successful.mean());
    failed_squares += round.failed.squares_about_mean();
    successful_squares += weight * round.successful.squares_about_mean() /
                          static_cast<double>(round.successful.count - 1);
  }
  if (count == 0) return {};
  result.failed_mean /= count;
  result.successful_mean /= count;
  result.failed_deviation = (failed_squares / std::max(1.0, failed_freedom)).cwiseSqrt();
  result.successful_deviation = (successful_squares / count).cwiseSqrt();
  return result;
}

bool FaultTally::is_of(Index dim) const {
  const auto fits = [dim](const Moments& moments) {
    return moments.count == 0 ||
           (moments.count > 0 && moments.sum.size() == dim && moments.square_sum.size() == dim);
  };
  return std::all_of(rounds_.begin(), rounds_.end(), [&](const Round& round) {
    return round.origin.size() == dim && fits(round.failed) && fits(round.successful);
  });
}

}  // namespace epsfree
