"""What is known of a model by its name."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mewctl.tokens.weights import FAMILIES
from mewctl.tokens.windows import (
    TABLE_DATE,
    WINDOWS,
    family_for,
    next_window,
    own_name,
    window_for,
)

NEW, OLD = "claude-4.7-and-later", "claude-3-to-4.6"


@pytest.mark.parametrize(
    ("model", "window", "family"),
    [
        ("claude-opus-4-8", 200_000, NEW),
        ("claude-opus-4-8[1m]", 1_000_000, NEW),
        ("claude-opus-4-7", 200_000, NEW),
        ("claude-opus-4-6", 200_000, OLD),
        ("us.anthropic.claude-sonnet-4-6-v1:0", 200_000, OLD),
        ("claude-3-5-sonnet-20241022", 200_000, OLD),
        ("claude-3-opus-20240229", 200_000, OLD),
        ("claude-sonnet-4-20250514", 200_000, OLD),
        ("claude-sonnet-4-5@20250929", 200_000, OLD),
        ("anthropic/claude-4.5-sonnet", 200_000, OLD),
        ("claude-2.1", 200_000, OLD),
        ("claude-2.0", 100_000, OLD),
        ("claude-sonnet-5", 1_000_000, NEW),
        ("Claude-Haiku-5-5", 1_000_000, NEW),
        ("claude-mythos-preview", 200_000, NEW),
        ("gpt-4", 8_192, "openai-cl100k"),
        ("gpt-4-0613", 8_192, "openai-cl100k"),
        ("gpt-4-turbo-2024-04-09", 128_000, "openai-cl100k"),
        ("gpt-3.5-turbo", 16_385, "openai-cl100k"),
        ("gpt-4o-mini", 128_000, "openai-o200k"),
        ("chatgpt-4o-latest", 128_000, "openai-o200k"),
        ("gpt-4.1-nano", 1_047_576, "openai-o200k"),
        ("openrouter/openai/gpt-5.4", 272_000, "openai-o200k"),
        ("o3-mini", 200_000, "openai-o200k"),
        ("o1-preview", 128_000, "openai-o200k"),
        ("codex-mini-latest", 200_000, "openai-o200k"),
        ("gpt-oss:20b", 131_072, "openai-o200k"),
        ("models/gemini-3-pro-preview", 1_048_576, "gemini"),
        ("gemini-1.5-pro-002", 2_097_152, "gemini"),
        ("gemma3:27b", 131_072, "gemini"),
        ("Qwen/Qwen3-Coder-480B-A35B", 262_144, "qwen3"),
        ("qwen2.5-coder:7b", 131_072, "qwen3"),
        ("deepseek-chat", 128_000, "deepseek"),
        ("deepseek-v4-pro", 1_000_000, "deepseek"),
        ("meta-llama/Llama-3.3-70B-Instruct", 131_072, "llama3"),
        ("meta.llama3-1-70b-instruct-v1:0", 131_072, "llama3"),
        ("llama3:8b", 8_192, "llama3"),
        ("llama-3-8b", 8_192, "llama3"),
        ("llama-3-70b", 8_192, "llama3"),
        ("moonshotai/kimi-k2.5", 262_144, NEW),
        ("x-ai/grok-4", 256_000, NEW),
        ("my-own-model", None, NEW),
        ("phi-o3x", None, NEW),
        ("", None, NEW),
        (None, None, NEW),
    ],
)
def test_a_model_has_the_window_and_family_that_its_name_says(model, window, family):
    assert window_for(model) == window
    assert family_for(model) == family


def test_windows_of_the_users_own_go_before_the_table_longest_first():
    extra = {"My-Model": 5_000, "my-model-large": 9_000, "gpt-5": 400_000}
    assert window_for("my-model-small", extra) == 5_000
    assert window_for("MY-MODEL-LARGE-2", extra) == 9_000
    assert window_for("openai/gpt-5.4", extra) == 400_000
    assert window_for("my-model", {"other": 1}) is None


def test_a_window_asked_for_behind_the_name_is_believed_if_it_is_one():
    assert window_for("sonnet[1m]") == 1_000_000
    assert window_for("claude-opus-4-8[500k]") == 500_000
    assert window_for("claude-opus-4-8[0m]") == 200_000


@pytest.mark.parametrize(
    ("usage", "model", "window"),
    [
        (200_001, "claude-opus-4-6", 1_000_000),
        (200_000, "claude-opus-4-6", 200_000),
        (272_001, "gpt-5.4-codex", 922_000),
        (200_001, "my-own-model", 256_000),
        (200_001, None, 256_000),
        (5_000_000, "claude-opus-4-6", 5_000_000),
        (99_000_000, None, 99_000_000),
    ],
)
def test_a_usage_raises_a_window_to_the_next_one_that_holds_it(usage, model, window):
    assert next_window(usage, model) == window


def test_the_table_is_dated_and_its_keys_are_names_as_they_are_looked_up():
    assert re.fullmatch(r"20\d\d-\d\d-\d\d", TABLE_DATE)
    assert all(own_name(name) == name for name in WINDOWS)
    assert all(4_000 < window <= 10_000_000 for window in WINDOWS.values())


@given(st.text(st.characters()) | st.from_regex(r"claude-[a-z0-9.\-@\[\]]{0,30}"))
def test_any_name_has_a_family_and_a_window_or_none(model):
    assert family_for(model) in FAMILIES
    window = window_for(model)
    assert window is None or window > 0
    assert next_window(1, model) >= 1
