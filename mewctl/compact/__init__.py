"""Layer 2: old history becomes a summary message and a verbatim tail.

Decisions are pure functions that return plans with reasons. No Click, no terminal.
"""
