#!/usr/bin/env bash
# The man page and the completion know every command and option that the program's help names, and the
# completion offers what it should.
source "$(dirname "$0")/tools.sh"

epsfree=$BUILD_DIR/cli/epsfree
man=$(sed 's/\\-/-/g' "$SOURCE_DIR/docs/man/epsfree.1")
completion=$SOURCE_DIR/docs/completion/epsfree.bash
failures=0
wrong() { echo "FAILED: $*"; failures=$((failures + 1)); }

# Offers of the completion for a command line; the last word is the one being completed.
source "$completion"
offers() {
  COMP_WORDS=("$@") COMP_CWORD=$(($# - 1)) COMPREPLY=()
  _epsfree
  printf '%s\n' "${COMPREPLY[@]}"
}

# The commands that the help of a command lists.
commands_of() {
  "$epsfree" "$@" --help | awk '/^Subcommands:/ { on = 1; next } on && !NF { exit } on && /^  [a-z]/ { print $1 }'
}

# check_command WORD...: the command, its options and the commands below it.
check_command() {
  local options option command
  grep -qE "^\.(B|BR|BI) $*\b" <<< "$man" || wrong "the man page does not explain the command '$*'"
  offers epsfree "$@" | grep -qx -- "${*: -1}" || wrong "the completion does not know the command '$*'"
  options=$("$epsfree" "$@" --help | awk '/^Options:/ { on = 1; next } on && !NF { exit } on && /^  -/ { print $1 }' | tr ',' '\n')
  [ -n "$options" ] || fail "$* --help names no options"
  for option in $options; do
    case $option in -h | --help) continue ;; esac
    grep -qE "^\.(B|BR|BI) (\"?)$option\b" <<< "$man" || wrong "the man page does not explain $option of '$*'"
    offers epsfree "$@" "$option" | grep -qx -- "$option" || wrong "the completion does not know $option of '$*'"
  done
  for command in $(commands_of "$@"); do check_command "$@" "$command"; done
}

commands=$(commands_of)
[ "$(wc -w <<< "$commands")" -ge 8 ] || fail "the help lists no commands: $commands"
[ -n "$(commands_of bench)" ] || fail "bench lists no commands"
for command in $commands; do check_command "$command"; done

PATH="$BUILD_DIR/cli:$PATH"
offers epsfree init l | grep -qx lotka-volterra || wrong "init: no model is offered"
offers epsfree bench accuracy --model mi | grep -qx mixture || wrong "bench accuracy --model: no model is offered"
cd "$(mktemp -d)"
touch a.toml b.csv && mkdir run
[ "$(offers epsfree run '' | sort | tr '\n' ' ')" = "a.toml run " ] || wrong "run: offers $(offers epsfree run '')"
offers epsfree logprob run --theta '' | grep -qx b.csv || wrong "logprob --theta: no file is offered"
rm -r "$PWD"

[ "$failures" -eq 0 ]
