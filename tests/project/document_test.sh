#!/usr/bin/env bash
# Runs what a document shows, from top to bottom in a scratch directory, with the installed program on
# the PATH:
#
#   ```sh     is run with bash -euo pipefail
#   ```cpp    is compiled against the installed package, linked and run
#   ```toml   is saved under the name that a comment before it gives: <!-- file: problem.toml -->
#
# Any block with such a file comment is saved only; one after <!-- not run: reason --> is left alone, as are
# blocks of other languages.
#
#   tests/project/document_test.sh [--need "sh cpp toml"] DOCUMENT
source "$(dirname "$0")/tools.sh"

need=
if [ "${1:-}" = --need ]; then need=$2 && shift 2; fi
document=$(realpath "$1")
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
mkdir "$scratch/blocks" "$scratch/work"

# blocks/index: number, line, language, file name or "-"
awk -v blocks="$scratch/blocks" -v document="$(basename "$document")" '
  function stop(message) { printf "%s:%d: %s\n", document, FNR, message > "/dev/stderr"; bad = 1; exit 1 }
  inside && /^[ \t]*```[ \t]*$/ { inside = 0; if (kept) close(out); next }
  inside { if (kept) print substr($0, indent + 1) > out; next }
  /^<!-- *not run: *[^ ].*-->/ { skip = 1; next }
  /^<!-- *not run/ { stop("say why it is not run: <!-- not run: reason -->") }
  /^<!-- *file: *[^ ]+ *-->/ { file = $0; sub(/^<!-- *file: */, "", file); sub(/ *-->.*/, "", file); next }
  /^[ \t]*```/ {
    match($0, /^[ \t]*/); indent = RLENGTH
    language = $0; sub(/^[ \t]*```/, "", language); sub(/[ \t].*/, "", language)
    if (language ~ /^(console|shell|bash|c\+\+|cc)$/) stop("write ```sh or ```cpp instead of ```" language)
    if (language == "toml" && file == "" && !skip) stop("a ```toml block needs <!-- file: NAME --> before it")
    if (file ~ /\.\.|^\//) stop("the file must lie in the working directory")
    inside = 1; started = FNR
    kept = !skip && (file != "" || language == "sh" || language == "cpp")
    if (kept) {
      out = sprintf("%s/%03d", blocks, ++number)
      printf "" > out
      printf "%03d %d %s %s\n", number, FNR, language == "" ? "-" : language, file == "" ? "-" : file > (blocks "/index")
    }
    skip = 0; file = ""; next
  }
  NF { skip = 0; file = "" }
  END { if (!bad && inside) { printf "%s:%d: the block is never closed\n", document, started > "/dev/stderr"; exit 1 } }
' "$document" || fail "$document cannot be read"
touch "$scratch/blocks/index"

export PATH="$PREFIX/bin:$PATH"
unset CI
count=0 ran=" "
while read -r number line language file; do
  where="$(basename "$document"):$line"
  block=$scratch/blocks/$number
  if [ "$file" != - ]; then
    mkdir -p "$scratch/work/$(dirname "$file")"
    cp "$block" "$scratch/work/$file"
    echo "$where: saved $file"
  elif [ "$language" = sh ]; then
    echo "$where: run"
    sed 's/^/  | /' "$block"
    (cd "$scratch/work" && timeout 600 bash -euo pipefail "$block" < /dev/null) || fail "$where: the commands failed"
  else
    echo "$where: compile and run"
    project=$scratch/project_$number
    mkdir "$project"
    cp "$block" "$project/main.cpp"
    printf '%s\n' 'cmake_minimum_required(VERSION 3.22)' 'project(example LANGUAGES CXX)' \
      'find_package(epsfree REQUIRED)' 'add_executable(example main.cpp)' \
      'target_link_libraries(example PRIVATE epsfree::epsfree)' > "$project/CMakeLists.txt"
    configure_and_build "$project" "$project/build" || fail "$where: the program does not build"
    (cd "$scratch/work" && timeout 600 "$project/build/example" < /dev/null) || fail "$where: the program failed"
  fi
  ran="$ran$language "
  count=$((count + 1))
done < "$scratch/blocks/index"

for language in $need; do
  case $ran in *" $language "*) ;; *) fail "$document shows no $language that works when pasted" ;; esac
done
echo "$(basename "$document"): $count blocks"
