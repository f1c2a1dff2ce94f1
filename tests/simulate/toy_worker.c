/* toy_simulator.h as a worker in C99, in a language whose decimal point is a comma. */
#define _POSIX_C_SOURCE 200809L
#include "epsfree_worker.h"
#include "toy_simulator.h"

static int simulate(const double* theta, uint64_t seed, double* x, void* user) {
  (void)user;
  toy_simulate(theta, seed, x);
  return EPSFREE_OK;
}

int main(void) {
  setlocale(LC_ALL, "");
  return epsfree_worker_run(TOY_PARAMETERS, TOY_STATISTICS, simulate, NULL);
}
