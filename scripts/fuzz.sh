#!/usr/bin/env bash
# Fuzzes every reader of files for SECONDS_EACH seconds (default 60), starting from files that the program
# itself wrote. Whatever crashes one is kept in build/fuzz/artifacts and makes this fail.
#   scripts/fuzz.sh [NAME...]      names: csv estimator posterior problem simulator_output
source "$(dirname "$0")/common.sh"

names=("$@")
[ ${#names[@]} -gt 0 ] || names=(csv estimator posterior problem simulator_output)
scripts/dependencies.sh build dev
scripts/build.sh release epsfree_cli
scripts/build.sh fuzz

corpus=build/fuzz/corpus
mkdir -p "$corpus"/{csv,estimator,posterior,problem,simulator_output} build/fuzz/artifacts
say "Making the seeds"
epsfree=build/release/cli/epsfree
cp examples/*.toml "$corpus/problem/"
printf '{"epsfree_worker":1,"num_parameters":2,"batch":null,"a":{"b":["c",true]}}' > "$corpus/simulator_output/hello"
printf '{"id":7,"x":[0.1,-1e-300,NaN],"error":"a\\u00e9","invalid":true}' > "$corpus/simulator_output/answer"
printf '1.5D+03, +inf\n-7;null' > "$corpus/simulator_output/numbers"
printf ' [1, 2e-400, 3]\n' > "$corpus/simulator_output/array"
for model in mixture linear-regression lotka-volterra mg1-queue; do
  for method in mdn-with-prior mdn-with-proposal; do
    run=build/fuzz/runs/$model-$method
    "$epsfree" run "examples/$model.toml" --quiet --force --out "$run" --set "method.name=\"$method\"" \
      --set method.num_simulations=60 --set method.network.hidden_units='[3]' > /dev/null
    cp "$run/posterior.json" "$corpus/posterior/$model-$method.json"
    cp "$run/estimator.json" "$corpus/estimator/$model-$method.json"
    cp "$run/run.toml" "$corpus/problem/$model-$method.toml"
    "$epsfree" sample "$run" -n 5 > "$corpus/csv/$model-$method.csv"
  done
done

# Of the wall clock, in seconds. The slowest inputs, truncated mixtures, take 3 s of CPU time in such a
# build, and several times that on a busy machine; a reader that hangs takes longer still.
timeout=60
status=0
for name in "${names[@]}"; do
  dictionary=()
  case $name in
    estimator | posterior | simulator_output) dictionary=(-dict=fuzz/json.dict) ;;
    problem) dictionary=(-dict=fuzz/toml.dict) ;;
  esac
  say "Fuzzing $name for ${SECONDS_EACH:-60} s"
  "build/fuzz/fuzz/fuzz_$name" -max_total_time="${SECONDS_EACH:-60}" -timeout="$timeout" -rss_limit_mb=2048 -print_final_stats=1 \
    -artifact_prefix="build/fuzz/artifacts/$name-" "${dictionary[@]}" "$corpus/$name" > "build/fuzz/$name.log" 2>&1 || {
    tail -n 40 "build/fuzz/$name.log"
    status=1
  }
  grep -E 'stat::number_of_executed_units' "build/fuzz/$name.log" || true
done
[ "$status" -eq 0 ] || die "a reader crashed; the inputs are in build/fuzz/artifacts"
say "No crash"
