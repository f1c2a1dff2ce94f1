#include "epsfree/problem.hpp"

#include <string>

#include "epsfree/error.hpp"

namespace epsfree {
namespace {

[[noreturn]] void reject_problem(const std::string& message) {
  throw Error(ErrorKind::input, message);
}

void check_size(const std::string& what, Index seen, const std::string& of, Index expected) {
  if (seen == expected) return;
  reject_problem(what + " has " + std::to_string(seen) + " values, but " + of + " has " +
                 std::to_string(expected));
}

}  // namespace

void Problem::validate() const {
  if (!prior) reject_problem("problem.prior is missing");
  if (!simulator) reject_problem("problem.simulator is missing");
  check_size("problem.prior", prior->dim(), "the simulator's parameter vector",
             simulator->num_parameters());
  check_size("problem.observed", observed.size(), "the simulator's statistics vector",
             simulator->num_statistics());
  for (Index i = 0; i < observed.size(); ++i) {
    if (!std::isfinite(observed[i])) {
      reject_problem("problem.observed[" + std::to_string(i) + "] is " +
                     std::to_string(observed[i]) +
                     "; every observed statistic must be a finite number");
    }
  }
  if (!names.empty()) {
    check_size("problem.names", static_cast<Index>(names.size()), "the prior", prior->dim());
  }
  if (known) {
    check_size("problem.known.thetas", known->thetas.rows(), "the prior", prior->dim());
    check_size("problem.known.statistics", known->statistics.rows(), "the observation",
               observed.size());
    check_size("problem.known.statistics", known->statistics.cols(), "problem.known.thetas",
               known->thetas.cols());
  }
  if (truth) check_size("problem.truth", truth->size(), "the prior", prior->dim());
}

}  // namespace epsfree
