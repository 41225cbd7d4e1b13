"""``mewctl config``: the settings, one file per command."""
