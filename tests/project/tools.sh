# Sourced by the tests here. CMake hands over what it was configured with.
# shellcheck shell=bash
set -euo pipefail
: "${CMAKE:?}" "${NINJA:?}" "${CXX:?}" "${SOURCE_DIR:?}" "${BUILD_DIR:?}" "${PREFIX:?}"

fail() { echo "FAILED: $*" >&2; exit 1; }

# configure_and_build SOURCE BUILD [-DNAME=VALUE...]: a project that finds epsfree under PREFIX.
configure_and_build() {
  local source=$1 build=$2
  shift 2
  "$CMAKE" -S "$source" -B "$build" -G Ninja "-DCMAKE_MAKE_PROGRAM=$NINJA" "-DCMAKE_CXX_COMPILER=$CXX" \
    "-DCMAKE_PREFIX_PATH=$PREFIX" -DCMAKE_BUILD_TYPE=Release "$@" > "$build.log" 2>&1 || { cat "$build.log" >&2; return 1; }
  "$CMAKE" --build "$build" >> "$build.log" 2>&1 || { cat "$build.log" >&2; return 1; }
}
