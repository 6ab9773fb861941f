#compdef xlagate
_xlagate() {
  local -a found
  found=("${(@f)$("${words[1]}" __complete "${(@)words[2,CURRENT]}" 2>/dev/null)}")
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
