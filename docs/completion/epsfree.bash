# Completion of epsfree for bash.
_epsfree() {
  local current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD - 1]} command= word i
  for ((i = 1; i < COMP_CWORD; i++)); do
    word=${COMP_WORDS[i]}
    case $word in
      init | run | sample | logprob | show | combine | models) command=$word && break ;;
    esac
  done
  COMPREPLY=()

  case $previous in
    --out)
      if [[ $command == init ]]; then
        mapfile -t COMPREPLY < <(compgen -f -X '!*.toml' -- "$current"; compgen -d -- "$current")
      else
        mapfile -t COMPREPLY < <(compgen -d -- "$current")
      fi
      return
      ;;
    --observed | --theta) mapfile -t COMPREPLY < <(compgen -f -- "$current") && return ;;
    --seed | --observe-seed | --threads | --set | -n) return ;;
  esac

  local options='--help' words=''
  case $command in
    '') options='--help --version' words='init run sample logprob show combine models' ;;
    init)
      options='--out --help'
      words=$(epsfree models 2> /dev/null | sed -n 's/^\([a-z][a-z0-9-]*\).*/\1/p')
      ;;
    run) options='--out --seed --threads --observed --observe-seed --dry-run --set --force --quiet --help' ;;
    sample) options='-n --seed --help' ;;
    logprob) options='--theta --help' ;;
    combine) options='--out --force --quiet --help' ;;
  esac

  if [[ $current == -* ]]; then
    mapfile -t COMPREPLY < <(compgen -W "$options" -- "$current")
    return
  fi
  case $command in
    run) mapfile -t COMPREPLY < <(compgen -f -X '!*.toml' -- "$current"; compgen -d -- "$current") ;;
    sample | logprob) mapfile -t COMPREPLY < <(compgen -f -X '!*.json' -- "$current"; compgen -d -- "$current") ;;
    show | combine) mapfile -t COMPREPLY < <(compgen -d -- "$current") ;;
    *) mapfile -t COMPREPLY < <(compgen -W "$words" -- "$current") ;;
  esac
}
complete -o filenames -F _epsfree epsfree
