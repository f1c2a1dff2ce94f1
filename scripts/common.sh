# Sourced by the other scripts: where things are, how to talk, which cmake.
# shellcheck shell=bash
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
cd "$root"

say() { printf '\033[1m==\033[0m %s\n' "$*"; }
if [ ! -t 1 ]; then say() { printf '== %s\n' "$*"; }; fi
die() { printf 'error: %s\n' "$*" >&2; exit 1; }

jobs=${JOBS:-$(nproc 2> /dev/null || echo 2)}

# version_at_least HAVE WANT
version_at_least() { [ "$(printf '%s\n%s\n' "$1" "$2" | sort -V | head -n 1)" = "$2" ]; }

# The first command of that name on the PATH that works; a Python shim may stand in front of the real
# one and lead nowhere. find_tool NAME [LEAST_VERSION]
find_tool() {
  local candidate version
  while read -r candidate; do
    version=$("$candidate" --version 2> /dev/null | grep -oE '[0-9]+(\.[0-9]+)+' | head -n 1) || continue
    if version_at_least "$version" "${2:-0}"; then
      echo "$candidate"
      return 0
    fi
  done < <(type -ap "$1")
  return 1
}
find_cmake() { find_tool cmake 3.22; }
