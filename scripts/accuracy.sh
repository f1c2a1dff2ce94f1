#!/usr/bin/env bash
# The long statistical runs: the paper's experiments against their exact or reference posteriors.
# ACCURACY_ARGS goes to the program.
source "$(dirname "$0")/common.sh"

scripts/dependencies.sh build test
scripts/build.sh release -DEPSFREE_BUILD_TESTS=ON epsfree_accuracy
read -ra arguments <<< "${ACCURACY_ARGS:-}"
exec build/release/tests/accuracy/epsfree_accuracy "${arguments[@]}"
