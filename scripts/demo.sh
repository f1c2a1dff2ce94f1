#!/usr/bin/env bash
# Builds the program and infers the Lotka-Volterra parameters from the authors' observation.
source "$(dirname "$0")/common.sh"

scripts/dependencies.sh build
scripts/build.sh release epsfree_cli

command=(build/release/cli/epsfree run examples/lotka-volterra.toml --out runs/demo --force)
say "${command[*]}"
"${command[@]}"
echo "The program is build/release/cli/epsfree; 'make install' puts it on the PATH."
