#!/usr/bin/env bash
# Checks the sources under a directory against the plan of the house (rooms.txt): which room includes
# which, which files include each other, which file uses which library, what public headers need, how long files are.
#
#   tests/project/check_sources.sh [ROOT]
#
# Prints one line per violation and fails if there is any.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
cd "${1:-$here/../..}"
most_lines=600 many_lines=400

mapfile -t files < <(find include src cli python tests bench \( -name '*.cpp' -o -name '*.hpp' -o -name '*.h' \) 2> /dev/null | sort)
if [ ${#files[@]} -eq 0 ]; then
  echo "check_sources: no C++ file under $PWD" >&2
  exit 1
fi

awk -v most="$most_lines" -v many="$many_lines" '
  function wrong(message) { printf "%s:%d: %s\n", FILENAME, FNR, message; violations++ }
  function length_of_last() {
    if (last != "" && lines > most) { printf "%s: %d lines, at most %d\n", last, lines, most; violations++ }
    else if (last != "" && lines > many) printf "note: %s: %d lines, more than %d\n", last, lines, many
  }
  # The room that a file belongs to; "" for tests, benchmarks and epsfree.hpp, which may include anything, and for the
  # C headers that simulators include, which may include nothing of ours.
  function c_header(path) { return path ~ /^include\/[a-z_]+\.h$/ }
  function room_of(path,   part) {
    split(path, part, "/")
    if (part[1] == "src") return part[2]
    if (part[1] == "cli" || part[1] == "python") return part[1]
    if (part[1] != "include" || path == "include/epsfree/epsfree.hpp" || c_header(path)) return ""
    sub(/\.hpp$/, "", part[3])
    if (!(part[3] in header_room)) { wrong("public header without a room; name it in tests/project/rooms.txt"); return "" }
    return header_room[part[3]]
  }

  # rooms.txt
  FILENAME ~ /rooms\.txt$/ {
    if ($1 == "room") { known[$2]; allowed[$2, $2]; for (i = 3; i <= NF; i++) allowed[$2, $i] }
    else if ($1 == "header") header_room[$2] = $3
    else if ($1 == "only") { token[++tokens] = $2; place[tokens] = $3 }
    next
  }

  FNR == 1 {
    length_of_last()
    last = FILENAME
    room = room_of(FILENAME)
    if (room != "" && !(room in known)) wrong("no room \"" room "\" in tests/project/rooms.txt")
    ours = FILENAME !~ /^(tests|bench)\//
    public = FILENAME ~ /^include\//
    if (FILENAME == "include/epsfree/epsfree.hpp") all_included_by = FILENAME
    else if (public && !c_header(FILENAME)) { name = FILENAME; sub(/^include\//, "", name); public_header[name] }
    once = FILENAME !~ /\.hpp$/
  }
  { lines = FNR; sub(/\/\/.*/, "") }
  /^#pragma once/ { once = 1 }
  /^#include/ && !once { wrong("a header starts with #pragma once"); once = 1 }

  /^#[ \t]*include[ \t]*"/ && c_header(FILENAME) { wrong("a header of simulators includes " $2) }
  /^#[ \t]*include[ \t]*"/ && ours {
    split($0, quoted, "\""); target = quoted[2]
    quotes[FILENAME] = quotes[FILENAME] " " (target ~ /^epsfree\// ? "include/" : "src/") target
    if (FILENAME == "include/epsfree/epsfree.hpp") included_by_all[target]
    if (target !~ /\//) wrong("include \"" target "\" by its room: \"room/" target "\"")
    else {
      split(target, part, "/")
      other = part[1]
      if (other == "epsfree") {
        name = part[2]; sub(/\.hpp$/, "", name)
        other = name in header_room ? header_room[name] : ""
        if (target == "epsfree/epsfree.hpp" && room != "cli") wrong("only users include epsfree.hpp")
      } else if (public) wrong("a public header includes \"" target "\", which is not public")
      if (room != "" && other != "" && !((room, other) in allowed))
        wrong("room " room " must not include " other " (\"" target "\")")
    }
  }
  /^#[ \t]*include[ \t]*</ && ours {
    target = $0; sub(/^[^<]*</, "", target); sub(/>.*/, "", target)
    # Intrinsics are always inlined and never emitted under a name, so <immintrin.h> is allowed as well.
    if (target !~ /^(c?std(int|def)|std(int|def)\.h|immintrin\.h)$/ && !(FILENAME in heavy)) heavy[FILENAME] = target
    if (public && !c_header(FILENAME) && target !~ /^[a-z_]+$/ && target !~ /^Eigen\// && target !~ /^std(int|def)\.h$/)
      wrong("a public header includes <" target ">: only the standard library, Eigen and epsfree/")
  }
  FNR == 1 && FILENAME ~ /_kernels?\.cpp$/ { kernel[FILENAME] }
  ours {
    for (i = 1; i <= tokens; i++) if ($0 ~ token[i] && (place[i] == "^$" || FILENAME !~ place[i]))
      wrong("\"" token[i] "\" does not belong in this file")
  }
  # A kernel is compiled once per instruction set. Templates and inline functions of other headers would be too, under
  # one name, and the linker would keep any of them (docs/decisions/0003).
  function walk(from, file,   parts, count, i) {
    if ((from, file) in seen) return
    seen[from, file]
    if (file in heavy) { printf "%s: a kernel must not include <%s> (through %s)\n", from, heavy[file], file; violations++ }
    count = split(quotes[file], parts, " ")
    for (i = 1; i <= count; i++) walk(from, parts[i])
  }
  # Header and source of one name are one file here. Whoever reads one file of a cycle must read all of them.
  function unit_of(file) { sub(/\.(cpp|hpp)$/, "", file); return file }
  function visit(unit, path,   parts, count, i, cycle) {
    state[unit] = "open"
    count = split(needs[unit], parts, " ")
    for (i = 1; i <= count; i++) {
      if (parts[i] == unit || !(parts[i] in needs)) continue
      if (state[parts[i]] == "") visit(parts[i], path " " parts[i])
      else if (state[parts[i]] == "open") {
        cycle = path " "
        sub("^.* " parts[i] " ", parts[i] " ", cycle)
        sub(/ $/, "", cycle)
        print "these files include each other: " cycle
        violations++
      }
    }
    state[unit] = "done"
  }
  END {
    length_of_last()
    for (file in quotes) if (file ~ /^src\//) needs[unit_of(file)] = needs[unit_of(file)] " " quotes[file]
    for (unit in needs) gsub(/\.hpp/, "", needs[unit])
    for (unit in needs) if (state[unit] == "") visit(unit, " " unit)
    for (file in kernel) walk(file, file)
    if (all_included_by != "") for (name in public_header) if (!(name in included_by_all)) {
      printf "%s: does not include \"%s\"\n", all_included_by, name; violations++
    }
    if (violations) printf "%d violations\n", violations
    exit violations > 0
  }' "$here/rooms.txt" "${files[@]}"

# Reassociation makes results depend on the compiler.
if grep -rnE --include=CMakeLists.txt --include='*.cmake' --include=CMakePresets.json '^[^#]*-f(fast-math|associative-math|unsafe-math)|^[^#]*-Ofast' . \
  --exclude-dir=build --exclude-dir=.git; then
  echo "these flags change results" >&2
  exit 1
fi
