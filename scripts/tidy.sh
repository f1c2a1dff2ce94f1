#!/usr/bin/env bash
# clang-tidy with the checks of .clang-tidy, warnings as errors, over the library and the program.
#   scripts/tidy.sh [FILE...]
source "$(dirname "$0")/common.sh"

tool=$(find_tool clang-tidy-14) || tool=$(find_tool clang-tidy 14) || {
  scripts/dependencies.sh dev
  tool=$(find_tool clang-tidy-14) || die "no clang-tidy"
}
scripts/dependencies.sh build test
scripts/build.sh release --configure-only -DEPSFREE_BUILD_TESTS=ON
files=("$@")
if [ ${#files[@]} -eq 0 ]; then mapfile -t files < <(find src cli -name '*.cpp' | sort); fi
say "clang-tidy on ${#files[@]} files"
# GCC's own warning names mean nothing to clang.
printf '%s\n' "${files[@]}" | xargs -P "$jobs" -n 1 "$tool" -p build/release --quiet \
  --extra-arg=-Wno-unknown-warning-option 2>&1 | sed "/^[0-9]* warnings\? generated\.$/d"
