#!/usr/bin/env bash
# Proves that the package list is complete: runs make targets in a Debian 12 that has git, make and
# a C++ compiler and nothing else. The machine that builds every day hides missing packages.
#
#   scripts/prove_in_chroot.sh [TARGET...]      default: demo demo test
#
# Needs root and debootstrap. Commits only: what is not committed is not tested. From the environment:
#   CHROOT   where the systems are kept (default /tmp/epsfree-bookworm): base/ is made once, work/ anew
#   MIRROR   a Debian mirror (default: this system's own)
#   EPSFREE_REFERENCE   reference data to put beside the clone (default ../shared/reference)
set -euo pipefail
root=$(cd "$(dirname "$0")/.." && pwd)
chroot_dir=${CHROOT:-/tmp/epsfree-bookworm}
reference=${EPSFREE_REFERENCE:-$root/../shared/reference}
targets=("$@")
[ ${#targets[@]} -gt 0 ] || targets=(demo demo test)

die() { echo "prove_in_chroot: $*" >&2; exit 1; }
[ "$(id -u)" = 0 ] || die "needs root, for chroot"
command -v debootstrap > /dev/null || die "needs debootstrap (apt-get install debootstrap)"

host_mirror() {
  { awk '$1 == "deb" && $NF ~ /main|contrib|non-free/ { for (i = 2; i <= NF; i++) if ($i ~ /^https?:/) { print $i; exit } }' \
      /etc/apt/sources.list 2> /dev/null
    awk '/^URIs:/ && $2 ~ /^https?:/ { print $2; exit }' /etc/apt/sources.list.d/debian.sources 2> /dev/null; } | head -n 1 || true
}
mirror=${MIRROR:-$(host_mirror)}
[ -n "$mirror" ] || die "found no Debian mirror in this system's sources; set MIRROR"

base=$chroot_dir/base
if [ ! -e "$base/.complete" ]; then
  echo "== making a minimal Debian 12 in $base"
  rm -rf "$base"
  mkdir -p "$base"
  debootstrap --variant=minbase --include=git,make,g++,ca-certificates bookworm "$base" "$mirror"
  # How this machine reaches a mirror is its own business: take its sources and proxy settings along.
  rm -rf "$base/etc/apt/sources.list" "$base/etc/apt/sources.list.d"
  cp -a /etc/apt/. "$base/etc/apt/"
  touch "$base/.complete"
fi

work=$chroot_dir/work
echo "== copying it to $work, with a clone of $(git -C "$root" rev-parse --short HEAD)"
rm -rf "$work"
cp -a "$base" "$work"
cp -L /etc/resolv.conf "$work/etc/resolv.conf"
cp -L /etc/hosts "$work/etc/hosts"
git clone --quiet --no-hardlinks "$root" "$work/root/epsfree"
if [ -d "$reference" ]; then
  mkdir -p "$work/root/shared"
  cp -a "$reference" "$work/root/shared/reference"
fi

# In a mount namespace of its own, so that nothing stays mounted whatever happens.
for target in "${targets[@]}"; do
  echo "== make $target"
  started=$SECONDS
  unshare --mount --fork bash -euc '
    mount -t proc proc "$1/proc"
    mount --rbind /dev "$1/dev"
    exec chroot "$1" /usr/bin/env -i HOME=/root LANG=C.UTF-8 TERM="${TERM:-dumb}" CI="${CI:-}" \
      PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin \
      make -C /root/epsfree "$2"' prove "$work" "$target" < /dev/null || die "make $target failed"
  echo "== make $target: $((SECONDS - started)) s"
done
