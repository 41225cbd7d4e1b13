#!/bin/sh
# The main job on the example: a transcript becomes a history that fits a small window,
# and what left it comes back. Nothing leaves this machine; all is done in a temporary
# directory that is removed at the end.
set -eu

mewctl=${MEWCTL:-mewctl}
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
mkdir .mewcode # so that this is a project of its own

say() { printf '\n\033[1m%s\033[0m\n' "$1"; }
[ -t 1 ] && [ -z "${NO_COLOR:-}" ] || say() { printf '\n%s\n' "$1"; }
tokens() { "$mewctl" tokens < "$1" | sed -n 's/.*"tokens": *\([0-9]*\).*/\1/p'; }

cp "$here/fix-flaky-upload.jsonl" session.jsonl
say "A session of a coding agent, $(wc -c < session.jsonl) bytes, as a history:"
echo "  mewctl convert < session.jsonl > history.jsonl"
"$mewctl" convert < session.jsonl > history.jsonl
