# Completion of epsfree for bash.
_epsfree_models() {
  epsfree models 2> /dev/null | sed -n 's/^\([a-z][a-z0-9-]*\).*/\1/p'
}

_epsfree_methods() {
  epsfree methods 2> /dev/null | sed -n 's/^\([a-z][a-z0-9-]*\).*/\1/p'
}

_epsfree() {
  local current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD - 1]} command= word i
  for ((i = 1; i < COMP_CWORD; i++)); do
    word=${COMP_WORDS[i]}
    case $word in
      init | run | watch | simulate | check-simulator | check | report | sample | logprob | show | combine | ledger | export | import | paper | models | methods) command=$word && break ;;
      bench) command=$word ;;
      accuracy | speed) [[ $command == bench ]] && command="bench $word" && break ;;
    esac
  done
  COMPREPLY=()

  case $previous in
    --out)
      if [[ $command == export || $command == report ]]; then
        mapfile -t COMPREPLY < <(compgen -f -- "$current")
      elif [[ $command == init ]]; then
        mapfile -t COMPREPLY < <(compgen -f -X '!*.toml' -- "$current"; compgen -d -- "$current")
      else
        mapfile -t COMPREPLY < <(compgen -d -- "$current")
      fi
      return
      ;;
    --kind) mapfile -t COMPREPLY < <(compgen -W 'python command worker plugin fortran' -- "$current") && return ;;
    --json) [[ $command != ledger && $command != check ]] && mapfile -t COMPREPLY < <(compgen -f -- "$current") && return ;;
    --observed | --theta | --reference) mapfile -t COMPREPLY < <(compgen -f -- "$current") && return ;;
    --method) mapfile -t COMPREPLY < <(compgen -W "$(_epsfree_methods)" -- "$current") && return ;;
    --model) mapfile -t COMPREPLY < <(compgen -W "all $(_epsfree_models)" -- "$current") && return ;;
    --record) mapfile -t COMPREPLY < <(compgen -W 'auto always never' -- "$current") && return ;;
    --proposal) mapfile -t COMPREPLY < <(compgen -W 'prior' -- "$current") && return ;;
    --problem) mapfile -t COMPREPLY < <(compgen -f -X '!*.toml' -- "$current"; compgen -d -- "$current") && return ;;
    --format) mapfile -t COMPREPLY < <(compgen -W 'csv npy json' -- "$current") && return ;;
    --seed | --observe-seed | --threads | --retries | --chunk | --give-up-after | --time-limit | --set | -n | --seeds | --observations | --budget | --seconds | --sbc | --simulations | --interval) return ;;
  esac

  local options='--help' words=''
  case $command in
    '') options='--help --version' words='init run watch simulate check-simulator check report sample logprob show combine ledger export import paper models methods bench' ;;
    methods)
      options='--markdown --help'
      words=$(_epsfree_methods)
      ;;
    init)
      options='--kind --out --method --help'
      words=$(_epsfree_models)
      ;;
    run) options='--out --seed --threads --record --retries --chunk --give-up-after --time-limit --observed --observe-seed --no-report --dry-run --set --force --retry-failed --keep-simulations --trust --quiet --strict --help' ;;
    simulate) options='--theta --seed --set --help' ;;
    check-simulator) options='-n --threads --seed --set --json --help' ;;
    check) options='--sbc --simulations --seed --threads --trust --json --quiet --help' ;;
    report) options='--out --no-check --trust --quiet --help' ;;
    watch) options='--once --interval --help' ;;
    sample) options='-n --seed --help' ;;
    logprob) options='--theta --help' ;;
    combine) options='--out --force --quiet --help' ;;
    ledger) options='--json --help' ;;
    export) options='--format --out --help' ;;
    import) options='--proposal --problem --help' ;;
    paper)
      options='--full --seed --out --reference --threads --help'
      words="all $(_epsfree_models)"
      ;;
    bench) words='accuracy speed' ;;
    'bench speed') options='--json --seconds --help' ;;
    'bench accuracy')
      options='--model --method --seeds --observations --budget --reference --set --threads --json --verbose --help'
      ;;
  esac

  if [[ $current == -* ]]; then
    mapfile -t COMPREPLY < <(compgen -W "$options" -- "$current")
    return
  fi
  case $command in
    simulate | check-simulator) mapfile -t COMPREPLY < <(compgen -f -X '!*.toml' -- "$current"; compgen -d -- "$current") ;;
    run) mapfile -t COMPREPLY < <(compgen -f -X '!*.toml' -- "$current"; compgen -d -- "$current") ;;
    sample | logprob) mapfile -t COMPREPLY < <(compgen -f -X '!*.json' -- "$current"; compgen -d -- "$current") ;;
    import) mapfile -t COMPREPLY < <(compgen -f -- "$current") ;;
    show | check | report | watch | combine | ledger | export) mapfile -t COMPREPLY < <(compgen -d -- "$current") ;;
    *) mapfile -t COMPREPLY < <(compgen -W "$words" -- "$current") ;;
  esac
}
complete -o filenames -F _epsfree epsfree
