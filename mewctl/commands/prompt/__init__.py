"""``mewctl prompt``: the stable beginning of a system prompt."""
