#!/usr/bin/env bash
# The program under mpirun: the same bytes on any number of ranks, after killed ranks, and after Ctrl-C.
# Arguments: the program, mpirun.
set -euo pipefail
epsfree=$1
mpirun=("$2" --oversubscribe --bind-to none --allow-run-as-root)
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT
cd "$place"

fail() {
  echo "FAILED: $*" >&2
  exit 1
}
# Of what a run has recorded and found; durations and attempts are not part of it.
digest() {
  "$epsfree" ledger "$1" --json | grep '"digest"'
  sha256sum < "$1/posterior.json"
}

cat > problem.toml <<'TOML'
seed = 5
[simulator]
model = "lotka-volterra"
[method]
name = "mdn-with-proposal"
num_simulations = 80000
training = {num_steps = 20000}
rounds = {max_rounds = 2, num_simulations = 20000, tolerance = 0, training = {num_steps = 20000}}
[run]
record = "always"
TOML

"$epsfree" run problem.toml --out alone --quiet > out.txt 2>&1 || fail "alone: $(cat out.txt)"
expected=$(digest alone)

for ranks in 1 2 3; do
  "${mpirun[@]}" -n "$ranks" "$epsfree" run problem.toml --out "on$ranks" --quiet > out.txt 2>&1 ||
    fail "$ranks ranks: $(cat out.txt)"
  [ "$(digest "on$ranks")" = "$expected" ] || fail "$ranks ranks gave another result"
done

# The classical methods: what they accept, and in which order, depends on no rank either.
for method in rejection-abc mcmc-abc smc-abc; do
  cat > abc.toml <<TOML
seed = 5
[simulator]
model = "lotka-volterra"
[method]
name = "$method"
num_simulations = 3000
TOML
  if [ "$method" = smc-abc ]; then echo "smc = {population = 300}" >> abc.toml; fi
  "$epsfree" run abc.toml --out "$method-alone" --quiet > out.txt 2>&1 || fail "$method: $(cat out.txt)"
  "${mpirun[@]}" -n 3 "$epsfree" run abc.toml --out "$method-on-ranks" --quiet > out.txt 2>&1 ||
    fail "$method on ranks: $(cat out.txt)"
  cmp "$method-alone/posterior.json" "$method-on-ranks/posterior.json" || fail "ranks gave another $method"
done

# A simulator that is a program: every rank starts its own, and none is left.
"$epsfree" init epidemic --kind python > out.txt 2>&1 || fail "init: $(cat out.txt)"
for out in program-alone program-on-ranks; do
  start=()
  if [ "$out" = program-on-ranks ]; then start=("${mpirun[@]}" -n 3); fi
  "${start[@]}" "$epsfree" run epidemic.toml --out "$out" --record always --quiet \
    --set method.num_simulations=200 > out.txt 2>&1 || fail "$out: $(cat out.txt)"
done
[ "$(digest program-on-ranks)" = "$(digest program-alone)" ] || fail "ranks with workers gave another result"
for process in /proc/[0-9]*; do
  case $(readlink "$process/cwd" 2> /dev/null || true) in
    "$place"*) case $(tr '\0' ' ' < "$process/cmdline" 2> /dev/null || true) in *epsfree_worker.py*) fail "a worker is left" ;; esac ;;
  esac
done

# Ranks of this test alone: others may run beside it.
ranks_of() { pgrep -f "^$epsfree run problem.toml --out $1 " || true; }

RANDOM=7
for ((kill = 1; kill <= 5; kill++)); do
  "${mpirun[@]}" -n 3 "$epsfree" run problem.toml --out killed --quiet > out.txt 2>&1 &
  launcher=$!
  sleep "0.$((RANDOM % 700 + 200))"
  mapfile -t ranks < <(ranks_of killed)
  if [ ${#ranks[@]} -gt 0 ]; then kill -KILL "${ranks[RANDOM % ${#ranks[@]}]}" 2> /dev/null || true; fi
  wait "$launcher" && break  # it was done before it could be killed
  [ -z "$(ranks_of killed)" ] || fail "a rank outlives the run"
done
"${mpirun[@]}" -n 2 "$epsfree" run problem.toml --out killed --quiet > out.txt 2>&1 || fail "killed: $(cat out.txt)"
[ "$(digest killed)" = "$expected" ] || fail "killed ranks changed the result"

"${mpirun[@]}" -n 3 "$epsfree" run problem.toml --out stopped --quiet > out.txt 2>&1 &
launcher=$!
for ((i = 0; i < 100; i++)); do
  grep -q '"phase": "simulation"' stopped/status.json 2> /dev/null && break
  sleep 0.1
done
kill -INT "$launcher"
! wait "$launcher" || fail "an interrupted run says that it is done"
grep -q '"state": "interrupted"' stopped/status.json || fail "Ctrl-C did not save: $(cat stopped/status.json)"
[ -z "$(ranks_of stopped)" ] || fail "a rank outlives Ctrl-C"
"${mpirun[@]}" -n 2 "$epsfree" run problem.toml --out stopped --quiet > out.txt 2>&1 || fail "stopped: $(cat out.txt)"
[ "$(digest stopped)" = "$expected" ] || fail "Ctrl-C changed the result"

# One message, not one per rank.
"${mpirun[@]}" -n 3 "$epsfree" run missing.toml > out.txt 2>&1 && fail "a missing file was no error"
[ "$(grep -c "cannot read 'missing.toml'" out.txt)" = 1 ] || fail "the error came from several ranks: $(cat out.txt)"
echo "mpi: all is well"
