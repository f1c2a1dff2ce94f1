#!/usr/bin/env bash
# Takes away what the last installation from this directory put in place.
source "$(dirname "$0")/common.sh"

manifest=build/release/install_manifest.txt
[ -e "$manifest" ] || die "nothing was installed from here: there is no $manifest"
"$(find_cmake)" -D "MANIFEST=$root/$manifest" -P cmake/uninstall.cmake
