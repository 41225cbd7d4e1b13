# What TAB does after "mewctl" in bash. Printed by: mewctl completion bash
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
