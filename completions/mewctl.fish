# What TAB does after "mewctl" in fish. Printed by: mewctl completion fish
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
