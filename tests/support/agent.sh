#!/bin/sh
# An agent: asks a Messages API about a session until it calls no tool any more.
#   agent.sh SESSION URL WINDOW
set -eu
session=$1 url=$2 window=$3
while :; do
    answer=$(mewctl session resume "$session" --to anthropic --request --window "$window" |
        curl -sS --fail -H 'content-type: application/json' -d @- "$url")
    printf '%s\n' "$answer" | mewctl session append "$session" > /dev/null
    calls=$(printf '%s\n' "$answer" | jq -c '.content[] | select(.type == "tool_use")')
    [ -n "$calls" ] || break
    printf '%s\n' "$calls" | while IFS= read -r call; do
        number=$(printf '%s\n' "$call" | jq -r '.id | ltrimstr("toolu_") | tonumber')
        seq 1 $((number % 5 == 3 ? 9000 : 300)) |
            jq -Rsc --argjson call "$call" \
                '{type: "tool_result", tool_use_id: $call.id, content: .}'
    done | jq -sc '{role: "user", content: .}' |
        mewctl session append "$session" > /dev/null
done
