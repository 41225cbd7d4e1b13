r"""The completion scripts of the shells that ``mewctl completion`` knows.

A script hands the words before the cursor to mewctl, which answers with what may
follow: names, options, values, or that a file or a directory is meant. So a script
knows no command and does not age. Click's own scripts are not used: they lose the value
of ``--option=value``, and what follows a comma in fish.
"""

from __future__ import annotations

_BASH = r"""# What TAB does after "mewctl" in bash. Printed by: mewctl completion bash
_mewctl() {
    local line=${COMP_LINE:0:COMP_POINT} words=() count=0 glue='' i word rest kind value
    # bash parts words at "=" and ":" too; here they are put together again.
    for ((i = 0; i <= COMP_CWORD; i++)); do
        rest=${line#"${line%%[![:space:]]*}"}
        word=${COMP_WORDS[i]}
        ((i < COMP_CWORD)) || word=$rest
        if ((i > 0)) && [[ -n $line && $rest == "$line" ]]; then
            glue=${words[count - 1]}
            words[count - 1]+=$word
        else
            glue=''
            words[count++]=$word
        fi
        line=${rest#"$word"}
    done
    [[ $word == [=:]* ]] && glue+=$word
    COMPREPLY=()
    while IFS=, read -r kind value; do
        case $kind in
            plain) COMPREPLY+=("${value#"$glue"}") ;;
            file) compopt -o default ;;
            dir) compopt -o dirnames ;;
        esac
    done < <(env _MEWCTL_COMPLETE=bash_complete COMP_WORDS="${words[*]}" \
        COMP_CWORD=$((count - 1)) "${1/#\~\//$HOME/}" 2>/dev/null)
}
complete -o nosort -F _mewctl mewctl
"""

_ZSH = r"""#compdef mewctl
# What TAB does after "mewctl" in zsh. Printed by: mewctl completion zsh
_mewctl() {
    local -a response plain described
    local before="${words[1,CURRENT-1]} $PREFIX" kind value about
    response=("${(@f)$(env _MEWCTL_COMPLETE=zsh_complete COMP_WORDS="$before" \
        COMP_CWORD=$((CURRENT - 1)) ${~words[1]} 2>/dev/null)}")
    [[ $PREFIX == -*=* ]] && compset -P 1 '*='
    for kind value about in "${response[@]}"; do
        case $kind in
            plain)
                if [[ $about == _ ]]; then
                    plain+=("$value")
                else
                    described+=("$value:$about")
                fi
                ;;
            file) _files ;;
            dir) _files -/ ;;
        esac
    done
    (($#described)) && _describe -V mewctl described
    (($#plain)) && compadd -V mewctl -a plain
}
if [[ $zsh_eval_context[-1] == loadautofunc ]]; then
    _mewctl "$@"
else
    compdef _mewctl mewctl
fi
"""

_FISH = r"""# What TAB does after "mewctl" in fish. Printed by: mewctl completion fish
function __mewctl_complete
    set -l words (commandline -opc)
    set -l token (commandline -ct)
    set -l before (string match -r -- '^-[^=]*=' $token)
    set -l answer (env _MEWCTL_COMPLETE=fish_complete COMP_WORDS=(commandline -cp) \
        COMP_CWORD=$token $words[1] 2>/dev/null)
    for item in $answer
        set -l part (string split -m 1 , -- $item)
        switch $part[1]
            case plain
                printf '%s%s\n' "$before" $part[2]
            case file
                printf "$before%s\n" (__fish_complete_path $part[2])
            case dir
                printf "$before%s\n" (__fish_complete_directories $part[2])
        end
    end
end
complete --no-files --command mewctl --arguments '(__mewctl_complete)'
"""

#: By shell, as ``mewctl completion`` names it.
SCRIPTS = {"bash": _BASH, "zsh": _ZSH, "fish": _FISH}
