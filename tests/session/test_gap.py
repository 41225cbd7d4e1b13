"""The notice of a pause, and telling it from the user's words."""

from __future__ import annotations

import pytest

from mewctl.history.formats import load
from mewctl.history.losses import Losses
from mewctl.history.words import user_words
from mewctl.session import gap


@pytest.mark.parametrize(
    ("seconds", "en", "zh"),
    [
        (30, "less than a minute", "不到一分钟"),
        (60, "1 minute", "1 分钟"),
        (7200, "2 hours", "2 小时"),
        (86_400 * 3.9, "3 days", "3 天"),
    ],
)
def test_a_pause_is_told_in_its_largest_unit(seconds, en, zh):
    assert gap.duration(seconds) == en
    assert gap.duration(seconds, "zh") == zh


@pytest.mark.parametrize("lang", ["en", "zh"])
@pytest.mark.parametrize("form", ["mew", "anthropic", "openai", "responses"])
def test_a_notice_is_known_in_every_format_and_is_no_user_message(form, lang):
    notice = gap.notice(90_000, lang)
    assert user_words(notice) == ""
    (record,) = load(form).make(notice, Losses())
    view = load(form).view(record)
    assert user_words(view) == ""
    assert form == "responses" or gap.is_notice(record)


@pytest.mark.parametrize(
    "value",
    [
        {"role": "user", "content": "what is [mewctl notice]?"},
        {"role": "assistant", "content": "[mewctl notice] x"},
        {"role": "user", "content": [{"type": "text", "text": "[mewctl notice]"}, {}]},
        {"role": "user", "content": [1]},
        {"role": "user"},
    ],
)
def test_other_messages_are_no_notice(value):
    assert not gap.is_notice(value)
