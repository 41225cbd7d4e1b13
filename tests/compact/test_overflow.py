from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mewctl.compact.overflow import Overflow, numbers

MESSAGES = {
    "prompt is too long: 211180 tokens > 200000 maximum": (211_180, 200_000),
    '{"error":{"message":"prompt is too long: 211,180 tokens > 200,000 maximum"}}': (
        211_180,
        200_000,
    ),
    "input length and `max_tokens` exceed context limit: 188240 + 21333 > 200000, "
    "decrease input length": (188_240, 200_000),
    "request (20031 tokens) exceeds the available context size (4096 tokens), try": (
        20_031,
        4_096,
    ),
    '{"error":{"code":400,"n_prompt_tokens":20031, "n_ctx": 4096}}': (20_031, 4_096),
    "This model's maximum context length is 4096 tokens. However, you requested 5000 "
    "tokens (4000 in the messages, 1000 in the completion).": (4_000, 4_096),
    "This model's maximum context length is 8192 tokens. However, your messages "
    "resulted in 10001 tokens. Please reduce": (10_001, 8_192),
    "Input tokens exceed the configured limit of 272000 tokens. Your messages "
    "resulted in 300002 tokens.": (300_002, 272_000),
    "This model's maximum prompt length is 131072 but the request contains 537812 "
    "tokens.": (537_812, 131_072),
    "The input token count (1200000) exceeds the maximum number of tokens allowed "
    "(1048576).": (1_200_000, 1_048_576),
    "the prompt does not fit": (0, 0),
    "": (0, 0),
    '{"n_ctx": 4096}': (0, 4_096),
    # more digits than Python reads
    f"prompt is too long: {'9' * 5000} tokens > 200000 maximum": (0, 200_000),
    f'{{"n_prompt_tokens": {"9" * 5000}, "n_ctx": 4096}}': (0, 4_096),
}


@pytest.mark.parametrize("text", MESSAGES, ids=range(len(MESSAGES)))
def test_the_numbers_of_each_provider_are_found(text):
    assert numbers(text) == Overflow(*MESSAGES[text])


@given(st.text())
def test_any_text_is_read(text):
    assert min(numbers(text).actual, numbers(text).limit) >= 0
