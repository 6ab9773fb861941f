# source <(xlagate completion bash)
_xlagate() {
  local current="${COMP_WORDS[COMP_CWORD]}" words=("${COMP_WORDS[@]:0:COMP_CWORD}")
  [[ "$current" == -* ]] && words+=("$current")
  COMPREPLY=($(compgen -W "$("${words[@]}" --generate-bash-completion 2>/dev/null)" -- "$current"))
}
complete -o bashdefault -o default -F _xlagate xlagate
