function __xlagate_complete
    set -l words (commandline -opc)
    set -l current (commandline -ct)
    string match -q -- '-*' $current; and set -a words $current
    set -l found ($words --generate-bash-completion 2>/dev/null)
    if test (count $found) -gt 0
        printf '%s\n' $found
    else
        __fish_complete_path $current
    end
end
complete -c xlagate -f -a '(__xlagate_complete)'
