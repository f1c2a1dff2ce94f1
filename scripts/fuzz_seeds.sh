#!/usr/bin/env bash
# Files for the fuzzers to start from, most of them written by the program itself.
#   scripts/fuzz_seeds.sh PROGRAM FOLDER
source "$(dirname "$0")/common.sh"

epsfree=${1:?"the program"}
seeds=${2:?"a folder"}
say "Making the seeds"
mkdir -p "$seeds"/{check,csv,estimator,ledger,ledger_salvage,observation,posterior,problem,simulations_csv,simulator_output,status,summary,worker_message}
cp examples/*.toml "$seeds/problem/"
printf '{"epsfree_worker":1,"num_parameters":2,"batch":null,"a":{"b":["c",true]}}' > "$seeds/simulator_output/hello"
printf '{"id":7,"x":[0.1,-1e-300,NaN],"error":"a\\u00e9","invalid":true}' > "$seeds/simulator_output/answer"
cp "$seeds"/simulator_output/{hello,answer} "$seeds/worker_message/"
# A chunk of two simulations with three parameters: run, begin, seed, key, no offsets, the matrix and its sizes.
{
  head -c 24 /dev/zero
  head -c 24 /dev/zero
  head -c 8 /dev/zero
  printf '\003\0\0\0\0\0\0\0\002\0\0\0\0\0\0\0'
  head -c 48 /dev/zero
} > "$seeds/worker_message/chunk"
printf '1.5D+03, +inf\n-7;null' > "$seeds/simulator_output/numbers"
printf ' [1, 2e-400, 3]\n' > "$seeds/simulator_output/array"
printf '[1.5, -2]\n' > "$seeds/observation/array"
printf 'b,a\n1,2\n' > "$seeds/observation/line.csv"
printf '1\n2\n' > "$seeds/observation/column.csv"
printf 'theta:theta,x:x,status\n0.5,1.5,ok\n-1,nan,invalid\n' > "$seeds/simulations_csv/two.csv"
for model in mixture linear-regression lotka-volterra mg1-queue; do
  for method in auto mdn-with-prior mdn-with-proposal smc-abc; do
    run=$seeds/../runs/$model-$method
    "$epsfree" run "examples/$model.toml" --quiet --force --out "$run" --set "method.name=\"$method\"" \
      --set method.num_simulations=60 --set method.network.hidden_units='[3]' --record always > /dev/null || continue
    for part in posterior summary check status; do
      [ ! -e "$run/$part.json" ] || cp "$run/$part.json" "$seeds/$part/$model-$method.json"
    done
    [ ! -e "$run/estimator.json" ] || cp "$run/estimator.json" "$seeds/estimator/$model-$method.json"
    cp "$run/run.toml" "$seeds/problem/$model-$method.toml"
    cp "$run/ledger.sqlite" "$seeds/ledger/$model-$method"
    cp "$run/ledger.sqlite" "$seeds/ledger_salvage/$model-$method"
    "$epsfree" sample "$run" -n 5 > "$seeds/csv/$model-$method.csv"
    "$epsfree" export "$run" --format csv | sed -n '1,4p' > "$seeds/simulations_csv/$model-$method.csv"
  done
done
