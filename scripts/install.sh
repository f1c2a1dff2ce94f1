#!/usr/bin/env bash
# Installs what was built in release mode under PREFIX (default /usr/local); DESTDIR is honoured.
source "$(dirname "$0")/common.sh"

prefix=${PREFIX:-/usr/local}
case $prefix in /*) ;; *) die "PREFIX must be an absolute path, not '$prefix'" ;; esac
scripts/dependencies.sh build
scripts/build.sh release
"$(find_cmake)" --install build/release --prefix "$prefix" > build/release/install.log 2>&1 || {
  tail -n 5 build/release/install.log >&2
  die "could not install under '${DESTDIR:-}$prefix'. Choose another place (make install PREFIX=\$HOME/.local) or
run it as root."
}
say "Installed under ${DESTDIR:-}$prefix; 'make uninstall' takes it away again"
