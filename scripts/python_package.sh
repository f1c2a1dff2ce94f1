#!/usr/bin/env bash
# Installs the Python package into a virtual environment, build/python/venv, with all that its tests need.
# WHOLE_WHEEL=1 compiles the library again, as `pip install .` does on a user's machine, instead of taking
# that of build/release. Exit code 77: PyPI is out of reach.
source "$(dirname "$0")/common.sh"

venv=build/python/venv
log=build/python/pip.log
needed=(scikit-build-core nanobind numpy pytest pytest-xdist scipy matplotlib pandas)
modules="scikit_build_core, nanobind, numpy, pytest, xdist, scipy, matplotlib, pandas"
mkdir -p build/python
if ! "$venv/bin/python" -c "" 2> /dev/null; then
  python3 -m venv "$venv" || die "no virtual environment could be made; 'make deps' installs python3-venv"
fi
if ! "$venv/bin/python" -c "import $modules" 2> /dev/null; then
  say "Installing ${needed[*]} from PyPI into $venv"
  if ! "$venv/bin/python" -m pip install --quiet --retries 1 --timeout 20 "${needed[@]}" > "$log" 2>&1; then
    tail -n 5 "$log" >&2
    echo "PyPI is out of reach (see above): the Python package cannot be built here" >&2
    exit 77
  fi
  # What only single tests need, which are skipped without it.
  for extra in arviz mypy distributed mpi4py; do
    "$venv/bin/python" -m pip install --quiet --retries 1 --timeout 20 "$extra" >> "$log" 2>&1 || true
  done
fi

export CMAKE_BUILD_PARALLEL_LEVEL=$jobs
options=(-Cbuild-dir=build/wheel -Ccmake.define.EPSFREE_WERROR=AUTO)
# By the name that the presets call it, which is part of what ccache knows objects by; scikit-build-core would
# say g++.
export CXX=${CXX:-c++}
if command -v ccache > /dev/null; then export CMAKE_CXX_COMPILER_LAUNCHER=ccache; fi
if [ "${WHOLE_WHEEL:-}" = 1 ]; then
  cmake=$(find_cmake) || die "no CMake of version 3.22 or newer found; 'make deps' installs it"
  options+=(-Ccmake.define.EPSFREE_PREBUILT=)
else
  # The library of build/release, brought up to date, instead of the same objects compiled once more.
  scripts/build.sh release epsfree
  options+=("-Ccmake.define.EPSFREE_PREBUILT=$root/build/release")
  # The program itself, not a slow shim in front of it.
  cmake=$(sed -n 's/^CMAKE_COMMAND:INTERNAL=//p' build/release/CMakeCache.txt)
fi
PATH=$(dirname "$cmake"):$PATH
say "Building the Python package (pip install .)"
if ! "$venv/bin/python" -m pip install --no-build-isolation --no-deps --force-reinstall "${options[@]}" . \
  > "$log" 2>&1; then
  tail -n 40 "$log" >&2
  die "the Python package could not be installed (see above, and $log)"
fi
