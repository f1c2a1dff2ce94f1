#!/bin/sh
# A population that overshoots what it can live on, counted with error (the Ricker map):
# the simulator of ricker.toml.
#
#   ricker.sh LOG_GROWTH NOISE SEED    prints three statistics of the counts of 50 years
#
# What is written to standard error is shown if the exit code is not 0.
if [ $# -ne 3 ]; then
  echo "usage: ricker.sh LOG_GROWTH NOISE SEED" >&2
  exit 2
fi
case "$1 $2" in *nan*) echo "a parameter is not a number: $1 $2" >&2 && exit 1 ;; esac

exec awk -v log_growth="$1" -v noise="$2" -v seed="$3" '
  function normal() { return sqrt(-2 * log(1 - rand())) * cos(6.283185307179586 * rand()) }
  # By inversion in small steps, so that exp(-mean) does not vanish.
  function poisson(mean,   count, part, limit, product) {
    while (mean > 0) {
      part = mean > 20 ? 20 : mean
      mean -= part
      limit = exp(-part)
      for (product = rand(); product > limit; product *= rand()) count++
    }
    return count + 0
  }
  BEGIN {
    srand(seed)
    n = 1
    for (year = -20; year < 50; year++) {
      n *= exp(log_growth - n + noise * normal())
      if (year < 0) continue
      y = poisson(10 * n)
      sum += y; squares += y * y; zeros += y == 0
    }
    mean = sum / 50
    printf "%.17g %.17g %.17g\n", log(1 + mean), log(1 + squares / 50 - mean * mean), zeros / 50
  }'
