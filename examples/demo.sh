#!/bin/sh
# The main job on the example: a transcript becomes a history that fits a small window,
# and what left it comes back. Nothing leaves this machine; all of it happens in a
# temporary directory that is removed at the end.
set -eu

program=${MEWCTL:-mewctl}
mewctl() { command "$program" "$@"; }
example=$(cd "$(dirname "$0")" && pwd)/fix-flaky-upload.jsonl
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
mkdir .mewcode # so that this is a project of its own

title() { printf '\n%s\n' "$1"; }
show() { sed 's/^/    /' "$1"; }
first() { mewctl tokens --format table "$1" | sed -n '1s/^/    /p'; }

cp "$example" transcript.jsonl
title "A coding agent's session, from its transcript ($(wc -c < transcript.jsonl) bytes):"
echo "  $ mewctl convert --from claude-code < transcript.jsonl > history.jsonl"
mewctl convert --from claude-code < transcript.jsonl > history.jsonl
first history.jsonl

title "The main job: oversized output to files, old history to a summary."
echo "  $ mewctl spill < history.jsonl | mewctl compact --window 24000 > next.jsonl"
mewctl spill < history.jsonl 2> spill.txt |
    mewctl compact --window 24000 > next.jsonl 2> compact.txt
show spill.txt
show compact.txt
first next.jsonl

title "The new history begins with a summary made of facts, and ends with the newest messages:"
sed -n '1s/\\n/\
/gp' next.jsonl | sed -n -e '/^## [1-9]/p' -e '/^## Recently/p' \
    -e '/^\[mewctl boundary/s/".*//p' | sed 's/^/    /'

title "Nothing is lost. What went to a file is found and comes back byte for byte:"
echo "  $ mewctl recall --grep 'no file although' --limit 1"
mewctl recall --grep 'no file although' --limit 1 > found.txt 2> more.txt
cut -c1-150 found.txt | sed 's/^/    /'
handle=$(sed 's/.*"handle":"\([^"]*\)".*/\1/' found.txt)
line=$(sed 's/.*"line":\([0-9]*\).*/\1/' found.txt)
echo "  $ mewctl recall $handle --lines $line:$((line + 3))"
mewctl recall "$handle" --lines "$line:$((line + 3))" | cut -c1-100 | sed 's/^/    /'
echo "  $ mewctl recall $handle | wc -c"
mewctl recall "$handle" | wc -c | sed 's/^ */    /'

boundary=$(sed -n '1s/.*\[mewctl boundary \([0-9a-f]*\) .*/\1/p' next.jsonl)
title "What the compaction dropped has an address, too:"
echo "  $ mewctl recall --boundary $boundary --message 13"
mewctl recall --boundary "$boundary" --message 13 | sed 's/^/    /'

title "Next: the README, or mewctl --help"
