#!/usr/bin/env bash
# Fuzzes every reader of files and messages for SECONDS_EACH seconds (default 60), starting from the committed corpus
# (fuzz/corpus) and from files that the program itself wrote. Whatever crashes one is kept in build/fuzz/artifacts and
# makes this fail.
#   scripts/fuzz.sh [NAME...]           names: those of fuzz/targets.cmake
#   KEEP=true scripts/fuzz.sh [NAME...] afterwards adds to the committed corpus files that reach as far
source "$(dirname "$0")/common.sh"

names=("$@")
[ ${#names[@]} -gt 0 ] || mapfile -t names < <(sed -n 's/^  \([a-z_]*\))\{0,1\}$/\1/p' fuzz/targets.cmake)
scripts/dependencies.sh build dev
scripts/build.sh release epsfree_cli
scripts/build.sh fuzz

corpus=build/fuzz/corpus
for name in "${names[@]}"; do mkdir -p "$corpus/$name" "fuzz/corpus/$name"; done
mkdir -p build/fuzz/artifacts
seeds=build/fuzz/seeds
scripts/fuzz_seeds.sh build/release/cli/epsfree "$seeds"

# Of the wall clock, in seconds. The slowest inputs, truncated mixtures, take 3 s of CPU time in such a
# build, and several times that on a busy machine; a reader that hangs takes longer still.
timeout=60
status=0
for name in "${names[@]}"; do
  dictionary=()
  case $name in
    check | estimator | posterior | simulator_output | status | summary | worker_message) dictionary=(-dict=fuzz/json.dict) ;;
    problem) dictionary=(-dict=fuzz/toml.dict) ;;
    # A ledger has pages of 8192 bytes.
    ledger | ledger_salvage) dictionary=(-max_len=65536) ;;
  esac
  say "Fuzzing $name for ${SECONDS_EACH:-60} s"
  "build/fuzz/fuzz/fuzz_$name" -max_total_time="${SECONDS_EACH:-60}" -timeout="$timeout" -rss_limit_mb=2048 -print_final_stats=1 \
    -artifact_prefix="build/fuzz/artifacts/$name-" "${dictionary[@]}" "$corpus/$name" "fuzz/corpus/$name" "$seeds/$name" \
    > "build/fuzz/$name.log" 2>&1 || {
    tail -n 40 "build/fuzz/$name.log"
    status=1
  }
  grep -E 'stat::number_of_executed_units' "build/fuzz/$name.log" || true
  [ "${KEEP:-}" = true ] || continue
  rm -rf "$corpus/$name.small" && mkdir -p "$corpus/$name.small"
  "build/fuzz/fuzz/fuzz_$name" -merge=1 "$corpus/$name.small" "$seeds/$name" "fuzz/corpus/$name" "$corpus/$name" > /dev/null 2>&1 || true
  [ -n "$(ls -A "$corpus/$name.small")" ] || die "the corpus of $name could not be merged; fuzz/corpus/$name stays as it is"
  # Some of every size, up to 40 files and 40 KB, beside those that are there: a corpus to replay, not all that was ever tried.
  mapfile -t found < <(cd "$corpus/$name.small" && ls -Sr)
  step=$((${#found[@]} / 40 + 1)) total=0
  for ((i = 0; i < ${#found[@]}; i += step)); do
    file=$corpus/$name.small/${found[i]}
    total=$((total + $(stat -c %s "$file")))
    [ "$total" -le 40000 ] || break
    cp "$file" "fuzz/corpus/$name/${found[i]:0:12}"
  done
done
[ "$status" -eq 0 ] || die "a reader crashed; the inputs are in build/fuzz/artifacts"
say "No crash"
