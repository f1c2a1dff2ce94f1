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

commands=$("$epsfree" --help | awk '/^Subcommands:/ { on = 1; next } on && !NF { exit } on && /^  [a-z]/ { print $1 }')
[ "$(wc -w <<< "$commands")" -ge 7 ] || fail "the help lists no commands: $commands"
for command in $commands; do
  grep -qE "^\.(B|BR|BI) $command\b" <<< "$man" || wrong "the man page does not explain the command '$command'"
  offers epsfree "$command" | grep -qx -- "$command" || wrong "the completion does not know the command '$command'"
  options=$("$epsfree" "$command" --help | awk '/^Options:/ { on = 1; next } on && !NF { exit } on && /^  -/ { print $1 }' | tr ',' '\n')
  [ -n "$options" ] || fail "$command --help names no options"
  for option in $options; do
    case $option in -h | --help) continue ;; esac
    grep -qE "^\.(B|BR|BI) (\"?)$option\b" <<< "$man" || wrong "the man page does not explain $option of '$command'"
    offers epsfree "$command" "$option" | grep -qx -- "$option" || wrong "the completion does not know $option of '$command'"
  done
done

PATH="$BUILD_DIR/cli:$PATH"
offers epsfree init l | grep -qx lotka-volterra || wrong "init: no model is offered"
cd "$(mktemp -d)"
touch a.toml b.csv && mkdir run
[ "$(offers epsfree run '' | sort | tr '\n' ' ')" = "a.toml run " ] || wrong "run: offers $(offers epsfree run '')"
offers epsfree logprob run --theta '' | grep -qx b.csv || wrong "logprob --theta: no file is offered"
rm -r "$PWD"

[ "$failures" -eq 0 ]
