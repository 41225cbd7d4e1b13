"""The commands for long-term notes."""
