"""Progress of a read, without a terminal; with one it is in tests/e2e."""

from __future__ import annotations

import time

import pytest

from mewctl import limits
from mewctl.streams import progress
from mewctl.streams.progress import metered

ERASE = "\r\x1b[2K"


@pytest.fixture
def shown(monkeypatch, capsys):
    """All that was drawn so far; there is no time to wait for."""
    monkeypatch.setattr(limits, "PROGRESS_AFTER", 0)
    monkeypatch.setattr(limits, "PROGRESS_EVERY", 0)
    monkeypatch.setattr(progress, "_screen", progress._Screen())  # noqa: SLF001
    drawn = [""]

    def read() -> str:
        drawn[0] += capsys.readouterr().err
        return drawn[0]

    return read


def reader(*blocks: bytes):
    left = iter(blocks)
    return lambda _size: next(left, b"")


def test_nothing_is_metered_until_it_is_enabled(shown):
    read = reader(b"x")
    assert metered(read, "h", None) is read
    assert shown() == ""


def test_bytes_and_their_total_are_shown_and_erased_at_the_end(shown):
    progress.enable(color=False)
    read = metered(reader(b"x" * 2000, b"y" * 500), "h.jsonl", 5_000_000)
    assert read(1) == b"x" * 2000
    assert shown().startswith("h.jsonl  2.0 kB of 5.0 MB  ")
    assert shown().endswith("/s")
    assert read(1) == b"y" * 500
    assert f"{ERASE}h.jsonl  2.5 kB of 5.0 MB" in shown()
    assert read(1) == b""
    assert shown().endswith(ERASE)
    progress.clear()
    assert shown().count(ERASE) == 2  # there was nothing left to erase


def test_a_name_is_made_harmless_and_short(shown):
    progress.enable(color=False)
    metered(reader(b"x"), "evil\x1b[2J" + "n" * 300, None)(1)
    drawn = shown()
    assert "\x1b" not in drawn
    assert "evil\\x1b[2J" in drawn
    assert len(drawn) < 80


def test_a_read_that_fails_fails_as_before(shown):
    def fail(_size: int) -> bytes:
        raise OSError(5, "Input/output error")

    progress.enable(color=False)
    with pytest.raises(OSError, match="Input/output error"):
        metered(fail, "h", None)(1)
    assert shown() == ""


def test_a_moment_is_waited_for(shown, monkeypatch):
    monkeypatch.setattr(limits, "PROGRESS_AFTER", 60)
    progress.enable(color=True)
    metered(reader(b"x"), "h", None)(1)
    assert shown() == ""


def test_an_answer_is_waited_for_in_sight(shown):
    progress.enable(color=False)
    with progress.Answer("anthropic") as answer:
        answer.heard("x" * 400)
        for _ in range(200):
            if "about 100 tokens" in shown():
                break
            time.sleep(0.01)
    assert "anthropic  about 100 tokens  0 s" in shown()
    assert shown().endswith(ERASE)


def test_nothing_is_drawn_of_an_answer_without_a_terminal(shown):
    with progress.Answer("anthropic") as answer:
        answer.heard("x")
    assert shown() == ""


def test_an_error_ends_the_waiting(shown):
    progress.enable(color=False)
    with pytest.raises(OSError, match="gone"), progress.Answer("anthropic"):
        raise OSError("gone")
    assert "\n" not in shown()
