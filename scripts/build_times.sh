#!/usr/bin/env bash
# Measures how long builds and tests take from nothing, and prints the table of CONTRIBUTING.md and the files that
# take longest to compile. Works in fresh clones in a temporary directory, without a compiler cache; what is not
# committed is not measured. Let the machine do nothing else meanwhile.
#
#   scripts/build_times.sh [demo] [test] [sanitize] [touch]      default: demo test touch
source "$(dirname "$0")/common.sh"

wanted=("$@")
[ ${#wanted[@]} -gt 0 ] || wanted=(demo test touch)
for name in "${wanted[@]}"; do
  case $name in demo | test | sanitize | touch) ;; *) die "no measurement '$name'; there are demo, test, sanitize and touch" ;; esac
done
is_wanted() { case " ${wanted[*]} " in *" $1 "*) return 0 ;; *) return 1 ;; esac; }

scripts/dependencies.sh build test
scratch=$(mktemp -d)
chmod 755 "$scratch"  # a test runs the program as another user
trap 'rm -rf "$scratch"' EXIT
export CCACHE_DISABLE=1
export EPSFREE_REFERENCE=${EPSFREE_REFERENCE:-$root/../shared/reference}
unset EPSFREE_PROGRAM MAKEFLAGS
table=()

minutes() { awk -v seconds="$1" 'BEGIN { printf "%d:%02d", seconds / 60, seconds % 60 }'; }

# measure TITLE LOG COMMAND...: adds a row with the time by the clock and of all cores; the command must succeed.
measure() {
  local title=$1 log=$2 times clock user system
  shift 2
  say "$title (its output: $log)"
  TIMEFORMAT='%R %U %S'
  if ! times=$({ time "$@" > "$log" 2>&1; } 2>&1); then
    tail -n 30 "$log" >&2
    die "'$*' failed (see above)"
  fi
  read -r clock user system <<< "$times"
  table+=("$(printf '| %-52s | %8s | %8s |' "$title" "$(minutes "$clock")" "$(minutes "$(awk -v a="$user" -v b="$system" 'BEGIN { print a + b }')")")")
}
fresh_clone() { git clone --quiet "$root" "$scratch/$1"; }
objects() { find "$1/build/release" -name '*.o' -printf '%T@ %p\n' | sort; }

if is_wanted demo; then
  fresh_clone first
  measure "make demo" "$scratch/demo.log" make -C "$scratch/first" demo
  objects "$scratch/first" > "$scratch/before"
  measure "CI=true make test, after make demo" "$scratch/after.log" env CI=true make -C "$scratch/first" test
  objects "$scratch/first" > "$scratch/after"
  again=$(comm -23 "$scratch/before" "$scratch/after" | wc -l)
  table+=("$(printf '| %-52s | %8s | %8s |' "objects that it compiles a second time" "$again" "")")
fi
if is_wanted test; then
  fresh_clone second
  measure "make test" "$scratch/test.log" make -C "$scratch/second" test
fi
if is_wanted touch; then
  # With the preset for work on single files, built before.
  fresh_clone work
  (cd "$scratch/work" && scripts/dependencies.sh bench && scripts/build.sh dev -DEPSFREE_BUILD_TESTS=ON epsfree_infer_tests) \
    > "$scratch/dev.log" 2>&1 || { tail -n 30 "$scratch/dev.log" >&2; die "the preset dev does not build (see above)"; }
  touch "$scratch/work/src/infer/local/auto_method.cpp"
  one_file() {
    cd "$scratch/work"
    scripts/build.sh dev epsfree_infer_tests
    build/dev/tests/infer/epsfree_infer_tests --gtest_filter='AutoMethod.*'
  }
  measure "touch src/infer/local/auto_method.cpp, build and test it" "$scratch/touch.log" one_file
fi
if is_wanted sanitize; then
  fresh_clone third
  measure "make sanitize" "$scratch/sanitize.log" make -C "$scratch/third" sanitize
fi

echo
echo "$(nproc) cores, $(c++ --version | head -n 1)"
printf '| %-52s | %8s | %8s |\n|---|---|---|\n' "command" "clock" "CPU"
printf '%s\n' "${table[@]}"
for clone in second first third; do
  log=$(find "$scratch/$clone/build" -maxdepth 2 -name .ninja_log 2> /dev/null | sort | head -n 1)
  [ -n "$log" ] || continue
  printf '\nThe ten files that take longest to compile:\n'
  awk -F '\t' 'NR > 1 && $4 ~ /\.o$/ { printf "%6.1f s  %s\n", ($2 - $1) / 1000, $4 }' "$log" | sort -rn | awk '!seen[$NF]++' | head -n 10
  break
done
