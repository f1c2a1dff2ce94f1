#include "epsfree/simulation_set.hpp"

#include <algorithm>
#include <string>

#include "epsfree/error.hpp"

namespace epsfree {
namespace {

void check(const char* what, Index seen, Index expected, const std::string& of) {
  if (seen == expected) return;
  throw Error(ErrorKind::input, std::string(what) + " has " + std::to_string(seen) + ", expected " +
                                    std::to_string(expected) + " as " + of);
}

}  // namespace

SimulationSet::SimulationSet(PriorPtr prior) : prior_(std::move(prior)) {
  if (!prior_) throw Error(ErrorKind::input, "SimulationSet: there is no prior");
}

void SimulationSet::add(const Eigen::Ref<const Eigen::MatrixXd>& thetas,
                        const Eigen::Ref<const Eigen::MatrixXd>& statistics,
                        PosteriorPtr proposal) {
  check("simulations: the number of parameters of theta", thetas.rows(), prior_->dim(),
        "the prior has");
  check("simulations: x", statistics.cols(), thetas.cols(), "there are thetas");
  if (statistics.rows() == 0) {
    throw Error(ErrorKind::input, "simulations: x has no statistics, expected at least 1");
  }
  if (size_ > 0 || num_dropped_ > 0) {
    check("simulations: the number of statistics of x", statistics.rows(), num_statistics_,
          "there were before");
  }
  if (proposal) {
    check("simulations: the number of parameters of the proposal", proposal->dim(), prior_->dim(),
          "the prior has");
    if (!proposal->has_log_prob()) {
      throw Error(ErrorKind::input, "simulations: the proposal is of kind \"" + proposal->kind() +
                                        "\", whose density is not known");
    }
  }
  std::vector<Index> usable;
  for (Index i = 0; i < thetas.cols(); ++i) {
    if (!prior_->contains(thetas.col(i))) {
      throw Error(ErrorKind::input, "simulations: theta number " + std::to_string(i) +
                                        " lies outside the prior's support");
    }
    if (statistics.col(i).allFinite()) usable.push_back(i);
  }
  num_statistics_ = statistics.rows();
  num_dropped_ += static_cast<long>(thetas.cols()) - static_cast<long>(usable.size());
  size_ += static_cast<Index>(usable.size());
  if (usable.empty()) return;
  parts_.push_back(
      {thetas(Eigen::all, usable), statistics(Eigen::all, usable), std::move(proposal)});
}

void SimulationSet::add_dropped(long count, Index num_statistics) {
  if (count < 0) throw Error(ErrorKind::input, "simulations: fewer than none were dropped");
  if (count == 0) return;
  if (size_ > 0 || num_dropped_ > 0) {
    check("simulations: the number of statistics of x", num_statistics, num_statistics_,
          "there were before");
  }
  num_statistics_ = num_statistics;
  num_dropped_ += count;
}

bool SimulationSet::all_from_prior() const {
  return std::all_of(parts_.begin(), parts_.end(),
                     [](const Part& part) { return part.proposal == nullptr; });
}

}  // namespace epsfree
