# A session that was not compacted yet, and a refusal of its provider.
S=$(mewctl session new)
mewctl session append -q "$S" < history.jsonl > /dev/null
echo '{"type":"error","error":{"message":"prompt is too long"}}' > answer.json
