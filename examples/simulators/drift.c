/* The frequency of a gene that is under selection in a small population (Wright-Fisher): the
 * simulator of drift.toml.
 *
 * A program that stays and answers one simulation after the other: epsfree_worker.h reads and
 * writes the lines. */
#include <epsfree_worker.h>

#define NUM_TIMES 3

static const int kGenerations[NUM_TIMES] = {10, 25, 50};

/* SplitMix64 */
static double uniform(uint64_t *state) {
  uint64_t z = (*state += 0x9e3779b97f4a7c15u);
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return ((double)((z ^ (z >> 31)) >> 12) + 0.5) * 0x1p-52;
}

/* theta: the advantage of the gene and the number of its carriers; x: its share at three times. */
static int simulate(const double *theta, uint64_t seed, double *x, void *user) {
  const double advantage = theta[0];
  const int size = (int)theta[1];
  double share = 0.5;
  int generation = 0, next = 0;
  (void)user;
  if (!(advantage > -1 && theta[1] >= 1 && theta[1] <= 1e5)) return EPSFREE_INVALID;
  while (next < NUM_TIMES) {
    const double chance = share * (1 + advantage) / (1 + share * advantage);
    int carriers = 0, i;
    for (i = 0; i < size; ++i) carriers += uniform(&seed) < chance;
    share = (double)carriers / size;
    if (++generation == kGenerations[next]) x[next++] = share;
  }
  return EPSFREE_OK;
}

int main(void) { return epsfree_worker_run(2, NUM_TIMES, simulate, NULL); }
