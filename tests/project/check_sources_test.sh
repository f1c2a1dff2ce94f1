#!/usr/bin/env bash
# Sees check_sources.sh catch planted violations, each by its own message, and pass a clean tree.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
failures=0

clean_tree() {
  rm -rf "$scratch/tree"
  mkdir -p "$scratch/tree"/{include/epsfree,src/{base,prob,nn,simulate,infer,models,io,problem,run},cli}
  cd "$scratch/tree"
  printf '#pragma once\n\n#include <Eigen/Core>\n#include <string>\n' > include/epsfree/stream.hpp
  printf '#pragma once\n\n#include "epsfree/stream.hpp"\n' > include/epsfree/gaussian.hpp
  printf '#pragma once\n\n#include "epsfree/gaussian.hpp"\n#include "epsfree/stream.hpp"\n' > include/epsfree/epsfree.hpp
  printf '#include "epsfree/gaussian.hpp"\n// std::cout is named in a comment only\n' > src/prob/gaussian.cpp
  printf '#include <nlohmann/json.hpp>\n' > src/io/posterior_file.cpp
  printf '#include <toml++/toml.h>\n' > src/io/document.cpp
  printf '#include "models/a.hpp"\n#include "io/document.hpp"\n' > src/problem/problem_file.cpp
  printf '#pragma once\n\n#include "io/document.hpp"\n' > src/problem/problem_file.hpp
  printf '#pragma once\n' > src/io/document.hpp
  printf '#include "nn/kernels.hpp"\n' > src/nn/a_kernel.cpp
  printf '#pragma once\n\n#include <stdint.h>\n' > src/nn/kernels.hpp
  printf '#include <iostream>\nint main() { std::cout << 1; }\n' > cli/main.cpp
}

# caught MESSAGE FILE LINE... [FILE LINE...]: the lines, appended to the file of a clean tree, are a violation. A word
# that begins with src/, include/ or cli/ is the next file.
caught() {
  local message=$1 file=$2 word output
  shift
  clean_tree
  for word in "$@"; do
    case $word in src/* | include/* | cli/*) file=$word ;; *) printf '%s\n' "$word" >> "$file" ;; esac
  done
  if output=$("$here/check_sources.sh" "$scratch/tree" 2>&1); then
    echo "FAILED: not caught: $file: $*"
    failures=$((failures + 1))
  elif [[ $output != *"$message"* ]]; then
    printf 'FAILED: %s: %s: expected "%s", got:\n%s\n' "$file" "$*" "$message" "$output"
    failures=$((failures + 1))
  fi
}

clean_tree
"$here/check_sources.sh" "$scratch/tree" || { echo "FAILED: a clean tree"; failures=$((failures + 1)); }

caught 'room base must not include prob' src/base/a.cpp '#include "prob/mixture.hpp"'
caught 'room base must not include prob' src/base/a.cpp '#include "epsfree/gaussian.hpp"'
caught 'room base must not include prob' include/epsfree/stream.hpp '#include "epsfree/gaussian.hpp"'
caught 'room nn must not include simulate' src/nn/a.cpp '#include "simulate/runner.hpp"'
caught 'room simulate must not include nn' src/simulate/a.cpp '#include "nn/adam.hpp"'
caught 'room models must not include infer' src/models/a.cpp '#include "infer/methods.hpp"'
caught 'room infer must not include models' src/infer/a.cpp '#include "models/mg1.hpp"'
caught 'room infer must not include run' src/infer/a.cpp '# include "run/run_directory.hpp"'
caught 'room io must not include problem' src/io/a.cpp '#include "problem/problem_file.hpp"'
caught 'include each other: src/problem/' src/problem/observed.hpp '#pragma once' '#include "problem/problem_file.hpp"' \
  src/problem/problem_file.cpp '#include "problem/observed.hpp"'
caught 'no room "attic' src/attic.cpp 'int x;'
caught 'by its room' src/nn/a.cpp '#include "adam.hpp"'
caught 'only users include epsfree.hpp' src/nn/a.cpp '#include "epsfree/epsfree.hpp"'
caught 'which is not public' include/epsfree/gaussian.hpp '#include "prob/cholesky.hpp"'
caught 'only the standard library' include/epsfree/gaussian.hpp '#include <boost/math/special_functions.hpp>'
caught 'only the standard library' include/epsfree/gaussian.hpp '#include <Random123/philox.h>'
caught 'without a room' include/epsfree/novelty.hpp '#pragma once'
caught 'does not include "epsfree/prior.hpp"' include/epsfree/prior.hpp '#pragma once'
caught 'mpi\.h' src/infer/a.cpp '#include <mpi.h>'
caught 'std::cout' src/infer/a.cpp 'void f() { std::cout << 1; }'
caught 'nlohmann' src/prob/a.cpp '#include <nlohmann/json.hpp>'
caught 'toml' src/infer/a_file.cpp '#include <toml++/toml.h>'
caught '_distribution' src/prob/a.cpp 'std::normal_distribution<double> normal;'
caught 'pragma once' src/prob/a.hpp '#include <vector>'
caught '700 lines, at most' src/prob/long.cpp "$(yes '// line' | head -n 700)"
caught 'a kernel must not include <cmath>' src/nn/density_kernels.cpp '#include <cmath>'
caught 'a kernel must not include <Eigen/Core> (through include/epsfree/stream.hpp)' src/prob/a_kernel.cpp '#include "epsfree/gaussian.hpp"'
caught 'change results' src/CMakeLists.txt 'target_compile_options(epsfree PRIVATE -ffast-math)'

[ "$failures" -eq 0 ]
