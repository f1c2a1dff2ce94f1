#!/usr/bin/env bash
# Builds and runs the benchmarks. BENCH_ARGS goes to each of them, for example
#   make bench BENCH_ARGS=--benchmark_filter=training
source "$(dirname "$0")/common.sh"

scripts/dependencies.sh build bench
scripts/build.sh release -DEPSFREE_BUILD_BENCHMARKS=ON
read -ra arguments <<< "${BENCH_ARGS:-}"
programs=$(find build/release/bench -maxdepth 1 -type f -perm -u+x | sort)
[ -n "$programs" ] || die "no benchmark was built"
for program in $programs; do
  say "$program"
  "$program" "${arguments[@]}"
done
