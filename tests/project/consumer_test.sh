#!/usr/bin/env bash
# Another project finds the installed package, links it and runs.
source "$(dirname "$0")/tools.sh"

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
version=$(cut -d. -f1-2 "$SOURCE_DIR/VERSION")
configure_and_build "$SOURCE_DIR/tests/project/consumer" "$scratch/build" "-DWANTED_VERSION=$version" || fail "the consumer does not build"
output=$("$scratch/build/consumer") || fail "the consumer does not run"
echo "$output"
[[ $output == *"epsfree $(cat "$SOURCE_DIR/VERSION")"* ]] || fail "unexpected output"

# A program compiled for this machine's vectors, which ask for a larger alignment than the library's.
# glibc checks what is freed.
configure_and_build "$SOURCE_DIR/tests/project/consumer" "$scratch/native" "-DWANTED_VERSION=$version" \
  -DCMAKE_CXX_FLAGS=-march=native || fail "the consumer does not build with -march=native"
MALLOC_CHECK_=3 "$scratch/native/consumer" || fail "the consumer does not run with -march=native"
grep -rq "EIGEN_MAX_ALIGN_BYTES=64" "$PREFIX" --include='*.cmake' ||
  fail "the package does not hand on Eigen's alignment"

# A version that is not there is refused.
if configure_and_build "$SOURCE_DIR/tests/project/consumer" "$scratch/other" -DWANTED_VERSION=99.0 2> /dev/null; then
  fail "version 99.0 was found"
fi
