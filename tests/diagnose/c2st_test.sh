#!/usr/bin/env bash
# c2st_test.sh PROGRAM [all]: the comparison of c2st_test.py. Without a Python that has scikit-learn skipped (77), but a failure
# where CI=true. EPSFREE_PYTHON names one; else the system's is tried, which Debian's package belongs to.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
export OPENBLAS_NUM_THREADS=1 OMP_NUM_THREADS=1 # both on one thread
for python in ${EPSFREE_PYTHON:-/usr/bin/python3 python3}; do
  command -v "$python" > /dev/null || continue
  code=0
  "$python" "$here/c2st_test.py" "$@" || code=$?
  [ "$code" = 77 ] || exit "$code"
done
echo "skipped: no Python with NumPy and scikit-learn (Debian: python3-sklearn)"
[ "${CI:-}" != true ] || exit 1
exit 77
