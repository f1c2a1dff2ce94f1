#!/usr/bin/env bash
# Another program reads posterior.json: the Python of docs/formats.md gives the densities that
# `epsfree logprob` gives, for priors with and without a map to their coordinates.
set -euo pipefail
source "$(dirname "$0")/tools.sh"
if ! command -v python3 > /dev/null; then
  [ "${CI:-}" != true ] || fail "python3 is missing (CI=true)"
  echo "skipped: no python3"
  exit 77
fi
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cd "$scratch"
PATH=$PREFIX/bin:$PATH
awk '/^```python/ { inside = 1; next } /^```/ { inside = 0 } inside' "$SOURCE_DIR/docs/formats.md" > density.py
[ -s density.py ] || { echo "docs/formats.md has no Python" >&2; exit 1; }

# compare NAME: the run directory's densities at ten of its samples, both ways
compare() {
  epsfree sample "$1" -n 10 --seed 3 > thetas.csv
  epsfree logprob "$1" --theta thetas.csv | tail -n 10 > ours.txt
  tail -n +2 thetas.csv | python3 density.py "$1/posterior.json" > theirs.txt
  paste -d' ' ours.txt theirs.txt |
    awk -v name="$1" '{ d = $1 - $2; if (d < 0) d = -d; if (d > 1e-9 || $1 == "") { print name ": " $0; bad = 1 } n++ }
                      END { exit bad || n != 10 }'
}

quick=(--quiet --set method.num_simulations=200 --set method.training.num_steps=300
  --set method.rounds.max_rounds=1 --set method.rounds.num_simulations=100
  --set method.rounds.training.num_steps=200)
printf '[simulator]\nmodel = "mg1-queue"\n' > queue.toml
epsfree run queue.toml --out queue "${quick[@]}"
compare queue
cat > logs.toml <<'EOF'
[simulator]
model = "mixture"
[prior]
kind = "independent"
[[prior.parameter]]
family = "log-uniform"
low = 0.1
high = 10.0
[observed]
values = [1.5]
EOF
epsfree run logs.toml --out logs "${quick[@]}" --set method.network.num_components=2
compare logs
