# A session to show.
mewctl session import -q transcript.jsonl > /dev/null
