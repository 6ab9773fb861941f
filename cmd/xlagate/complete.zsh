#compdef xlagate
_xlagate() {
  local -a found asked
  asked=("${(@)words[1,CURRENT-1]}")
  [[ "${words[CURRENT]}" == -* ]] && asked+=("${words[CURRENT]}")
  found=("${(@f)$("${(@)asked}" --generate-bash-completion 2>/dev/null)}")
  if [[ -n "${found[1]}" ]]; then
    compadd -a found
  else
    _files
  fi
}
if [[ "${funcstack[1]}" == _xlagate ]]; then
  _xlagate
else
  compdef _xlagate xlagate
fi
