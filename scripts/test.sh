#!/usr/bin/env bash
# All tests: everything in release and the Python package in a virtual environment; `make sanitize` runs the
# unit tests under ASan+UBSan and under TSan. Ends with the line "N passed, N failed" and fails if any test
# failed or any stage ran none.
#
# CI=true makes a missing reference file or tool a failure.
# STAGES="release python asan tsan" chooses stages.
source "$(dirname "$0")/common.sh"

stages=${STAGES:-release python}
passed=0 failed=0 skipped=0
table=()

export ASAN_OPTIONS=${ASAN_OPTIONS:-detect_stack_use_after_return=1:strict_string_checks=1}
export UBSAN_OPTIONS=${UBSAN_OPTIONS:-print_stacktrace=1}
export TSAN_OPTIONS=${TSAN_OPTIONS:-halt_on_error=1:second_deadlock_stack=1}

# With more random bits in its addresses than ThreadSanitizer expects, a kernel makes every program
# built with it stop at its start; setarch -R then turns the randomisation off.
tsan_prefix() {
  local program
  program=$(find build/tsan/tests -maxdepth 2 -name 'epsfree_*_tests' -type f | head -n 1)
  if "$program" --gtest_list_tests > /dev/null 2>&1; then return 0; fi
  if setarch "$(uname -m)" -R "$program" --gtest_list_tests > /dev/null 2>&1; then
    echo "setarch $(uname -m) -R"
  fi
}

# stage PRESET TITLE BUILD_TARGET CTEST_ARGUMENT...
stage() {
  local preset=$1 title=$2 target=$3 log=build/$1/tests.log started=$SECONDS status=0 build_seconds prefix=()
  shift 3
  local total=0 bad=0 skips=0
  say "$title"
  if scripts/build.sh "$preset" -DEPSFREE_BUILD_TESTS=ON "$target"; then
    build_seconds=$((SECONDS - started))
    if [ "$preset" = tsan ]; then read -ra prefix <<< "$(tsan_prefix)" || true; fi
    "${prefix[@]}" "$ctest" --test-dir "build/$preset" --parallel "$jobs" --output-on-failure \
      --no-tests=error "$@" 2>&1 | tee "$log" || status=$?
    # "90% tests passed, 1 test failed out of 10"; a new CMake leaves out that none failed.
    total=$(sed -nE 's/^[0-9]+% tests passed.* out of ([0-9]+).*/\1/p' "$log" | tail -n 1)
    bad=$(sed -nE 's/^[0-9]+% tests passed, ([0-9]+) tests? failed.*/\1/p' "$log" | tail -n 1)
    total=${total:-0} bad=${bad:-0}
    skips=$(grep -c -- '\*\*\*Skipped' "$log") || true
    if [ "$preset" = release ]; then slow_tests "$log"; fi
  else
    build_seconds=$((SECONDS - started))
    status=1
  fi
  # Whatever went wrong without a failed test to show for it (no build, no tests) is a failure too.
  if [ "$status" -ne 0 ] && [ "$bad" -eq 0 ]; then bad=1 total=$((total + 1)); fi
  if [ "$((total - bad - skips))" -eq 0 ] && [ "$bad" -eq 0 ]; then bad=1 total=$((total + 1)); fi
  passed=$((passed + total - bad - skips)) failed=$((failed + bad)) skipped=$((skipped + skips))
  table+=("$(printf '%-28s %5d passed %4d failed %4d skipped   build %4d s, tests %4d s' "$title" \
    $((total - bad - skips)) "$bad" "$skips" "$build_seconds" $((SECONDS - started - build_seconds)))")
}

# Tests that took more than 5 s though tests/slow_tests.txt does not say why.
slow_tests() {
  sed -nE 's/^ *[0-9]+\/[0-9]+ Test +#[0-9]+: ([^ ]+) .* ([0-9]+)\.[0-9]+ sec.*/\2 \1/p' "$1" | while read -r seconds name; do
    if [ "$seconds" -ge 5 ] && ! awk '{ print $1 }' tests/slow_tests.txt | grep -qxF -- "$name"; then
      echo "note: $name took $seconds s; make it quicker or give the reason in tests/slow_tests.txt"
    fi
  done
}

# The Python package, installed by pip as users do, and its own tests.
python_stage() {
  local title="Python package" started=$SECONDS log=build/python/tests.log status=0 build_seconds
  local total=0 bad=0 skips=0 word number
  say "$title"
  mkdir -p build/python
  scripts/python_package.sh || status=$?
  build_seconds=$((SECONDS - started))
  if [ "$status" -eq 0 ]; then
    EPSFREE_PROGRAM=$root/build/release/cli/epsfree build/python/venv/bin/python -m pytest -q \
      -p no:cacheprovider --numprocesses "$jobs" --dist worksteal python/tests 2>&1 | tee "$log" || status=$?
    # "1 failed, 90 passed, 2 skipped in 61.02s"
    for word in passed failed error skipped; do
      number=$(tail -n 1 "$log" | grep -oE "[0-9]+ $word" | grep -oE '^[0-9]+') || number=0
      total=$((total + number))
      case $word in failed | error) bad=$((bad + number)) ;; skipped) skips=$number ;; esac
    done
    if [ "$status" -ne 0 ] && [ "$bad" -eq 0 ]; then bad=1 total=$((total + 1)); fi
  elif [ "$status" -eq 77 ] && [ "${CI:-}" != true ]; then
    table+=("$(printf '%-28s not run: the packages it needs cannot be had from PyPI' "$title")")
    return 0
  else
    bad=1 total=1
  fi
  passed=$((passed + total - bad - skips)) failed=$((failed + bad)) skipped=$((skipped + skips))
  table+=("$(printf '%-28s %5d passed %4d failed %4d skipped   build %4d s, tests %4d s' "$title" \
    $((total - bad - skips)) "$bad" "$skips" "$build_seconds" $((SECONDS - started - build_seconds)))")
}

scripts/dependencies.sh build test
cmake=$(find_cmake)
ctest=$(dirname "$cmake")/ctest
for name in $stages; do
  case $name in
    release) stage release "all tests, release" all ;;
    python) python_stage ;;
    asan) stage asan "unit tests, ASan and UBSan" unit_tests --label-regex unit ;;
    tsan) stage tsan "unit tests, TSan" unit_tests --label-regex unit ;;
    *) die "no stage '$name'; there are release, python, asan and tsan" ;;
  esac
done

echo
printf '%s\n' "${table[@]}"
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ] && [ "$passed" -gt 0 ]
