#!/usr/bin/env bash
# Configures a preset and builds targets of it.
#
#   scripts/build.sh PRESET [--configure-only] [-DNAME=VALUE...] [TARGET...]
source "$(dirname "$0")/common.sh"

preset=${1:?"a preset of CMakePresets.json"}
shift
options=() targets=() build=yes
for argument in "$@"; do
  case $argument in
    --configure-only) build=no ;;
    -D*) options+=("$argument") ;;
    *) targets+=(--target "$argument") ;;
  esac
done
cmake=$(find_cmake) || die "no CMake of version 3.22 or newer found; 'make deps' installs it"
ninja=$(find_tool ninja) || die "no ninja found; 'make deps' installs it"

if [ ! -e "build/$preset/CMakeCache.txt" ]; then
  # Set once: changing the launcher later would rebuild everything.
  options=("-DCMAKE_MAKE_PROGRAM=$ninja" "${options[@]}")
  # Who only wants the program needs no test library.
  case "${options[*]}" in *EPSFREE_BUILD_TESTS*) ;; *) options+=(-DEPSFREE_BUILD_TESTS=OFF) ;; esac
  if command -v ccache > /dev/null; then options+=(-DCMAKE_CXX_COMPILER_LAUNCHER=ccache); fi
fi
mkdir -p "build/$preset"
log=build/$preset/configure.log
if ! "$cmake" --preset "$preset" "${options[@]}" > "$log" 2>&1; then
  cat "$log" >&2
  die "CMake could not configure the preset '$preset' (see above). If a library was not found: 'make deps'
installs the Debian packages of scripts/packages.txt."
fi
[ "$build" = yes ] || exit 0
# Without it ccache keeps no file that was compiled with precompiled headers.
export CCACHE_SLOPPINESS=${CCACHE_SLOPPINESS:-pch_defines,time_macros}
say "Building ($preset, $jobs jobs)"
"$cmake" --build "build/$preset" --parallel "$jobs" "${targets[@]}" || die "the build of '$preset' failed (see above)"
