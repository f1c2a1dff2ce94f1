#!/usr/bin/env bash
# Formats every C++ file with clang-format 14; with --check only says which files are not formatted.
# Exit code 77: the tool is not there.
source "$(dirname "$0")/common.sh"

tool=$(find_tool clang-format-14) || tool=$(find_tool clang-format 14) || tool=
case $("${tool:-false}" --version 2> /dev/null) in
  *'version 14.'*) ;;
  *) echo "clang-format 14 is not installed (Debian package clang-format-14)" >&2; exit 77 ;;
esac
mapfile -t files < <(find include src cli python tests bench fuzz examples docs \( -name '*.cpp' -o -name '*.hpp' -o -name '*.h' \) \
  2> /dev/null | sort)
[ ${#files[@]} -gt 0 ] || die "no C++ file found"
if [ "${1:-}" = --check ]; then
  exec "$tool" --dry-run -Werror "${files[@]}"
fi
"$tool" -i "${files[@]}"
