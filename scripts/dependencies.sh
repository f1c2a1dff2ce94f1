#!/usr/bin/env bash
# Installs the Debian packages of scripts/packages.txt that are missing, and nothing else.
#
#   scripts/dependencies.sh GROUP...      groups: build test bench dev
source "$(dirname "$0")/common.sh"

# has PACKAGE TOOL
has() {
  case $2 in
    -) ;;
    cmake) if find_cmake > /dev/null; then return 0; fi ;;
    *) if find_tool "$2" > /dev/null; then return 0; fi ;;
  esac
  [ "$(dpkg-query --show --showformat '${db:Status-Status}' "$1" 2> /dev/null)" = installed ]
}

wanted=() missing=() purposes=()
while read -r package group tool purpose; do
  case "$package" in '' | '#'*) continue ;; esac
  case " $* " in *" $group "*) ;; *) continue ;; esac
  wanted+=("$package")
  if ! has "$package" "$tool"; then
    missing+=("$package")
    purposes+=("  $(printf '%-22s' "$package") $purpose")
  fi
done < scripts/packages.txt
[ ${#wanted[@]} -gt 0 ] || die "no package is needed for '$*'; groups are build, test, bench and dev"

if ! command -v apt-get > /dev/null || ! command -v dpkg-query > /dev/null; then
  # Another kind of system: the libraries may well be there, and CMake names the first that is not.
  find_cmake > /dev/null || die "CMake 3.22 or newer is needed, and this is not a Debian system, so it cannot
be installed from here. Install your system's equivalents of these Debian packages and try again:
  ${wanted[*]}"
  say "Not a Debian system: taking it that the equivalents of these packages are installed:"
  echo "  ${wanted[*]}"
  exit 0
fi
if [ ${#missing[@]} -eq 0 ]; then exit 0; fi

say "Missing Debian packages:"
printf '%s\n' "${purposes[@]}"
install=(apt-get install --yes --no-install-recommends "${missing[@]}")
if [ "$(id -u)" = 0 ]; then
  as_root=(env DEBIAN_FRONTEND=noninteractive) how=
elif command -v sudo > /dev/null; then
  as_root=(sudo env DEBIAN_FRONTEND=noninteractive) how="sudo "
else
  die "installing them needs root or sudo, and there is neither. As root, run
  ${install[*]}
and try again."
fi

say "Installing them: ${how}apt-get update, then"
echo "  $how${install[*]}"
# A stale list of packages need not stop the installation, so only that one decides.
"${as_root[@]}" apt-get update --quiet=2 || say "apt-get update failed; trying with the lists that are here"
"${as_root[@]}" "${install[@]}" --quiet=2 > /dev/null ||
  die "apt-get could not install the packages above (no network, or no right to?). Install them by hand:
  ${install[*]}
and try again."
say "Packages installed"
