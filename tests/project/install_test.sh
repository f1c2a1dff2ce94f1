#!/usr/bin/env bash
# Installs into a scratch prefix, for the tests after it, and looks whether everything is there.
source "$(dirname "$0")/tools.sh"

rm -rf "$PREFIX" "$PREFIX.manifest"
# The manifest of an installation that the user made from this build directory must survive the test.
manifest=$BUILD_DIR/install_manifest.txt
saved=
if [ -e "$manifest" ]; then saved=$(mktemp) && cp "$manifest" "$saved"; fi
DESTDIR='' "$CMAKE" --install "$BUILD_DIR" --prefix "$PREFIX" > "$BUILD_DIR/install_test.log" 2>&1 ||
  { cat "$BUILD_DIR/install_test.log" >&2; fail "cmake --install"; }
mv "$manifest" "$PREFIX.manifest"
if [ -n "$saved" ]; then mv "$saved" "$manifest"; fi

cd "$PREFIX"
for header in "$SOURCE_DIR"/include/epsfree/*; do
  [ -e "include/epsfree/$(basename "$header")" ] || fail "header $(basename "$header") is not installed"
done
for header in "$SOURCE_DIR"/include/*.h; do
  [ -e "include/$(basename "$header")" ] || fail "header $(basename "$header") is not installed"
done
version=$(cat "$SOURCE_DIR/VERSION")
for pattern in 'lib*/libepsfree.*' 'lib*/cmake/epsfree/epsfreeConfig.cmake' 'lib*/cmake/epsfree/epsfreeConfigVersion.cmake' \
  'lib*/cmake/epsfree/epsfreeTargets.cmake'; do
  find . -path "./$pattern" | grep -q . || fail "$pattern is not installed"
done
[ -x share/epsfree/epsfree_worker.py ] || fail "epsfree_worker.py is not installed"
if [ -x "$BUILD_DIR/cli/epsfree" ]; then
  [ -s share/man/man1/epsfree.1 ] || fail "the man page is not installed"
  [ -s share/bash-completion/completions/epsfree ] || fail "the completion is not installed"
  [[ $(bin/epsfree --version) == *"$version"* ]] || fail "bin/epsfree --version does not say $version"
fi
# A package that points into the directory it was built in works on this machine only.
if grep -rlF -e "$BUILD_DIR/" -e "$SOURCE_DIR/" --include='*.cmake' . | grep .; then
  grep -rhF -e "$BUILD_DIR/" -e "$SOURCE_DIR/" --include='*.cmake' . >&2
  fail "the package config names the build or source directory"
fi
