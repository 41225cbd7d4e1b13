"""The message for a compacted history is known for an earlier summary."""

from __future__ import annotations

from mewctl.history.words import earlier_summary, user_words
from mewctl.transcripts.earlier import compacted


def test_a_summary_is_known_again_and_is_nobody_s_words():
    message = compacted("All was done.", 7.0)
    assert (message.role, message.injected, message.time) == ("user", True, 7.0)
    assert earlier_summary(message) == "All was done."
    assert user_words(message) == ""
