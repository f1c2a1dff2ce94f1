#!/usr/bin/env bash
# Sees document_test.sh pass a document that works and refuse ones that do not.
source "$(dirname "$0")/tools.sh"

runner=$SOURCE_DIR/tests/project/document_test.sh
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
failures=0
f='```'

passes() {
  printf '%s\n' "${@:2}" > "$scratch/document.md"
  if ! "$runner" --need "$1" "$scratch/document.md" > "$scratch/log" 2>&1; then
    cat "$scratch/log" && echo "FAILED: should pass: ${*:2}"
    failures=$((failures + 1))
  fi
}
# refuses MESSAGE LINE...
refuses() {
  printf '%s\n' "${@:2}" > "$scratch/document.md"
  if "$runner" --need "sh" "$scratch/document.md" > "$scratch/log" 2>&1; then
    echo "FAILED: should be refused: ${*:2}"
    failures=$((failures + 1))
  elif ! grep -qF -- "$1" "$scratch/log"; then
    cat "$scratch/log" && echo "FAILED: should say \"$1\": ${*:2}"
    failures=$((failures + 1))
  fi
}

passes "sh toml cpp" '# Title' "<!-- file: a/problem.toml -->" "${f}toml" 'seed = 1' "$f" 'Text.' \
  "${f}sh" 'grep -q "seed = 1" a/problem.toml' 'echo state > state' "$f" \
  "<!-- not run: it would not end well -->" "${f}sh" 'exit 1' "$f" "${f}text" 'exit 1' "$f" \
  "${f}sh" 'test -s state' "$f" \
  "${f}cpp" '#include <epsfree/version.hpp>' '#include <cstdio>' 'int main() { return epsfree::version() && std::fopen("state", "r") ? 0 : 1; }' "$f"
refuses 'the commands failed' "${f}sh" 'false' 'true' "$f"
refuses 'the commands failed' "${f}sh" 'false | true' "$f"
refuses 'the commands failed' "${f}sh" 'epsfree-that-is-not-there' "$f"
refuses 'the program does not build' "${f}cpp" 'int main() { return epsfree::version(); }' "$f"
refuses 'the program failed' "${f}cpp" 'int main() { return 3; }' "$f"
refuses 'needs <!-- file: NAME -->' "${f}toml" 'seed = 1' "$f"
refuses 'say why' '<!-- not run -->' "${f}sh" 'true' "$f"
refuses 'write ```sh' "${f}console" 'true' "$f"
refuses 'never closed' "${f}sh" 'true'
refuses 'shows no sh' '# Nothing here'
refuses 'shows no sh' '<!-- not run: reason -->' "${f}sh" 'true' "$f"
# A comment marks the block that follows at once, none further down.
refuses 'the commands failed' '<!-- not run: reason -->' 'Text.' "${f}sh" 'false' "$f"

[ "$failures" -eq 0 ]
