/* A population in which individuals give birth and die: the simulator of birth_death.toml.
 *
 * A shared library that epsfree loads. epsfree_plugin.h says what it exports. */
#include <epsfree_plugin.h>
#include <math.h>
#include <stdio.h>

#define START 20
#define MOST 100000
#define NUM_TIMES 3

static const double kTimes[NUM_TIMES] = {2, 5, 10};

EPSFREE_PLUGIN(2, NUM_TIMES, 1) /* parameters, statistics, may be called from several threads */

/* SplitMix64. The state is the caller's: nothing is kept between simulations. */
static double uniform(uint64_t *state) {
  uint64_t z = (*state += 0x9e3779b97f4a7c15u);
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return ((double)((z ^ (z >> 31)) >> 12) + 0.5) * 0x1p-52;
}

/* theta: birth rate and death rate; x: log(1 + number alive) at three times. */
int32_t epsfree_simulate(const double *theta, int32_t num_parameters, uint64_t seed, double *x,
                         int32_t num_statistics, char *message, int32_t message_size) {
  const double birth = theta[0], death = theta[1];
  double time = 0;
  long alive = START;
  int next = 0;
  (void)num_parameters;
  (void)num_statistics;
  if (!(birth >= 0 && death >= 0)) {
    snprintf(message, (size_t)message_size, "rates must not be negative: %g, %g", birth, death);
    return EPSFREE_INVALID;
  }
  while (next < NUM_TIMES) {
    const double rate = (birth + death) * (double)alive;
    time += rate > 0 ? -log(uniform(&seed)) / rate : INFINITY;
    while (next < NUM_TIMES && kTimes[next] < time) x[next++] = log1p((double)alive);
    alive += uniform(&seed) * (birth + death) < birth ? 1 : -1;
    if (alive > MOST) {
      snprintf(message, (size_t)message_size, "more than %d individuals at time %g", MOST, time);
      return EPSFREE_INVALID;
    }
  }
  return EPSFREE_OK;
}
