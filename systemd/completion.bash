# SPDX-License-Identifier: MIT
# bash completion for tidemark(1)
_tidemark() {
  local current=${COMP_WORDS[COMP_CWORD]} verb='' sub='' i
  for ((i = 1; i < COMP_CWORD; i++)); do
    case ${COMP_WORDS[i]} in
      --config) ((i++)) ;;
      -*) ;;
      *) if [[ -z $verb ]]; then verb=${COMP_WORDS[i]}; elif [[ -z $sub ]]; then sub=${COMP_WORDS[i]}; fi ;;
    esac
  done
  if [[ ${COMP_WORDS[COMP_CWORD - 1]} == --config ]]; then
    COMPREPLY=($(compgen -f -- "$current"))
    return
  fi
  if [[ $current == -* ]]; then
    COMPREPLY=($(compgen -W '--config --json --help' -- "$current"))
    return
  fi
  local words=''
  case $verb/$sub in
    /) words='run check init reload status events webhooks handlers dead replay reconcile chain lists db version' ;;
    events/) words='list show tail redecode' ;;
    webhooks/) words='list show reprocess' ;;
    handlers/) words='list pause resume test keys' ;;
    dead/) words='list retry skip' ;;
    chain/) words='list show resume skip' ;;
    lists/) words='show add remove' ;;
    db/) words='check backup restore stats prune' ;;
    db/backup | db/restore | init/) COMPREPLY=($(compgen -f -- "$current")); return ;;
  esac
  COMPREPLY=($(compgen -W "$words" -- "$current"))
}
complete -F _tidemark tidemark
