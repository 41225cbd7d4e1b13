# What the examples of sessions need besides: a session with two compactions.
S=$(mewctl session new)
half=$(($(wc -l < history.jsonl) / 2))
head -n "$half" history.jsonl | mewctl session append -q "$S" > /dev/null
mewctl session compact -q "$S" --trigger manual --window 24000
tail -n "+$((half + 1))" history.jsonl | mewctl session append -q "$S" > /dev/null
mewctl session compact -q "$S" --trigger manual --window 24000
