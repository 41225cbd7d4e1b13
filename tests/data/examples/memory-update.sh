S=$(mewctl session new)
mewctl session append -q "$S" history.jsonl > /dev/null
