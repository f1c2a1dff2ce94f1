#!/usr/bin/env bash
# Runs the commands that the comments of a problem file of examples/simulators show, in a copy of the
# examples, with the installed program on the PATH; and the same of what `epsfree init --kind` writes.
#
#   tests/project/examples_test.sh NAME KIND
source "$(dirname "$0")/tools.sh"

name=$1 kind=$2
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
export PATH="$PREFIX/bin:$PATH"

# run_commands FILE: those in the comments at its top, a line each; a small budget is enough here.
run_commands() {
  local commands command tool
  commands=$(sed -n '/^#/!q; s/^#   //p' "$1")
  for word in check-simulator run; do
    grep -q "^epsfree $word " <<< "$commands" || fail "$1 shows no 'epsfree $word'"
  done
  while read -r command; do
    tool=${command%% *}
    if ! command -v "$tool" > /dev/null; then
      [ "${CI:-}" != true ] || fail "$tool is missing (CI=true)"
      echo "skipped: no $tool, which $1 is built with"
      exit 77
    fi
    case $command in
      'epsfree run '*) command="$command --quiet --set method.num_simulations=200" ;;
    esac
    echo "\$ $command"
    timeout 300 bash -euo pipefail -c "$command" < /dev/null || fail "$1: '$command' ended with exit code $?"
  done <<< "$commands"
  [ -s "runs/$(basename "$1" .toml)/posterior.json" ] || fail "$1: no posterior"
}

[ "$kind" != python ] || command -v python3 > /dev/null || {
  [ "${CI:-}" != true ] || fail "python3 is missing (CI=true)"
  echo "skipped: no python3"
  exit 77
}

mkdir -p "$scratch/examples"
cp -r "$SOURCE_DIR/examples/simulators" "$scratch/examples/"
ln -s "$SOURCE_DIR/include" "$scratch/include"
cd "$scratch/examples/simulators"
run_commands "$name.toml"

# A run repeats from its run.toml, wherever that is.
mkdir "$scratch/elsewhere"
cd "$scratch/elsewhere"
cp "$scratch/examples/simulators/runs/$name/run.toml" .
epsfree run run.toml --out again --quiet
cmp again/posterior.json "$scratch/examples/simulators/runs/$name/posterior.json" || fail "$name: run.toml gives another posterior"

mkdir "$scratch/new"
cd "$scratch/new"
epsfree init mine --kind "$kind" > /dev/null 2>&1
run_commands mine.toml
