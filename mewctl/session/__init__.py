"""Sessions: append-only logs of messages with compact markers, and their upkeep."""
