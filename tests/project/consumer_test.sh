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

# A version that is not there is refused.
if configure_and_build "$SOURCE_DIR/tests/project/consumer" "$scratch/other" -DWANTED_VERSION=99.0 2> /dev/null; then
  fail "version 99.0 was found"
fi
