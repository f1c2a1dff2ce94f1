#!/usr/bin/env bash
# Uninstalling takes away all that was installed, and nothing that was not.
source "$(dirname "$0")/tools.sh"

[ -e "$PREFIX.manifest" ] || fail "nothing was installed"
touch "$PREFIX/lib/of_someone_else"
DESTDIR='' "$CMAKE" -D "MANIFEST=$PREFIX.manifest" -P "$SOURCE_DIR/cmake/uninstall.cmake" > /dev/null
left=$(cd "$PREFIX" && find . -mindepth 1 | sort)
[ "$left" = $'./lib\n./lib/of_someone_else' ] || fail "left behind or taken too much: $left"
if DESTDIR='' "$CMAKE" -D "MANIFEST=$PREFIX.manifest" -P "$SOURCE_DIR/cmake/uninstall.cmake" 2> /dev/null; then
  fail "uninstalling a second time should say that there is nothing to uninstall"
fi
rm -rf "$PREFIX"
