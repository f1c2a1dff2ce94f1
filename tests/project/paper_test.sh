#!/usr/bin/env bash
# `epsfree paper` as a user runs it: all files are there, what is finished is not computed again, what is
# damaged is, and the same seed gives the same bytes.
source "$(dirname "$0")/tools.sh"

command -v rsvg-convert > /dev/null || {
  [ "${CI:-}" != true ] || fail "rsvg-convert is missing (CI=true)"
  echo "skipped: no rsvg-convert"
  exit 77
}
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
export PATH="$PREFIX/bin:$PATH"
cd "$scratch"

# Interrupted before its end: exit code 130, and nothing that is finished is lost.
epsfree paper mixture --out figures --seed 5 > first.log 2>&1 &
pid=$!
for _ in $(seq 600); do [ "$(ls figures/parts 2> /dev/null | wc -l)" -ge 3 ] && break; sleep 0.05; done
kill -INT "$pid"
code=0
wait "$pid" || code=$?
[ "$code" = 130 ] || fail "interrupted: exit code $code: $(cat first.log)"
grep -q "the same command goes on from there" first.log || fail "no word of how to go on: $(cat first.log)"
kept=$(ls figures/parts | wc -l)
[ ! -e figures/figures.html ] || fail "there is a page before its figures"

epsfree paper mixture --out figures --seed 5 > second.log
grep -q "$kept of 15 inferences were there" second.log || fail "not gone on from $kept parts: $(cat second.log)"
for name in posteriors conditional-mdn-with-prior conditional-mdn-with-proposal; do
  for ending in svg pdf csv; do
    [ -s "figures/mixture-$name.$ending" ] || fail "no mixture-$name.$ending"
    [ "$ending" = csv ] || grep -q "mixture-$name.$ending" figures/figures.html || fail "mixture-$name.$ending is not on the page"
  done
done
[ "$(grep -c '"number"' figures/claims.json)" = 13 ] || fail "claims.json has not 13 claims"
grep -q "holds" second.log || fail "no verdict: $(cat second.log)"

# Damage: one part cut short, another gone. Both are made again, with the same result.
cp -r figures before
mapfile -t parts < <(ls figures/parts/*.json)
truncate -s 100 "${parts[0]}"
rm "${parts[1]}"
epsfree paper mixture --out figures --seed 5 --threads 1 > third.log
grep -q "13 of 15 inferences were there" third.log || fail "damage was not noticed: $(cat third.log)"
for file in claims.json mixture-posteriors.csv mixture-posteriors.svg mixture-posteriors.pdf mixture-conditional-mdn-with-proposal.csv; do
  cmp "before/$file" "figures/$file" || fail "$file differs"
done

# Mistakes: what is wrong, and exit codes that scripts can tell apart.
expect() { # CODE WORDS COMMAND...
  local want=$1 words=$2 code=0
  shift 2
  "$@" > mistake.log 2>&1 || code=$?
  [ "$code" = "$want" ] || fail "$*: exit code $code, expected $want: $(cat mistake.log)"
  grep -q "$words" mistake.log || fail "$*: no '$words' in: $(cat mistake.log)"
}
expect 65 "did you mean" epsfree paper mixtur --out other
expect 64 "all" epsfree paper all mixture --out other
expect 64 "out" epsfree paper mixture
expect 74 "first.log" epsfree paper mixture --out first.log/figures
expect 64 "lotka_volterra_posterior.csv" epsfree paper lotka-volterra --out other --reference "$scratch"

# Without the program that makes PDFs: all the rest, and a sentence that says what to install.
mkdir empty
env PATH="$scratch/empty" "$PREFIX/bin/epsfree" paper mixture --out figures --seed 5 > fourth.log
grep -q "PDF files were left out.*librsvg2-bin" fourth.log || fail "no word of the missing PDFs: $(cat fourth.log)"
cmp before/mixture-posteriors.svg figures/mixture-posteriors.svg || fail "the SVG depends on the program for PDFs"
[ ! -e figures/mixture-posteriors.pdf ] || fail "an old PDF was left beside new figures"
grep -q "mixture-posteriors.svg" figures/figures.html || fail "no figure on the page without PDFs"
if grep -q "mixture-posteriors.pdf" figures/figures.html; then fail "the page links to a PDF that is not there"; fi
echo "paper: all as expected"
