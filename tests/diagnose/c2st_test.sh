#!/usr/bin/env bash
# c2st_test.sh PROGRAM: the comparison of c2st_test.py, with the Python that has scikit-learn:
# EPSFREE_PYTHON where it is set, and then nothing may be missing, else whatever python3 is.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
export OPENBLAS_NUM_THREADS=1 OMP_NUM_THREADS=1 # both on one thread
code=0
"${EPSFREE_PYTHON:-python3}" "$here/c2st_test.py" "$1" || code=$?
if [[ $code == 77 ]]; then
  echo "SKIPPED: the comparison of C2ST needs NumPy and scikit-learn (set EPSFREE_PYTHON to a Python that has them)" >&2
  [[ -z ${EPSFREE_PYTHON:-} ]] || exit 1
fi
exit "$code"
