# Makes the directory in which the examples of all commands run: a project after some
# work. stand-ins.sed puts real ids in the place of those that examples name.
mkdir -p .mewcode ~/.config/fish/completions
mewctl convert transcript.jsonl > history.jsonl
mewctl spill history.jsonl | mewctl compact --window 24000 > next.jsonl
boundary=$(mewctl recall --list | grep '"kind":"boundary"' |
    sed 's/.*"handle":"\([^"]*\)".*/\1/')
cat > stand-ins.sed <<END
s/toolu_01abc/toolu_01Af6SARH7TAirezec3HrQLZ/
s/3f2a9c81d0e4/$boundary/
END
