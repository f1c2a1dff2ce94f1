#!/usr/bin/env bash
# The scripts behind the Makefile say what is wrong when they cannot go on, and install nothing that is
# there. Other systems are imitated by directories of stand-in commands on the PATH.
source "$(dirname "$0")/tools.sh"

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cd "$SOURCE_DIR"
failures=0
unset CI STAGES JOBS MAKEFLAGS

# system NAME: a PATH with the basic commands only.
system() {
  rm -rf "$scratch/bin" && mkdir "$scratch/bin"
  local tool
  for tool in bash env dirname nproc awk sed grep sort head cat printf sh rm mkdir; do
    if type -P "$tool" > /dev/null; then ln -s "$(type -P "$tool")" "$scratch/bin/$tool"; fi
  done
}
stand_in() { printf '#!/bin/sh\n%s\n' "$2" > "$scratch/bin/$1" && chmod +x "$scratch/bin/$1"; }
# expect STATUS MESSAGE COMMAND...
expect() {
  local wanted=$1 message=$2 status=0
  shift 2
  PATH=$scratch/bin "$@" > "$scratch/log" 2>&1 || status=$?
  if [ "$status" -ne "$wanted" ] || { [ -n "$message" ] && ! grep -qF -- "$message" "$scratch/log"; }; then
    echo "FAILED: $*: exit code $status (expected $wanted), expected to read \"$message\":"
    cat "$scratch/log"
    failures=$((failures + 1))
  fi
}
refuse() { if grep -qF -- "$1" "$scratch/log"; then echo "FAILED: should not read \"$1\""; cat "$scratch/log"; failures=$((failures + 1)); fi; }

# Not Debian: without CMake it stops and names the packages, with it it goes on.
system
expect 1 'libeigen3-dev' scripts/dependencies.sh build
stand_in cmake 'echo cmake version 3.22.1'
expect 0 'libeigen3-dev' scripts/dependencies.sh build
refuse libgtest-dev
stand_in cmake 'echo cmake version 3.18.4'
expect 1 'CMake 3.22' scripts/dependencies.sh build
expect 1 'groups are' scripts/dependencies.sh cake

# Debian, nothing missing: nothing is done.
system
stand_in dpkg-query 'echo installed'
stand_in apt-get 'echo apt-get was called; exit 1'
expect 0 '' scripts/dependencies.sh build test
refuse apt-get

# Debian, things missing, an ordinary user without sudo.
stand_in dpkg-query 'exit 1'
stand_in id 'echo 1000'
expect 1 'there is neither. As root, run' scripts/dependencies.sh build
refuse 'apt-get was called'

# With sudo but offline: the packages are named again.
stand_in sudo 'exec "$@"'
stand_in apt-get 'exit 100'
expect 1 'Install them by hand' scripts/dependencies.sh build

# A working CMake and ninja, from wherever, are not installed again; a shim that leads nowhere is no CMake.
stand_in apt-get 'echo "apt-get $*" >> '"$scratch/apt"
stand_in cmake 'echo cmake version 4.1.0'
stand_in ninja 'echo 1.12'
expect 0 'libeigen3-dev' scripts/dependencies.sh build
if grep -q 'cmake\|ninja' "$scratch/apt"; then echo "FAILED: $(cat "$scratch/apt")"; failures=$((failures + 1)); fi
stand_in cmake 'echo cmake: command not found; exit 127'
rm -f "$scratch/apt"
expect 0 'cmake ' scripts/dependencies.sh build
grep -q 'install.* cmake' "$scratch/apt" || { echo "FAILED: a broken cmake was taken for a working one"; failures=$((failures + 1)); }
expect 1 'no CMake of version 3.22' scripts/build.sh release

# test.sh counts what ctest says, and a stage without tests or without a build is a failure. In a copy of the
# scripts, since it writes beside them.
system
stand_in dpkg-query 'echo installed'
stand_in apt-get ''
stand_in cmake 'case "$*" in *--version*) echo cmake version 3.22.1 ;; esac'
stand_in ninja 'echo 1.12'
for tool in tee tail find uname setarch touch; do ln -s "$(type -P "$tool")" "$scratch/bin/$tool"; done
mkdir "$scratch/tree" && cp -r scripts "$scratch/tree/scripts"
mkdir -p "$scratch/tree/build/tsan/tests/base" && ln -s "$scratch/bin/ninja" "$scratch/tree/build/tsan/tests/base/epsfree_base_tests"
# The Python package: an exit code, 77 where PyPI is out of reach, and what pytest says.
package() {
  printf '#!/bin/sh\nexit %s\n' "$1" > "$scratch/tree/scripts/python_package.sh"
  mkdir -p "$scratch/tree/build/python/venv/bin"
  printf '#!/bin/sh\necho "%s in 1.00s"\nexit %s\n' "${2:-}" "${3:-0}" > "$scratch/tree/build/python/venv/bin/python"
  chmod +x "$scratch/tree/build/python/venv/bin/python"
}
package 77
# counts STATUS LAST_LINE CTEST
counts() {
  stand_in ctest "$3"
  expect "$1" "$2" "$scratch/tree/scripts/test.sh"
  if [ "$(tail -n 1 "$scratch/log")" != "$2" ]; then echo "FAILED: the last line is not \"$2\""; cat "$scratch/log"; failures=$((failures + 1)); fi
}
export STAGES="release python asan tsan"
counts 0 '30 passed, 0 failed' 'echo "100% tests passed, 0 tests failed out of 10"'
counts 0 '30 passed, 0 failed' 'echo "100% tests passed out of 10"'
counts 0 '27 passed, 0 failed' 'echo "1/10 Test #1: a ...***Skipped   0.0 sec"; echo "100% tests passed, 0 tests failed out of 10"'
counts 1 '27 passed, 3 failed' 'echo "90% tests passed, 1 test failed out of 10"; exit 8'
counts 1 '20 passed, 1 failed' 'case "$*" in *asan*) exit 8 ;; *) echo "100% tests passed, 0 tests failed out of 10" ;; esac'
counts 1 '0 passed, 3 failed' 'echo "No tests were found!!!"'
counts 1 '0 passed, 3 failed' 'kill -9 $$'
all_pass='echo "100% tests passed, 0 tests failed out of 10"'
package 0 '5 passed, 2 skipped'
counts 0 '35 passed, 0 failed' "$all_pass"
package 0 '1 failed, 5 passed' 1
counts 1 '35 passed, 1 failed' "$all_pass"
package 0 '' 2
counts 1 '30 passed, 1 failed' "$all_pass"
package 1
counts 1 '30 passed, 1 failed' "$all_pass"
package 77
CI=true counts 1 '30 passed, 1 failed' "$all_pass"
stand_in cmake 'case "$*" in *--version*) echo cmake version 3.22.1 ;; *--build*asan*) exit 1 ;; esac'
counts 1 '20 passed, 1 failed' 'echo "100% tests passed, 0 tests failed out of 10"'

# PREFIX that is no path.
expect 1 'must be an absolute path' env PREFIX=relative scripts/install.sh

# The list of targets names every target.
for target in help deps build demo test accuracy bench format tidy fuzz install uninstall clean; do
  make --no-print-directory | grep -q "^make $target  *[a-z]" || { echo "FAILED: make help says nothing of $target"; failures=$((failures + 1)); }
done

[ "$failures" -eq 0 ]
