# The answer of a provider.
curl() {
    printf '%s\n' '{"type":"message","id":"msg_1","role":"assistant","model":"claude",' \
        '"content":[{"type":"text","text":"Two files."}],"stop_reason":"end_turn",' \
        '"usage":{"input_tokens":9,"output_tokens":3}}'
}
